import { type PodView, viewsOf } from "../../vocabulary/stage";
import { isStale, podAvailable } from "../sharedStages";
import { memberBatches } from "./memberBatches";

/** Whether a pod has to restart. */
export type MustRestart = (view: PodView) => boolean;

/**
 * @param mustRestart default: it is not on the new revision.
 * @returns whether a pod must restart alone first: none has shown yet that the new template starts.
 */
export function mustTryOne(
    { observation, target }: Pick<PodView, "observation" | "target">,
    mustRestart: MustRestart = isStale,
): boolean {
    const rules = memberBatches[target.component];
    const isTried = (view: PodView) =>
        !mustRestart(view) &&
        view.pod?.terminating === false &&
        podAvailable.holds(view) === true &&
        rules?.isWell(view) === true;
    return rules?.triesOneFirst === true && !viewsOf(observation, target).some(isTried);
}
