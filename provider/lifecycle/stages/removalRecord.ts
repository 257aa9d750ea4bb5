import { claimsReleased } from "./claims";
import type { PodView, Stage } from "../vocabulary/stage";

/** What is remembered of a removal, so that it can be taken back at any point. */

/** @returns the key of the pod's removal on record. */
export function removalOf(view: PodView): string | undefined {
    return Object.entries(view.observation.records.removals).find(([, record]) => record.pod === view.podName)?.[0];
}

/** The removal is over and need not be remembered. */
export const removalForgotten: Stage = {
    name: "removal-forgotten",
    holds: (view) => (removalOf(view) === undefined ? true : { lacks: "the removal is still on record" }),
    act: (view) => {
        const of = removalOf(view);
        return of === undefined ? undefined : { do: "forget-removal", of };
    },
    advice: "run `pulumi up` again",
};

/** What PD had let go of when its removal was taken back never runs again: its volumes are given up, to be replaced. */
export function removedMemberVolumesReleased(isRemovedFromPd: (view: PodView) => boolean): Stage {
    return {
        ...claimsReleased,
        holds: (view) => (removalOf(view) !== undefined && isRemovedFromPd(view) ? claimsReleased.holds(view) : true),
    };
}
