import type { Component } from "../../../topology/members";
import type { StepKind } from "../vocabulary/actions";

/** A step of a plan, as data. `describePlan` gives the text for `pulumi preview`. */
export interface PlanStep {
    kind: StepKind;
    /** The member that it concerns. */
    component: Component;
    /** The pod, or the StatefulSet, or stores. */
    target: string;
    why: string;
    does: string[];
    /** What is waited for at its end. Default: nothing that what it does does not say. */
    waitsFor?: string;
    /** A rule of thumb. 0 for a pod of a batch whose first pod has the time of all. */
    estimateSeconds: number;
    /** How much of this passes by rules that are no rates of the cluster, such as PD's own. Default: nothing. */
    waitSeconds?: number;
    /** Whether nobody knows how long it takes, because something outside the update must come right. Default: no. */
    isOpenEnded?: true;
    /** How long it takes by the records of the cluster; as above, of a batch the first pod has it. Default: that is not known. */
    expectedSeconds?: number;
    /** The pod with which it goes on side by side, and whose time is that of both. Default: none. */
    beside?: string;
    risk?: string;
    /** If it goes on side by side with others: the risk that it would have alone, which is never more. */
    alone?: { readonly risk?: string };
}

/** What a line says that a step does, where the name of its kind is none of the field's words. */
const inWords: Partial<Record<string, string>> = {
    "empty-volume": "empty the volumes of",
    grow: "grow the volumes of",
    modify: "modify the volumes of",
    renew: "replace the volumes of",
    spare: "add a spare to",
    recreate: "recreate StatefulSet",
    "take-back": "take back the removal of",
    "clean-up": "clean up",
    "give-up": "give up the volumes of",
} satisfies Partial<Record<PlanStep["kind"], string>>;

/** @returns what the step does with which target: `restart basic-tikv-2`. */
export function stepInWords({ kind, target }: { readonly kind: string; readonly target: string }): string {
    return `${inWords[kind] ?? kind} ${target}`;
}

/** @returns the pods that the steps stop, in their order. */
export function stopsOf(steps: readonly Pick<PlanStep, "kind" | "target">[]): string[] {
    return steps.filter(({ kind }) => kind === "restart" || kind === "move").map((step) => step.target);
}
