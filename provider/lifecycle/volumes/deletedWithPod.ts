import { deletePod } from "../stages/sharedStages";
import type { ObservedClaim } from "../vocabulary/observation";
import type { PodView, Stage } from "../vocabulary/stage";
import { emptyClaims, outdatedClaims } from "./outdated";

/** Claims that are deleted with their pod, because nothing on them is needed elsewhere. The claims come first, so the next pod cannot bind them. */

/** Nothing but the pod needs the volumes, so they go with it. */
export const outdatedVolumesReplaced: Stage = deletedWithPod(
    (view) => outdatedClaims(view).map(({ claim }) => claim),
    (names, { podName }) => `${podName} still has ${names}`,
);

/** No claim waits for a volume that the program has in another class or size by now, as where the class did not exist. Nothing is on them. */
export const emptyClaimsDeleted: Stage = deletedWithPod(
    emptyClaims,
    (names) => `${names} wait for volumes that the program has otherwise by now`,
);

function deletedWithPod(
    of: (view: PodView) => readonly ObservedClaim[],
    lacks: (names: string, view: PodView) => string,
): Stage {
    return {
        name: "given-up-volumes-replaced",
        holds: (view) => {
            const names = of(view).map(({ name }) => name);
            return names.length === 0 ? true : { lacks: lacks(names.join(", "), view) };
        },
        act: (view) => {
            const kept = of(view).filter(({ terminating }) => !terminating);
            return kept.length > 0 ? { do: "delete-claims", claims: kept, outdated: true } : deletePod(view);
        },
        advice: "check the claims and the pod: a finalizer can keep them from being deleted",
    };
}
