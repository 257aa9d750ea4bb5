import { isDeepStrictEqual } from "node:util";

/** What does not make a gate run again: words, and ways of reaching the cluster. */
const irrelevantInputs = new Set([
    "plan",
    "deferred",
    "access",
    "statusUrn",
    "paused",
    "pdTemplateRevision",
    "__provider",
]);

/** @returns whether anything but words and the way to the cluster differs. */
export function relevantInputsChanged(olds: Record<string, unknown>, news: Record<string, unknown>): boolean {
    const relevant = (values: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(values).filter(([key]) => !irrelevantInputs.has(key)));
    return !isDeepStrictEqual(relevant(olds), relevant(news));
}
