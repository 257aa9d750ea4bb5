import type { ApprovalMode } from "../vocabulary/approvals";
import type { Action } from "../vocabulary/actions";
import type { PlanStep } from "../walks/planStep";

/** What a person consents to: a gate's plan without what changes by itself, such as numbers of leaders and estimated times. */
export interface ApprovalPlan {
    readonly mode: ApprovalMode;
    readonly namespace: string;
    readonly cluster: string;
    readonly leaseUid: string;
    /** The operation: `roll out basic-tikv`. */
    readonly of: string;
    /** What the steps lead to. */
    readonly templateRevision?: string;
    /**
     * The revision that the StatefulSet's controller gave the template. `templateRevision` is an annotation of this package,
     * which stays if somebody edits the template in place.
     */
    readonly updateRevision?: string;
    /** The same, if it has changed since the run began: nobody has seen the edited template in a preview. */
    readonly editedTo?: string;
    /** Why nobody can tell whether the template was edited, so that no consent counts, and what to do. Default: that is known. */
    readonly firstProblem?: string;
    readonly version?: string;
    readonly replicas: number;
    /** In the order in which they are taken. Empty if nothing needs consent. */
    readonly steps: readonly ApprovalStep[];
    /** Targets of steps that were consented to and begun: a run may always finish them. */
    readonly begun: readonly string[];
}

/** One step that needs consent. */
export interface ApprovalStep {
    readonly kind: PlanStep["kind"] | Action["do"];
    /** The pod, or the StatefulSet. */
    readonly target: string;
    /** The risk that the plan names: another one was not consented to. Default: none. */
    readonly risk?: string;
    /** If it goes on side by side with others: its risk alone. Who consents to a batch consents to its stores one by one. */
    readonly alone?: PlanStep["alone"];
    /**
     * Whether nothing is done before it: the StatefulSet's new number of replicas takes such pods away together, so a person consents to
     * all of them that follow each other. Default: it is taken by itself.
     */
    readonly together?: true;
    /** The uid of what is taken away for good: a later one of the same name is not meant. Default: nothing is. */
    readonly uid?: string;
}
