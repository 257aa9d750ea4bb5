import type { PodView, Stage } from "../vocabulary/stage";

/** The record of a removal, which allows reverting it at any point. */

/** @returns the id of the store or member of the pod whose removal is on record. */
export function removalOf(view: PodView): string | undefined {
    return Object.entries(view.observation.records.removals).find(([, record]) => record.pod === view.podName)?.[0];
}

/** The removal is finished and its record is deleted. */
export const removalForgotten: Stage = {
    name: "removal-forgotten",
    holds: (view) => (removalOf(view) === undefined ? true : { lacks: "the removal is still recorded" }),
    act: (view) => {
        const of = removalOf(view);
        return of === undefined ? undefined : { do: "forget-removal", of };
    },
    advice: "run `pulumi up` again",
};
