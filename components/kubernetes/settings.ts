import { componentLabel, instanceLabel } from "../../topology/labels";
import type { Workload } from "../../topology/names";
import type {
    ComponentSpec,
    ConfigUpdateStrategy,
    DnsPolicy,
    ImagePullPolicy,
    PodManagementPolicy,
} from "../componentSpec";
import type { TidbClusterManifest } from "../spec";
import { combine, memberLabels, type StringMap } from "./labels";
import type { KubernetesFields, LocalObjectReference, PodSecurityContext } from "./pod";
import { present } from "./present";

/** The effective settings of a member's pods. */
export interface MemberSettings {
    readonly imagePullPolicy: ImagePullPolicy;
    readonly imagePullSecrets?: LocalObjectReference[];
    readonly hostNetwork: boolean;
    readonly affinity?: KubernetesFields;
    readonly priorityClassName?: string;
    readonly schedulerName?: string;
    readonly nodeSelector: StringMap;
    readonly annotations: StringMap;
    readonly labels: StringMap;
    readonly tolerations?: KubernetesFields[];
    readonly podSecurityContext?: PodSecurityContext;
    readonly dnsPolicy: DnsPolicy;
    readonly dnsConfig?: KubernetesFields;
    readonly configUpdateStrategy: ConfigUpdateStrategy;
    readonly podManagementPolicy: PodManagementPolicy;
    readonly topologySpreadConstraints: KubernetesFields[];
}

/**
 * Combines the settings of a member and of the cluster. Node selectors, labels and annotations are merged, and the member's
 * take precedence. Every other setting of the member replaces the cluster's (tidb-operator
 * pkg/apis/pingcap/v1alpha1/component_spec.go).
 */
export function memberSettings(
    manifest: TidbClusterManifest,
    component: Workload,
    member: ComponentSpec | undefined,
): MemberSettings {
    const cluster = manifest.spec;
    const hostNetwork = member?.hostNetwork ?? cluster.hostNetwork ?? false;
    const spread = nonEmpty(member?.topologySpreadConstraints) ?? cluster.topologySpreadConstraints ?? [];
    return {
        imagePullPolicy: member?.imagePullPolicy ?? cluster.imagePullPolicy ?? "IfNotPresent",
        imagePullSecrets: nonEmpty(member?.imagePullSecrets) ?? cluster.imagePullSecrets,
        hostNetwork,
        affinity: member?.affinity ?? cluster.affinity,
        priorityClassName: member?.priorityClassName ?? cluster.priorityClassName,
        schedulerName: member?.schedulerName ?? cluster.schedulerName,
        nodeSelector: combine(member?.nodeSelector, cluster.nodeSelector),
        annotations: combine(member?.annotations, cluster.annotations),
        labels: combine(member?.labels, cluster.labels),
        tolerations: nonEmpty(member?.tolerations) ?? cluster.tolerations,
        podSecurityContext: member?.podSecurityContext ?? cluster.podSecurityContext,
        dnsPolicy: member?.dnsPolicy ?? cluster.dnsPolicy ?? (hostNetwork ? "ClusterFirstWithHostNet" : "ClusterFirst"),
        dnsConfig: member?.dnsConfig ?? cluster.dnsConfig,
        configUpdateStrategy: member?.configUpdateStrategy ?? cluster.configUpdateStrategy ?? "InPlace",
        podManagementPolicy: member?.podManagementPolicy ?? cluster.podManagementPolicy ?? "Parallel",
        topologySpreadConstraints: spread.map((constraint) =>
            present({
                maxSkew: (constraint.maxSkew ?? 0) > 0 ? constraint.maxSkew : 1,
                minDomains: constraint.minDomains,
                nodeAffinityPolicy: constraint.nodeAffinityPolicy,
                topologyKey: constraint.topologyKey,
                whenUnsatisfiable: "DoNotSchedule",
                labelSelector: {
                    // These are the pods' labels. tidb-operator uses the cluster's name as the instance here, so it counts
                    // no pods of a cluster with another instance label.
                    matchLabels: combine(overrides(constraint.matchLabels), memberLabels(manifest, component)),
                },
            }),
        ),
    };
}

/** Only the component and instance labels of a constraint's `matchLabels` are used, as in tidb-operator. */
function overrides(labels: StringMap = {}): StringMap {
    return Object.fromEntries(
        Object.entries(labels).filter(([key]) => key === componentLabel || key === instanceLabel),
    );
}

function nonEmpty<T>(list: T[] | undefined): T[] | undefined {
    return list === undefined || list.length === 0 ? undefined : list;
}
