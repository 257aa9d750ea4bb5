import { claimsOf, type PodView, type Stage } from "../vocabulary/stage";

/** The record of a removal, which allows reverting it at any point. */

/** @returns the id of the store or member of the pod whose removal is on record. */
export function removalOf(view: PodView): string | undefined {
    return Object.entries(view.observation.records.removals).find(([, record]) => record.pod === view.podName)?.[0];
}

/** @returns the same, if one of the pod's volumes is on record with it: a person may have deleted pod and volumes since, and a later process is another's. */
export function removedId(view: PodView): string | undefined {
    const of = removalOf(view);
    const on = of === undefined ? undefined : view.observation.records.removals[of].onClaims;
    return on === undefined || claimsOf(view).some(({ uid }) => on.includes(uid)) ? of : undefined;
}

/** @returns the UIDs of the pod's claims, for the record of its removal. */
export function claimUids(view: PodView): string[] {
    return claimsOf(view).map(({ uid }) => uid);
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
