import { describeMissing, type Lack } from "./describeMissing";
import type { Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { notePd } from "../stages/pdIdentity";
import { nextRolloutMove } from "./rollout";
import { nextLabelMove } from "../storeLabels/setLabels";
import { nextReclaimMove } from "../volumes/reclaimPolicy";
import type { MemberTarget } from "../vocabulary/target";

/** @returns the next move until the whole cluster is as specified, one member at a time; last, PD knows where its stores are, and volumes have their reclaim policy. */
export function nextReadyMove(observation: Observation, targets: readonly MemberTarget[], memory: Memory): Move {
    for (const target of targets) {
        const move = nextRolloutMove(observation, target, memory);
        if (move.kind !== "done") {
            return move;
        }
    }
    const last = notePd(observation) ?? nextLabelMove(observation, targets, memory);
    if (last.kind !== "done") {
        return last;
    }
    const reclaim = nextReclaimMove(observation, targets, memory);
    return reclaim.kind === "done" && last.remarks
        ? { kind: "done", remarks: [...last.remarks, ...(reclaim.remarks ?? [])] }
        : reclaim;
}

/** @returns what the cluster lacks; empty if it is as specified. */
export function planReady(observation: Observation, targets: readonly MemberTarget[]): Lack[] {
    return targets.flatMap((target) => describeMissing(observation, target));
}
