import { claimsOf, type PodView, viewOf } from "../../vocabulary/stage";
import { sideBySide } from "../../vocabulary/target";
import { isStale } from "../sharedStages";
import { isStopped } from "../stores";
import type { BatchChoice } from "./memberBatch";
import { memberBatches } from "./memberBatches";
import { type MustRestart, mustTryOne } from "./mustTryOne";
import { startsInOrder } from "./startsInOrder";

/** Which pods restart side by side: what all members share. */

/**
 * @param mustRestart default: it is not on the new revision.
 * @returns whether the pod can restart in a batch: it serves, and nothing was begun with it.
 */
function canBeInBatch(view: PodView, mustRestart: MustRestart = isStale): boolean {
    const { pod, target, podName } = view;
    const rules = memberBatches[target.component];
    const serves = pod?.ready === true && !pod.terminating && !isStopped(view) && rules?.isWell(view) === true;
    const losesVolume = claimsOf(view).some(({ terminating }) => terminating);
    // A pod that must leave its node has conditions of its own.
    const leaves = target.moves?.[podName] !== undefined || (pod?.drain?.known === true && pod.drain.value.isDrained);
    return serves && mustRestart(view) && !leaves && !losesVolume && rules.canJoin?.(view) !== false;
}

/**
 * @returns the batch that begins with this pod, in the order of a rollout. None while one of another member is on record: there is one
 * record, and that batch needs it as long as its pods may be down.
 */
export function batchBeginningWith(view: PodView): BatchChoice {
    const { observation, target, ordinal } = view;
    if (sideBySide(target) === 1 || !canBeInBatch(view) || mustTryOne(view)) {
        return undefined;
    }
    const below = Array.from({ length: ordinal }, (_, index) => viewOf(observation, target, ordinal - 1 - index));
    const choice = chooseBatch([view, ...below.filter((one) => canBeInBatch(one))]);
    const { batch } = observation.records;
    const isTaken = choice !== undefined && "stores" in choice && batch !== undefined;
    return isTaken ? { why: `a batch of ${batch.component} is on record` } : choice;
}

/** @param candidates the pods that can be in it. The first one is, and those before others are preferred. */
function chooseBatch(candidates: readonly PodView[]): BatchChoice {
    const [first] = candidates;
    if (candidates.length < 2) {
        return undefined;
    }
    return startsInOrder(first) ?? memberBatches[first.target.component]?.choose(candidates);
}
