import { isLeftAlone } from "./leftAlone";
import { memberLifecycles } from "../members/memberLifecycles";
import { batchProofNow } from "../stages/batches/batchMates";
import { batchOnRecord, forgetBatch, idsOf, isInBatch } from "../stages/batches/batchOnRecord";
import { memberBatches } from "../stages/batches/memberBatches";
import { leadersEvicted } from "../stages/leadersEvicted";
import { isStale, podAvailable, podCreated, podRestarted, podStopped } from "../stages/sharedStages";
import { isStopped } from "../stages/stores";
import type { Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { firstUnfinished, type PodView, type Stage, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { cleanUp } from "./cleanUp";
import { mostUrgent } from "./mostUrgent";

/**
 * Returns the next move of the batch that is on record, whichever run began it. Its pods are prepared side by side. Once all are ready
 * to restart, they restart one right after the other, and then all come back side by side. As long as the batch is not proven, or one
 * that restarted does not come back, no pod restarts beside another one: those that did come back, and then the walk goes on with one at
 * a time.
 * @param stagesOf the stages of a pod that is still to restart, the restart last.
 * @param isLast whether no pod is still to restart, in the batch or after it.
 */
export function nextBatchMove(
    observation: Observation,
    target: MemberTarget,
    memory: Memory,
    stagesOf: (view: PodView) => readonly Stage[],
    isLast: boolean,
): Move | undefined {
    const batch = batchOnRecord({ observation, target });
    if (batch === undefined) {
        return undefined;
    }
    const ordinals = Array.from({ length: target.replicas }, (_, index) => target.replicas - 1 - index);
    const views = ordinals
        .map((ordinal) => viewOf(observation, target, ordinal, isLast))
        .filter((view) => isInBatch(view) && !isLeftAlone(view));
    const isBefore = (view: PodView) => isStale(view) && view.pod?.terminating !== true;
    const stale = views.filter(isBefore);
    const proof = stale.length === 0 ? undefined : batchProofNow({ observation, target });
    if (proof !== undefined && "look" in proof) {
        return { kind: "look", at: proof.look };
    }
    const { afterRestart } = memberLifecycles[target.component];
    const back = [podCreated, podStopped, podAvailable, ...afterRestart];
    const restarted = views.filter((view) => !isBefore(view));
    const backMoves = movesOf(restarted, () => back, memory);
    const mayRestart = proof !== undefined && "proof" in proof && !restarted.some(startsBadly);
    const moves = [...(mayRestart ? restarts(stale, stagesOf, memory, backMoves) : []), ...backMoves];
    const move = mostUrgent(together(moves));
    if (move?.kind === "wait" || move?.kind === "act") {
        const passed = [...new Set([...(move.passed ?? []), ...overdue(stale, stagesOf, memory)])];
        const over = passed.length === 0 ? {} : { passed };
        return { ...move, ...over };
    }
    if (move !== undefined || stale.length > 0) {
        return move;
    }
    const ids = idsOf(batch.stores);
    const step = { step: "batch-over", target: Object.keys(batch.stores)[0] };
    return (
        cleanUp(memberLifecycles[target.component].afterBatch?.(observation, ids), observation, target, memory) ?? {
            kind: "act",
            action: forgetBatch(batch),
            ...step,
        }
    );
}

/** How long a restarted pod may take until it is well, and the others of its batch restart meanwhile. */
const soonMilliseconds = 60_000;

/** @returns whether the pod has started from the new template and is not well, so it is no use to let the template take down another one. */
function startsBadly(view: PodView): boolean {
    const { pod, target, observation } = view;
    const isWell = pod?.ready === true && memberBatches[target.component]?.isWell(view) === true;
    // By the run's own clock: that of the API server may be hours off.
    const isLate = pod !== undefined && observation.now - (pod.seenSince ?? -Infinity) > soonMilliseconds;
    return !isWell && !isStale(view) && (isLate || pod?.trouble !== undefined);
}

/**
 * None restarts before all can: a store that waits without leaders for the others costs little, and one that is down does. Those whose
 * processes do not run are restarted at once. A store whose leaders have not left in the user's time restarts alone, once all others of
 * the batch are back: regions cannot be used until it is, and meanwhile PD may move more of its leaders.
 * @param back the moves of those that have restarted and are not back yet.
 */
function restarts(
    stale: readonly PodView[],
    stagesOf: (view: PodView) => readonly Stage[],
    memory: Memory,
    back: readonly Move[],
): Move[] {
    const idle = movesOf(stale.filter(isStopped), stagesOf, memory);
    const before = movesOf(stale, (view) => stagesOf(view).filter((stage) => stage !== podRestarted), memory);
    if (before.length > 0) {
        return [...idle, ...before];
    }
    const late = stale.filter((view) => stagesOf(view).includes(leadersEvicted) && leadersEvicted.holds(view) !== true);
    const ready = stale.filter((view) => !late.includes(view));
    const alone = back.length === 0 && ready.length === 0 ? late.slice(0, 1) : [];
    return [...idle, ...movesOf([...ready, ...alone], stagesOf, memory)];
}

/** @returns the keys of waits whose time is over, which stays over while the other stores of the batch are waited for. */
function overdue(stale: readonly PodView[], stagesOf: (view: PodView) => readonly Stage[], memory: Memory): string[] {
    return movesOf(stale, stagesOf, memory).flatMap((move) => ("passed" in move ? (move.passed ?? []) : []));
}

function movesOf(views: readonly PodView[], stagesOf: (view: PodView) => readonly Stage[], memory: Memory): Move[] {
    return views.flatMap((view) => firstUnfinished(stagesOf(view), view, memory) ?? []);
}

/** All stores that must be asked for their leaders are asked at once. */
function together(moves: readonly Move[]): Move[] {
    const asked = moves.flatMap((move) =>
        move.kind === "look" && "ownLeadersOf" in move.at ? [move.at.ownLeadersOf] : [],
    );
    const others = moves.filter((move) => !(move.kind === "look" && "ownLeadersOf" in move.at));
    return asked.length === 0 ? [...moves] : [{ kind: "look", at: { ownLeadersOfAll: asked } }, ...others];
}
