import { type PlanItem, whereOfHold } from "../provider/lifecycle/walks/describePlan";
import type { PlanStep } from "../provider/lifecycle/walks/planStep";
import { stepNumbers, summaryOf } from "../provider/lifecycle/walks/planReport";
import type { SummedEstimate } from "../provider/lifecycle/estimates/sumOfGates";
import type { ClusterPlan, PlanEntry, PlanEstimate } from "./clusterPlan";
import { leaseName } from "../topology/names";
import type { NoticeCode } from "../provider/lifecycle/vocabulary/notices";

/** What both the text and the Markdown of a plan say. */

/** What the plan does not contain. */
export const beyondThePlan =
    "This is the gates' plan. `pulumi preview` also shows which Kubernetes objects are created, changed or deleted.";

/** Returns the plan's summary in the words of `pulumi preview`: `8 steps, about 12 min: restart 3 TiKV …; risk in step 2`. */
export function headline({ refusals, deferred, entries, risks, estimate, isPaused }: ClusterPlan): string {
    if (refusals.length > 0) {
        return `refused (${refusals.length} ${refusals.length === 1 ? "reason" : "reasons"}); nothing will be done`;
    }
    const time = estimate === null ? undefined : summed(estimate, entries);
    const summary = summaryOf(entries.map(planItem), deferred.length > 0, risks, time);
    const parts = [
        ...summary,
        ...(deferred.length > 0 ? ["no exact plan"] : []),
        ...(summary.length === 0 && entries.length > 0 ? ["no step, but see the notes"] : []),
    ];
    const nothing = isPaused ? "nothing is done while it is paused" : "nothing to do";
    return parts.length === 0 ? nothing : parts.join("; ");
}

function summed({ seconds, operations, missing, gates }: PlanEstimate, entries: readonly PlanEntry[]): SummedEstimate {
    const bare = gates.filter((one) => !entries.some(({ gate, type }) => gate === one.gate && type === "step"));
    return {
        seconds: seconds ?? undefined,
        bareSeconds: bare.reduce((sum, one) => sum + (one.seconds ?? 0), 0),
        operations,
        missing: missing.map(({ gate, reason, ...work }) => ({ of: gate, why: reason, ...work })),
    };
}

/** Returns the number of each entry, as in `pulumi preview`; `undefined` for an entry that is not a step. */
export function entryNumbers(entries: readonly PlanEntry[]): (number | undefined)[] {
    return stepNumbers(entries.map(({ type }) => ({ is: type })));
}

function planItem({ type, text, code, step, digest }: PlanEntry): PlanItem {
    switch (type) {
        case "step":
        case "undecided step":
            return { is: type, step: step as PlanStep };
        case "task":
        case "reading":
        case "missing":
            return { is: type, words: text };
        case "held":
            return { is: type, where: whereOfHold(text), words: text };
        case "note":
            return { is: type, code: code as NoticeCode, words: text, isWarning: false };
        case "approval":
            return { is: type, words: text, digest: digest as string };
    }
}

/** Returns which Kubernetes cluster was read, as a sentence without a period. */
export function readFrom({ kubernetes: { context, server } }: ClusterPlan): string {
    return `read with the context \`${context}\` from \`${server}\``;
}

/** Returns who owns the cluster, as a sentence without a period; `undefined` if it is not deployed. */
export function ownership({ isDeployed, owner }: ClusterPlan): string | undefined {
    if (!isDeployed) {
        return undefined;
    }
    return owner === null
        ? "no stack is recorded as the owner"
        : `stack ${owner.stack} owns it; \`pulumi up\` of another stack is refused`;
}

/** Returns what a first deployment does not show: a renamed cluster looks like a new one. */
export function firstDeploymentNote(namespace: string, name: string): string {
    return `Kubernetes has no Lease ${namespace}/${leaseName(name)}. If the cluster is deployed under another name or namespace, \`pulumi up\` refuses the rename`;
}
