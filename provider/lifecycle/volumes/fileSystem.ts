import { deletePod } from "../stages/sharedStages";
import type { ObservedClaim } from "../vocabulary/observation";
import type { PodView, Stage } from "../vocabulary/stage";
import { lackedVolumes } from "../stages/podVolumes";
import { mustStartForVolume, waitingFileSystems } from "./sizedClaims";

/** The volumes that have grown, and whose file systems have not yet: `FileSystemResizePending`. Some drivers enlarge them only for a new pod. */

/** @returns whether the pod must start again for its volumes: to get one, or for one to grow. */
export function startsForVolume(view: PodView): boolean {
    return lackedVolumes(view).length > 0 || mustStartForVolume(view);
}

/** The pod was deleted, so the next one has all volumes, and finds a larger file system. */
export const startedForVolume: Stage = {
    name: "pod-restarted",
    holds: (view) => {
        const lacks = lackedVolumes(view).map(({ name }) => `${view.podName} has no volume ${name}`);
        const small = mustStartForVolume(view) ? [sizes(waitingFileSystems(view))] : [];
        const all = [...lacks, ...small];
        return all.length === 0 ? true : { lacks: `${all.join(", ")}, until the pod starts again` };
    },
    act: deletePod,
    advice: "check the pod, and who may delete pods in this namespace (a PodDisruptionBudget does not apply here)",
};

/** The node has enlarged the file systems. If it does not, the pod must start again, or has done so in vain. */
export const fileSystemGrown: Stage = {
    name: "volume-grown",
    holds: (view) => {
        const waiting = waitingFileSystems(view);
        return waiting.length === 0 ? true : { lacks: `${sizes(waiting)}: the node enlarges the file system` };
    },
    endedBy: () => "kubernetes",
    advice: "check the events of the claim and of the pod: the node's driver says why it did not enlarge the file system",
};

/** @returns the sizes of such volumes, as the reason of a step; undefined if the pod has none. */
export function fileSystemsInWords(view: PodView): string | undefined {
    return waitingFileSystems(view).map(sizeOf).join(", ") || undefined;
}

const sizeOf = ({ state }: ObservedClaim) => `${state?.capacity} to ${state?.requested}`;

function sizes(claims: readonly ObservedClaim[]): string {
    return claims.map(({ name, state }) => `${name} has ${state?.capacity} of ${state?.requested}`).join(", ");
}
