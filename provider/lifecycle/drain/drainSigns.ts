import type { Node } from "../diagnosis/objects";

/** A taint of something that empties a node before it stops or removes it. */
interface DrainTaint {
    /** The taint's key, or what it begins with. */
    readonly key: RegExp;
    readonly words: string;
}

/**
 * The taints, with who sets them. `DeletionCandidateOfClusterAutoscaler` is none: a candidate may stay. Those of a node that does not
 * answer (`not-ready`, `unreachable`, `out-of-service`) are none either: nothing can leave such a node gracefully.
 */
const drainTaints: readonly DrainTaint[] = [
    // kubectl cordon and kubectl drain, and the upgrades of EKS, GKE and AKS (k8s.io/api core/v1 TaintNodeUnschedulable).
    { key: /^node\.kubernetes\.io\/unschedulable$/, words: "is cordoned" },
    // kubernetes/autoscaler cluster-autoscaler/utils/taints.
    { key: /^ToBeDeletedByClusterAutoscaler$/, words: "is being removed by the cluster autoscaler" },
    // kubernetes-sigs/karpenter pkg/apis: v1, and `disruption` before it.
    { key: /^karpenter\.sh\/disrupt(ed|ion)$/, words: "is being removed by Karpenter" },
    // aws/aws-node-termination-handler pkg/node: spot-itn, scheduled-maintenance, asg-lifecycle-termination, rebalance-recommendation.
    { key: /^aws-node-termination-handler\//, words: "is about to be stopped by AWS" },
    // https://cloud.google.com/kubernetes-engine/docs/how-to/handle-disruption-gpu-tpu
    { key: /^cloud\.google\.com\/impending-node-termination$/, words: "is about to be stopped by Google Cloud" },
];

/** @returns why pods should leave the node: `is cordoned`; undefined if nothing empties it. */
export function drainSign({ spec }: Node): string | undefined {
    const keys = [
        ...(spec?.taints ?? []).map(({ key }) => key),
        ...(spec?.unschedulable === true ? ["node.kubernetes.io/unschedulable"] : []),
    ];
    // What is about to stop the node says more than that it is cordoned.
    return drainTaints.filter(({ key }) => keys.some((one) => key.test(one))).at(-1)?.words;
}
