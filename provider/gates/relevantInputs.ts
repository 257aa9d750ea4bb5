import { isDeepStrictEqual } from "node:util";

/** Inputs whose change does not make a gate run again: texts, how to reach the cluster, and what only `check` reads. */
const irrelevantInputs = new Set([
    "plan",
    "planNumber",
    "deferred",
    "access",
    "statusUrn",
    "paused",
    "pdTemplateRevision",
    "pdSettings",
    "isNamedOnline",
    "configUpdateStrategy",
    "tag",
    "prerequisites",
    "wantedSpread",
    "approval",
    // How long and how many at once: it matters only with a step. What the controller needs of it is in `unattended`.
    "policy",
    // It matters only once a pod is dead, and then the plan has a step.
    "failover",
    "failovers",
    "lostNodes",
    "wantedTemplate",
    "wantedTemplates",
    // It matters only for stores that get new volumes, and then the plan has steps.
    "labels",
    // The plan has a step for each.
    "replaces",
    "renews",
    "moves",
    // It matters only while a node is being emptied, and then the plan has a step.
    "drain",
    // It matters only while a disk is full, and then the plan has a step.
    "growth",
    "__provider",
]);

/** @returns whether any other input differs. */
export function relevantInputsChanged(olds: Record<string, unknown>, news: Record<string, unknown>): boolean {
    const relevant = (values: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(values).filter(([key]) => !irrelevantInputs.has(key)));
    return !isDeepStrictEqual(relevant(olds), relevant(news));
}
