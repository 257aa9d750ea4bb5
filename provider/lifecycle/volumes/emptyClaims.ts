import { deletePod } from "../stages/sharedStages";
import type { Stage } from "../vocabulary/stage";
import { emptyClaims } from "./outdated";

/** No claim waits for a volume that the program has in another class or size by now, as where the class did not exist. Nothing is on them. */
export const emptyClaimsDeleted: Stage = {
    name: "given-up-volumes-replaced",
    holds: (view) => {
        const names = emptyClaims(view).map(({ name }) => name);
        return names.length === 0
            ? true
            : { lacks: `${names.join(", ")} wait for volumes that the program has otherwise by now` };
    },
    act: (view) => {
        const kept = emptyClaims(view).filter(({ terminating }) => !terminating);
        return kept.length > 0 ? { do: "delete-claims", claims: kept, outdated: true } : deletePod(view);
    },
    advice: "check the claims and the pod: a finalizer can keep them from being deleted",
};
