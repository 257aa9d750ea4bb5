import { type Action, foresee, secondsOf } from "../vocabulary/actions";
import type { Look } from "../vocabulary/look";
import { emptyMemory, type Memory, rememberAction, rememberWait, waitedUntil, waitKey } from "../vocabulary/memory";
import type { ActMove, Move, Problem, WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { settledLeadership, settleTime } from "../stages/trustedCounts";
import { onceUnderWay } from "./underWay";
import { later } from "./later";
import { type ReadFact, recordReads } from "./readFacts";
import { startedByKubernetes } from "./startedByKubernetes";

/** The decider of an update. */
export type Decide = (seen: Observation, memory: Memory) => Move;

/** What an update does, in order: actions, and pods that it waits for until Kubernetes has started them. `facts`: what the decision has read. */
export type ForeseenMove = { readonly facts: readonly ReadFact[] } & (
    | { readonly is: "act"; readonly move: ActMove }
    | { readonly is: "start"; readonly pod: string; readonly move: WaitMove }
);

/** How an update ends, as far as it is foreseen. */
export type ForeseenEnd =
    | { readonly is: "done" }
    /** It waits, and nothing that it does ends the wait. */
    | { readonly is: "held"; readonly at: WaitMove }
    | { readonly is: "fails"; readonly problem: Problem }
    /** More moves than are foreseen; or PD has just elected a leader, and does not know yet what the decision needs. */
    | { readonly is: "not foreseen" };

/** What an update would do from here, if nothing else happened to the cluster. */
export interface DryRun {
    readonly moves: readonly ForeseenMove[];
    readonly end: ForeseenEnd;
    /** What the last decision has read. */
    readonly facts: readonly ReadFact[];
    /** The cluster at that end. */
    readonly foreseen: Observation;
}

/**
 * So many moves are foreseen: the restarts of about 100 stores, in less than a second. Where an action has another effect than is foreseen, it
 * could be tried again without an end.
 */
const mostMoves = 500;

/**
 * Runs an update's own decider on a predicted cluster: each action has its effect at once, each wait for a time is over, each pod that
 * Kubernetes is starting starts. It yields what the decider asks for, and expects the live cluster with that.
 * @param onceBegun the cluster as the update finds it when it begins: what Pulumi and earlier gates have changed by then.
 * @returns what the update would do, and where it would end.
 */
export function* dryRun(
    decide: Decide,
    live: Observation,
    onceBegun: (live: Observation) => Observation = (seen) => seen,
): Generator<Look, DryRun, Observation> {
    const moves: ForeseenMove[] = [];
    const effects = [onceBegun];
    const ended = new Set<string>();
    let memory: Memory = emptyMemory;
    let seen = onceBegun(live);
    const happens = (effect: (before: Observation) => Observation) => {
        effects.push(effect);
        seen = effect(seen);
    };
    while (effects.length < mostMoves) {
        const reads = recordReads(seen);
        const move = decide(reads.seen, memory);
        switch (move.kind) {
            case "done":
                return { moves, end: { is: "done" }, facts: reads.facts(), foreseen: seen };
            case "fail":
                return { moves, end: { is: "fails", problem: move.problem }, facts: reads.facts(), foreseen: seen };
            case "look": {
                // What is asked shows the cluster as it is, before everything that is foreseen.
                const asked = yield move.at;
                seen = effects.reduce((before, effect) => effect(before), asked);
                continue;
            }
            case "act":
                memory = rememberAction(rememberWait(memory, move, seen.now), move, seen.now);
                moves.push({ is: "act", move, facts: reads.facts() });
                happens((before) => later(foresee(before, move.action), before.now + secondsOf(move.action) * 1_000));
                continue;
            case "wait": {
                memory = rememberWait(memory, move, seen.now);
                const over = move.goesOnAt ?? settledAt(seen);
                const key = waitKey(move.step, move.target);
                if (over !== undefined && over > seen.now) {
                    happens((before) => later(before, over));
                    memory = waitedUntil(memory, over);
                } else if (!ended.has(key) && onceUnderWay(seen, move) !== undefined) {
                    ended.add(key);
                    happens((before) => onceUnderWay(before, move) ?? before);
                } else if (startedByKubernetes(seen, move) !== undefined) {
                    moves.push({ is: "start", pod: move.target, move, facts: reads.facts() });
                    happens((before) => startedByKubernetes(before, move) ?? before);
                } else if (isSettling(live)) {
                    return { moves, end: { is: "not foreseen" }, facts: reads.facts(), foreseen: seen };
                } else {
                    return { moves, end: { is: "held", at: move }, facts: reads.facts(), foreseen: seen };
                }
            }
        }
    }
    return { moves, end: { is: "not foreseen" }, facts: [], foreseen: seen };
}

/** @returns when PD's leader will have led for long enough that its counts can be trusted. */
function settledAt(seen: Observation): number | undefined {
    const { leadership } = seen.pd;
    return leadership.known ? seen.now + settleTime(seen) - leadership.value.heldFor : undefined;
}

/** @returns whether PD's leader is so new that what PD does not know yet, or calls Disconnected, says nothing. */
function isSettling(live: Observation): boolean {
    return live.pd.leadership.known && !settledLeadership(live).known;
}

/** @returns the actions of a dry run. */
export function actionsOf({ moves }: Pick<DryRun, "moves">): Action[] {
    return moves.flatMap((one) => (one.is === "act" ? [one.move.action] : []));
}
