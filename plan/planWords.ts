import type { ClusterPlan } from "./clusterPlan";
import { leaseName } from "../topology/names";

/** What both the text and the Markdown of a plan say. */

/** What the plan does not contain. */
export const beyondThePlan =
    "This is the plan of the gates. Which Kubernetes objects are created, changed or deleted is shown by `pulumi preview`.";

/** Returns the plan's size: `8 steps, at least 12 min, 1 risk`. */
export function headline({ refusals, deferred, entries, estimateSeconds }: ClusterPlan): string {
    const work = entries.filter(({ type }) => type !== "note");
    const risks = entries.filter(({ step }) => step?.risk !== undefined).length;
    const isExact = entries.every(({ type }) => type === "step" || type === "note");
    const parts = [
        ...(refusals.length > 0 ? [`refused (${counted(refusals.length, "reason")})`] : []),
        ...(deferred.length > 0 ? ["no exact plan"] : []),
        ...(work.length > 0
            ? [counted(work.length, "step"), `${isExact ? "about" : "at least"} ${spoken(estimateSeconds)}`]
            : []),
        ...(work.length === 0 && entries.length > 0 ? ["no step, but see the notes"] : []),
        ...(risks > 0 ? [counted(risks, "risk")] : []),
    ];
    return parts.length === 0 ? "nothing to do" : parts.join(", ");
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
export function firstDeploymentNote({ isDeployed, name, namespace }: ClusterPlan): string | undefined {
    return isDeployed
        ? undefined
        : `Kubernetes has no Lease ${namespace}/${leaseName(name)}. If the cluster is deployed under another name or namespace, \`pulumi up\` refuses the rename`;
}

/** Returns a time as people say it. */
export function spoken(seconds: number): string {
    if (seconds < 120) {
        return `${seconds} s`;
    }
    const minutes = Math.round(seconds / 60);
    return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function counted(count: number, what: string): string {
    return `${count} ${count === 1 ? what : `${what}s`}`;
}
