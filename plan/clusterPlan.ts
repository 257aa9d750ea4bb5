import type { GateTrace } from "./traceOfPlan";
import type { KubernetesTarget } from "../provider/cluster/kubernetesTarget";
import type { Notice, NoticeCode } from "../provider/lifecycle/vocabulary/notices";
import type { PlanStep } from "../provider/lifecycle/walks/planStep";
import type { Component } from "../topology/members";

/** Version of the JSON of a plan. Fields may be added to it; a change that breaks readers gets a new version. */
export const planApiVersion = "pulumi-tidb.io/v1";

/** The JSON that `pulumi-tidb plan --output json` prints. */
export interface PlanDocument {
    readonly apiVersion: typeof planApiVersion;
    readonly kind: "ClusterPlans";
    /** One plan for each TidbCluster of the file, in its order. */
    readonly clusters: readonly ClusterPlan[];
}

/** The plan of one cluster, as `pulumi preview` would show it in the gates' input `plan`. */
export interface ClusterPlan {
    /** `metadata.name` of the TidbCluster. */
    readonly name: string;
    readonly namespace: string;
    /** The Kubernetes cluster that was read. */
    readonly kubernetes: KubernetesTarget;
    /** Whether the cluster is deployed: whether Kubernetes has its Lease. A first deployment has no plan. */
    readonly isDeployed: boolean;
    /** Whether the file pauses the cluster (`spec.paused`): what is withheld is in `warnings`. */
    readonly isPaused: boolean;
    /** The stack that owns the cluster, from its Lease; null if none is recorded. */
    readonly owner: PlanOwner | null;
    /** Why `pulumi up` would fail before it changes anything. Empty if nothing is refused. */
    readonly refusals: readonly PlanRefusal[];
    /** Why gates have no exact plan, with the gates. Empty if the plan is exact. */
    readonly deferred: readonly PlanDeferral[];
    /** What to know before `pulumi up`. */
    readonly warnings: readonly Notice[];
    /** What the live cluster is like although nothing follows from it. `--strict` does not count it. */
    readonly remarks: readonly Notice[];
    /**
     * What the warnings put at risk, in short. In JSON also what single steps put at risk, with their numbers. Empty if no risk
     * was found.
     */
    readonly risks: readonly string[];
    /**
     * The plan in the order in which `pulumi up` carries it out. Empty if there is nothing to do, if nothing is known, or if
     * something is refused: then `pulumi up` does nothing.
     */
    readonly entries: readonly PlanEntry[];
    /**
     * Sum of the steps' own times, in seconds: rules of thumb, from a real PD with its defaults. A step that is undecided has none, so
     * it is a lower bound. `estimate` is what this cluster's own records say.
     */
    readonly estimateSeconds: number;
    /** How long the steps are expected to take by the cluster's own records; null if no gate has steps that are estimated. */
    readonly estimate: PlanEstimate | null;
    /** The dry runs of the gates; only with `--trace`. */
    readonly traces?: readonly GateTrace[];
}

/** How long a plan is expected to take, from what was observed on this cluster. No rate of another cluster stands in for it. */
export interface PlanEstimate {
    /** The sum of the gates that have an estimate; null if none has. A lower bound if `missing` is not empty. */
    readonly seconds: number | null;
    /** The operations in the journal that the estimate comes from, by id, the oldest first. `pulumi-tidb timeline` shows them. */
    readonly operations: readonly string[];
    /**
     * The gates without an estimate, and why. `work` says what takes the time where no step does: `the backup`. Empty if `seconds` is
     * the whole time.
     */
    readonly missing: readonly { readonly gate: string; readonly reason: string; readonly work?: string }[];
    /** The estimate of each gate with steps or such work, in their order. */
    readonly gates: readonly { readonly gate: string; readonly seconds: number | null }[];
}

/** The owner of a cluster. */
export interface PlanOwner {
    /** `<organization>/<project>/<stack>`. */
    readonly stack: string;
    /** URN of the TidbCluster in the stack. */
    readonly urn: string;
}

/** A gate's refusal. */
export interface PlanRefusal {
    /** The gate, as the end of its resource's name: `tikv-scale`. */
    readonly gate: string;
    /** The field or object, what was found, what was expected, and what to do. */
    readonly reason: string;
}

/** Why some gates have no exact plan. */
export interface PlanDeferral extends Notice {
    readonly gates: readonly string[];
}

/** One entry of a plan. */
export interface PlanEntry {
    /** The gate that carries it out, as the end of its resource's name: `tikv-rollout`. */
    readonly gate: string;
    /** The member; null for an entry that is about the whole cluster. */
    readonly component: Component | null;
    /**
     * - `step`: a step with a pod or a StatefulSet, see `step`;
     * - `undecided step`: the step is certain, but PD does not answer, and only PD's answers decide how it is taken;
     * - `task`: work that no pod notices;
     * - `reading`: what the update reads first, because the API server does not answer. It is not work;
     * - `missing`: something that the cluster lacks and the update waits for;
     * - `held`: where the update waits for what none of its steps brings about, or fails. It is not work;
     * - `note`: what a change in the program means. It is not work;
     * - `approval`: how to consent to the gate's steps, see `digest`. It is not work.
     */
    readonly type: "step" | "undecided step" | "task" | "reading" | "missing" | "held" | "note" | "approval";
    /** The entry as one line, the same as in `pulumi preview`. */
    readonly text: string;
    /** Which note it is; only for the type `note`. */
    readonly code?: NoticeCode;
    /** The step; only for the types `step` and `undecided step`. */
    readonly step?: PlanStep;
    /** What `pulumi-tidb approve` takes; only for the type `approval`. */
    readonly digest?: string;
}

/** Whether a cluster has nothing to do, has something to do, or is refused. */
export function planState({ refusals, deferred, entries }: ClusterPlan): "nothing" | "something" | "refused" {
    if (refusals.length > 0) {
        return "refused";
    }
    return deferred.length > 0 || entries.length > 0 ? "something" : "nothing";
}
