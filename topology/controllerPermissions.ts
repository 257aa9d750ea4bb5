/** A rule of a Role, as Kubernetes has it. */
export interface PolicyRule {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
}

/**
 * Returns what the controller needs in the namespace of its own Lease. Kubernetes cannot restrict `create` to a name.
 * @param lease name of the Lease
 */
export function leadershipRules(lease: string): PolicyRule[] {
    const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    return [
        { ...leases, verbs: ["create"] },
        { ...leases, resourceNames: [lease], verbs: ["get", "patch"] },
    ];
}

/**
 * Returns what the controller needs in a namespace of clusters, besides the client certificates of those with TLS: to find
 * them, and what `pulumi-tidb status` needs.
 * @param sweeps whether it removes what killed runs left behind, and records that in the journal and in Events
 */
export function controllerRules(sweeps: boolean): PolicyRule[] {
    return [
        {
            apiGroups: ["coordination.k8s.io"],
            resources: ["leases"],
            verbs: ["get", "list", ...(sweeps ? ["patch"] : [])],
        },
        { apiGroups: ["apps"], resources: ["statefulsets", "deployments"], verbs: ["get"] },
        // A sweep takes back the mark of a shutdown that a killed run has left on a pod of TiCDC.
        { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", ...(sweeps ? ["patch"] : [])] },
        { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["list"] },
        { apiGroups: [""], resources: ["pods/portforward"], verbs: ["get", "create"] },
        ...(sweeps
            ? [
                  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch"] },
                  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
              ]
            : []),
    ];
}
