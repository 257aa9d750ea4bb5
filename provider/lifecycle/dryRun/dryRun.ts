import { type Action, foresee, secondsOf } from "../vocabulary/actions";
import {
    emptyMemory,
    type Memory,
    rememberAction,
    rememberWait,
    waitedUntil,
    waitKey,
    withoutOldWaits,
} from "../vocabulary/memory";
import type { ActMove, Move, Problem, WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { settledLeadership, settleTime } from "../stages/trustedCounts";
import type { Asking } from "./asking";
import { onceUnderWay } from "./underWay";
import { later } from "./later";
import { type ReadFact, readsOf } from "./readFacts";
import { mayBecomeReady, othersStarted, startedByKubernetes } from "./startedByKubernetes";

/** The decider of an update. */
export type Decide = (seen: Observation, memory: Memory) => Move;

/**
 * What an update does, in order: actions, pods that it waits for until Kubernetes has started them, and other waits, which end with time or with
 * work that is under way. `seen`: the predicted cluster that it is decided from; `reads`: what the decision reads of it; `seconds`: how long it takes.
 */
export type ForeseenMove = {
    readonly seen: Observation;
    readonly reads: () => readonly ReadFact[];
    readonly seconds: number;
} & ({ readonly is: "act"; readonly move: ActMove } | { readonly is: "start" | "wait"; readonly move: WaitMove });

/** How an update ends, as far as it is foreseen. */
export type ForeseenEnd =
    | { readonly is: "done" }
    /** It waits, and nothing that it does ends the wait. */
    | { readonly is: "held"; readonly at: WaitMove }
    | { readonly is: "fails"; readonly problem: Problem }
    /** More moves than are foreseen; a wait that may end without any step; or PD has just elected a leader, and does not know yet what the decision needs. */
    | { readonly is: "not foreseen"; readonly at?: WaitMove };

/** What an update would do from here, if nothing else happened to the cluster. */
export interface DryRun {
    readonly moves: readonly ForeseenMove[];
    readonly end: ForeseenEnd;
    /** What the last decision reads. */
    readonly reads: () => readonly ReadFact[];
    /** The cluster as it was last read. */
    readonly live: Observation;
    /** @returns the cluster at that end, as it is foreseen from a reading of the live one. */
    readonly foreseen: (live: Observation) => Observation;
}

/** A dry run that was not made. */
export const notRun = (live: Observation): DryRun => ({
    moves: [],
    end: { is: "not foreseen" },
    reads: () => [],
    live,
    foreseen: (seen) => seen,
});

/** A dry run that yields what the decider asks for. It expects the live cluster with that; undefined ends it there. */
export type DryRunning = Asking<DryRun>;

/**
 * So many moves are foreseen, in about a second of CPU: each decision looks at each pod. With PD's limits raised for each, they are the restarts
 * of 350 stores, or of 120 of 1,000.
 * Where an action has another effect than is foreseen, it could be tried again without an end.
 */
function mostMoves({ members }: Observation): number {
    const pods = Object.values(members).reduce((sum, member) => sum + member.pods.length, 0);
    return Math.max(500, Math.min(10 * pods, 1_000_000 / pods));
}

/**
 * Runs an update's own decider on a predicted cluster: each action has its effect at once, each wait for a time is over, each pod that
 * Kubernetes is starting starts.
 * @param onceBegun the cluster as the update finds it when it begins: what Pulumi and earlier gates have changed by then.
 * @returns what the update would do, and where it would end.
 */
export function* dryRun(
    decide: Decide,
    first: Observation,
    onceBegun: (live: Observation) => Observation = (seen) => seen,
): DryRunning {
    const moves: ForeseenMove[] = [];
    const effects = [onceBegun];
    const ended = new Set<string>();
    const foreseen = (from: Observation) => effects.reduce((before, effect) => effect(before), from);
    let live = first;
    let memory: Memory = emptyMemory;
    let seen = onceBegun(live);
    const happens = (move: ForeseenMove, effect: (before: Observation) => Observation) => {
        moves.push(move);
        effects.push(effect);
        seen = effect(seen);
    };
    const most = mostMoves(first);
    while (effects.length < most) {
        const move = decide(seen, memory);
        const decided = { seen, memory, readAt: live.now };
        const reads = () => readsOf(decide, decided.seen, decided.memory, decided.readAt);
        const endsWith = (end: ForeseenEnd): DryRun => ({ moves, end, reads, live, foreseen });
        switch (move.kind) {
            case "done":
                return endsWith({ is: "done" });
            case "fail":
                return endsWith({ is: "fails", problem: move.problem });
            case "look": {
                // What is asked shows the cluster as it is, before everything that is foreseen.
                const asked = yield move.at;
                if (asked === undefined) {
                    return endsWith({ is: "not foreseen" });
                }
                live = asked;
                seen = foreseen(asked);
                continue;
            }
            case "act": {
                memory = rememberAction(
                    rememberWait(withoutOldWaits(memory, seen.now), move, seen.now),
                    move,
                    seen.now,
                );
                const seconds = secondsOf(move.action, seen);
                happens({ is: "act", move, seen, reads, seconds }, (before) =>
                    later(foresee(before, move.action), before.now + seconds * 1_000),
                );
                continue;
            }
            case "wait": {
                memory = rememberWait(memory, move, seen.now);
                const waits = { move, seen, reads };
                const over = move.goesOnAt ?? settledAt(seen, move);
                const key = waitKey(move.step, move.target);
                const endsIn = (at: Observation, then: Memory) => !isSameWait(decide(at, then), move);
                if (!ended.has(key) && onceUnderWay(seen, move) !== undefined) {
                    ended.add(key);
                    happens({ is: "wait", ...waits, seconds: 0 }, (before) => onceUnderWay(before, move) ?? before);
                } else if (startedByKubernetes(seen, move) !== undefined) {
                    happens({ is: "start", ...waits, seconds: startSeconds }, (before) =>
                        later(startedByKubernetes(before, move) ?? before, before.now + startSeconds * 1_000),
                    );
                } else if (
                    over !== undefined &&
                    over > seen.now &&
                    endsIn(later(seen, over), waitedUntil(memory, over))
                ) {
                    const seconds = (over - seen.now) / 1_000;
                    happens({ is: "wait", ...waits, seconds }, (before) => later(before, over));
                    memory = waitedUntil(memory, over);
                } else if (othersStarted(seen) !== undefined) {
                    happens({ is: "wait", ...waits, seconds: startSeconds }, (before) =>
                        later(othersStarted(before) ?? before, before.now + startSeconds * 1_000),
                    );
                } else if (isSettling(live) || move.heals === true || mayBecomeReady(seen, move)) {
                    return endsWith({ is: "not foreseen", at: move });
                } else if (!hasSchedulers(seen) && endsIn(ledAsNow(seen, live), memory)) {
                    return endsWith({ is: "not foreseen", at: move });
                } else {
                    return endsWith({ is: "held", at: move });
                }
            }
        }
    }
    return { moves, end: { is: "not foreseen" }, reads: () => [], live, foreseen };
}

/** How long a pod takes to start, by a rule of thumb. */
export const startSeconds = 30;

/** @returns whether it is the same wait: one for PD to settle is of all that PD must know, and others go on. */
function isSameWait(next: Move, wait: WaitMove): boolean {
    return next.kind === "wait" && next.step === wait.step && next.target === wait.target;
}

function hasSchedulers({ pd: { leadership } }: Observation): boolean {
    return !leadership.known || leadership.value.hasSchedulers;
}

/** @returns the cluster as if PD's leader of now were its leader then. */
function ledAsNow(seen: Observation, { pd: { leadership, evictedStores } }: Observation): Observation {
    return { ...seen, pd: { ...seen.pd, leadership, evictedStores } };
}

/** @returns when PD's leader will have led for long enough that its counts can be trusted; undefined if the wait fails before that. */
function settledAt(seen: Observation, { until = Infinity }: WaitMove): number | undefined {
    const { leadership } = seen.pd;
    const at = leadership.known ? seen.now + settleTime(seen) - leadership.value.heldFor : Infinity;
    return at < until ? at : undefined;
}

/** @returns whether PD's leader is so new that what PD does not know yet, or calls Disconnected, says nothing. */
function isSettling(live: Observation): boolean {
    return live.pd.leadership.known && !settledLeadership(live).known;
}

/** @returns the actions of a dry run. */
export function actionsOf({ moves }: Pick<DryRun, "moves">): Action[] {
    return moves.flatMap((one) => (one.is === "act" ? [one.move.action] : []));
}
