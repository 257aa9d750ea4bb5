import { deletePod } from "../stages/sharedStages";
import { claimsOf, type PodView, type Stage } from "../vocabulary/stage";
import { growsAtStart, mustStartForVolume } from "./sizedClaims";

/** The volumes whose file system only a new pod enlarges: `FileSystemResizePending`. */

function waiting(view: PodView): string {
    return claimsOf(view)
        .filter((claim) => growsAtStart(claim))
        .map(({ name, state }) => `${name} has ${state?.capacity} of ${state?.requested}`)
        .join(", ");
}

/** The pod was deleted, so the next one finds a larger file system. */
export const startedForVolume: Stage = {
    name: "pod-restarted",
    holds: (view) => (mustStartForVolume(view) ? { lacks: `${waiting(view)}, until the pod starts again` } : true),
    act: deletePod,
    advice: "check the pod, and who may delete pods in this namespace (a PodDisruptionBudget does not apply here)",
};

/** The node has enlarged the file systems for the new pod. */
export const fileSystemGrown: Stage = {
    name: "volume-grown",
    holds: (view) => {
        const lacks = waiting(view);
        return lacks === "" ? true : { lacks: `${lacks}, although the pod has started again` };
    },
    endedBy: () => "kubernetes",
    advice: "check the events of the claim and of the pod: the node's driver says why it did not enlarge the file system",
};
