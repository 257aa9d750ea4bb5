/** What the controller may do by itself. `failover`: replace dead members. `sweep`: remove what killed runs left behind. */
export const controllerActionKinds = ["failover", "sweep"] as const;
export type ControllerActionKind = (typeof controllerActionKinds)[number];

/** What the controller does by itself if nothing else is asked for. */
export const defaultControllerActions: readonly ControllerActionKind[] = ["failover"];

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
 * @param acts what it may do by itself. It records that in the journal and in Events
 */
export function controllerRules(acts: readonly ControllerActionKind[]): PolicyRule[] {
    const changes = acts.length > 0;
    const [failsOver, sweeps] = [acts.includes("failover"), acts.includes("sweep")];
    return [
        {
            apiGroups: ["coordination.k8s.io"],
            resources: ["leases"],
            verbs: ["get", "list", ...(changes ? ["patch"] : [])],
        },
        { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
        // A failover gives a StatefulSet one more replica.
        { apiGroups: ["apps"], resources: ["statefulsets"], verbs: ["get", ...(failsOver ? ["patch"] : [])] },
        {
            apiGroups: [""],
            resources: ["pods"],
            // A failover of PD deletes the pod and the claims of the dead member.
            // A sweep takes back the mark of a shutdown that a killed run has left on a pod of TiCDC.
            verbs: ["get", "list", ...(sweeps ? ["patch"] : []), ...(failsOver ? ["delete"] : [])],
        },
        { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["list", ...(failsOver ? ["delete"] : [])] },
        { apiGroups: [""], resources: ["pods/portforward"], verbs: ["get", "create"] },
        ...(changes
            ? [
                  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch"] },
                  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
              ]
            : []),
    ];
}

/** Returns what a failover needs of the whole Kubernetes cluster: without it, no pod on a node that is gone is known to be dead. */
export function nodeRules(): PolicyRule[] {
    return [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }];
}
