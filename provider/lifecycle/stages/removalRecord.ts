import { claimsReleased } from "./claims";
import type { PodView, Stage } from "../vocabulary/stage";

/** The record of a removal, which allows reverting it at any point. */

/** @returns the key of the pod's removal record. */
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

/** A member that PD had already dropped when its removal was reverted never runs again. Its volumes are released and replaced. */
export function removedMemberVolumesReleased(isRemovedFromPd: (view: PodView) => boolean): Stage {
    return {
        ...claimsReleased,
        holds: (view) => (removalOf(view) !== undefined && isRemovedFromPd(view) ? claimsReleased.holds(view) : true),
    };
}
