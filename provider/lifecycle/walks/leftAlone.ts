import { isReplaced, lacksNode } from "../failover/records";
import { isStale } from "../stages/sharedStages";
import { isStopped } from "../stages/stores";
import type { PodView } from "../vocabulary/stage";

/**
 * Whether a roll-out neither restarts a pod nor waits for it, because of a failover: it is dead and replaced, or it is a replacement
 * that no node takes. A replaced pod whose process has ended on an old template is restarted all the same: the new template
 * may be what brings it back, and nothing runs in it.
 * @param mustRestart whether a pod has to restart. Default: it is not on the new revision.
 */
export function isLeftAlone(view: PodView, mustRestart: (view: PodView) => boolean = isStale): boolean {
    const mayBeMended = mustRestart(view) && isStopped(view) && view.pod?.terminating === false;
    return (isReplaced(view) && !mayBeMended) || lacksNode(view);
}
