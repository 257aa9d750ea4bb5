import { components } from "./members";
import { journalName, leaseName, memberName } from "./names";

/**
 * What the controller may do by itself. `failover`: replace dead members. `drain`: move pods away from nodes that are being emptied.
 * `grow`: enlarge volumes of full disks (`operations.volumes`). `sweep`: remove what killed runs left behind.
 */
export const controllerActionKinds = ["failover", "drain", "grow", "sweep"] as const;
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
 * them, and what `pulumi-tidb status` needs. Pods and claims have no names that are known before, and Kubernetes cannot restrict
 * `list` or `create` to a name.
 * @param acts what it may do by itself. It records that in the journal and in Events
 * @param clusters the only clusters that it looks after, for rules that name their objects. Default: all of the namespace
 */
export function controllerRules(acts: readonly ControllerActionKind[], clusters?: readonly string[]): PolicyRule[] {
    const changes = acts.length > 0;
    const [failsOver, sweeps, drains] = [acts.includes("failover"), acts.includes("sweep"), acts.includes("drain")];
    const only = (namesOf: (cluster: string) => readonly string[]): Pick<PolicyRule, "resourceNames"> =>
        clusters === undefined ? {} : { resourceNames: clusters.flatMap(namesOf) };
    const statefulSets = only((cluster) => components.map((component) => memberName(cluster, component)));
    const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    const configMaps = { apiGroups: [""], resources: ["configmaps"] };
    return [
        { ...leases, verbs: ["list"] },
        { ...leases, ...only((cluster) => [leaseName(cluster)]), verbs: ["get", ...(changes ? ["patch"] : [])] },
        {
            apiGroups: ["apps"],
            resources: ["deployments"],
            ...only((cluster) => [memberName(cluster, "discovery")]),
            verbs: ["get"],
        },
        { apiGroups: ["apps"], resources: ["statefulsets"], ...statefulSets, verbs: ["get"] },
        // A failover gives a StatefulSet one more replica. With `patch` of the StatefulSet itself it could mount any Secret of the namespace.
        ...(failsOver
            ? [{ apiGroups: ["apps"], resources: ["statefulsets/scale"], ...statefulSets, verbs: ["patch"] }]
            : []),
        {
            apiGroups: [""],
            resources: ["pods"],
            // A failover of PD deletes the pod and the claims of the dead member. A drain deletes pods, which then start elsewhere.
            // A sweep takes back the mark of a shutdown that a killed run has left on a pod of TiCDC.
            verbs: ["get", "list", ...(sweeps ? ["patch"] : []), ...(failsOver || drains ? ["delete"] : [])],
        },
        {
            apiGroups: [""],
            resources: ["persistentvolumeclaims"],
            // A drain asks for the volume of each claim.
            verbs: [
                ...(drains ? ["get"] : []),
                "list",
                ...(acts.includes("grow") ? ["patch"] : []),
                ...(failsOver ? ["delete"] : []),
            ],
        },
        { apiGroups: [""], resources: ["pods/portforward"], verbs: ["get", "create"] },
        ...(changes
            ? [
                  { ...configMaps, ...only((cluster) => [journalName(cluster)]), verbs: ["get", "patch"] },
                  { ...configMaps, verbs: ["create"] },
                  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
              ]
            : []),
    ];
}

/**
 * Returns what the controller needs of the whole Kubernetes cluster; empty if nothing. Without it, a failover knows no pod on a node that
 * is gone to be dead, and a drain moves nothing.
 */
export function nodeRules(acts: readonly ControllerActionKind[]): PolicyRule[] {
    const core = { apiGroups: [""] };
    // Whether a volume's class lets it grow.
    const classes = acts.includes("grow")
        ? [{ apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: ["get"] }]
        : [];
    if (acts.includes("drain")) {
        return [
            { ...core, resources: ["nodes"], verbs: ["get", "list"] },
            // Whether another node has room for a pod.
            { ...core, resources: ["pods", "persistentvolumes"], verbs: ["list"] },
            ...classes,
        ];
    }
    return [...(acts.includes("failover") ? [{ ...core, resources: ["nodes"], verbs: ["get"] }] : []), ...classes];
}
