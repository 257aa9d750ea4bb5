import { notAsked } from "../vocabulary/evidence";
import {
    boundsOf,
    defaultEvictionWindow,
    entriesOf,
    type EvictionWindow,
    type LimitChanges,
    type RaisedLimit,
    type RaisedLimits,
} from "../vocabulary/leaderLimits";
import type { Look } from "../vocabulary/look";
import type { LeftBehind } from "../vocabulary/memberLifecycle";
import type { Action } from "../vocabulary/actions";
import type { Observation } from "../vocabulary/observation";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import type { GatePolicy } from "../vocabulary/target";
import { isInBatch } from "./batches/batchOnRecord";
import { evictionOf, openEvictionOf } from "./evictionRecord";
import { fewLeaders } from "../vocabulary/leaderLimits";
import { leadersOf } from "./leadersEvicted";
import { isOnlyStore, isStopped, storesOf } from "./stores";
import { timeoutWithPd } from "./trustedCounts";

/**
 * The eviction window: while a store's leaders leave and return, PD's limits of how fast leaders move are raised. It only saves
 * time, so nothing waits for it: what is not known, or refused, goes on at PD's own rate. What was there before is put back.
 */

/** What tells PD's limits. */
const lookAtLimits: Look = { parts: ["leader-limits"] };

/** From this score on PD itself calls a store slow (tikv/pd pkg/core/store.go, `slowStoreThreshold`). */
const slowScore = 80;
/** A store that was slow is well again below this score: it falls by and by, and limits must not be changed back and forth. */
const wellScore = slowScore / 2;
/** How long to try, in seconds: one repetition. */
const tryingSeconds = 6;

/** @returns the bounds of the window; undefined if it is switched off. */
export function windowOf({ evictionWindow }: Pick<GatePolicy, "evictionWindow">): EvictionWindow | undefined {
    return evictionWindow === false ? undefined : { ...defaultEvictionWindow, ...evictionWindow };
}

/** @returns whether that many leaders take PD long enough. With fewer, their return is not waited for either. */
function isWorthRaising(leaders: number): boolean {
    return leaders >= fewLeaders;
}

/**
 * Whether a TiKV store, of whichever cluster on this PD, shows signs that it is slow. At the raised limits one of three others gets 47
 * leaders a second instead of 7, unless PD itself evicts it. What that costs: a store that is busy for one heartbeat, 10 s, delays the eviction
 * of another by 9 s; one that stays slow, that of 10,000 leaders by 7 min. A store that is evicted gets none, so its own slowness does not count.
 * @param from the score that counts.
 */
function hasSlowStore(observation: Observation, from: number): boolean {
    const { evictedStores } = observation.pd;
    return (storesOf(observation, "tikv") ?? []).some(
        ({ id, slow }) =>
            (slow?.isBusy === true || (slow?.score ?? 0) >= from) &&
            !(evictedStores.known && evictedStores.value.includes(id)),
    );
}

/** @returns the action that raises what may be raised now; undefined if there is nothing. */
function raiseOf(observation: Observation, pod: string, window: EvictionWindow): Action | undefined {
    const { pd, records } = observation;
    if (!pd.leaderLimits.known) {
        return undefined;
    }
    const now = pd.leaderLimits.value;
    const ours: Partial<RaisedLimits["limits"]> = records.raisedLimits?.limits ?? {};
    const raised = entriesOf(boundsOf(window)).flatMap(([name, to]): [typeof name, number, RaisedLimit][] => {
        const [is, before] = [now[name], ours[name]];
        // Somebody switched the moving of leaders off (0), or has changed what we had set or were about to set.
        const isOthers = before !== undefined && is !== before.before && is !== before.to;
        if (is === undefined || is < 1 || is >= to || before?.isSet || isOthers) {
            return [];
        }
        return [[name, is, { before: before?.to === is ? before.before : is, to }]];
    });
    if (raised.length === 0) {
        return undefined;
    }
    const changes: LimitChanges = Object.fromEntries(raised.map(([name, from, { to }]) => [name, { from, to }]));
    const limits = { ...ours, ...Object.fromEntries(raised.map(([name, , limit]) => [name, limit])) };
    const begunAt = records.raisedLimits?.begunAt ?? observation.now;
    return { do: "raise-limits", pod, changes, record: { begunAt, pod, limits } };
}

/**
 * @param returned the stores whose leaders are back, if so.
 * @returns the action that puts back what is on record, or deletes a record that nothing is left of; undefined without a record,
 * or if PD does not say its limits.
 */
export function putBackOf(
    { pd, records: { raisedLimits } }: Observation,
    returned?: readonly number[],
): Extract<Action, { do: "put-back-limits" | "forget-limits" }> | undefined {
    if (raisedLimits === undefined || !pd.leaderLimits.known) {
        return undefined;
    }
    const now = pd.leaderLimits.value;
    const changes: LimitChanges = Object.fromEntries(
        entriesOf(raisedLimits.limits).flatMap(([name, { before, to }]) =>
            // Another value is somebody else's.
            now[name] === to && before !== to ? [[name, { from: to, to: before }]] : [],
        ),
    );
    const of = returned === undefined ? {} : { returned };
    return entriesOf(changes).length === 0 ? { do: "forget-limits", ...of } : { do: "put-back-limits", changes, ...of };
}

/** The limits are as they should be while the leaders of the view's store move: raised, unless a store is slow. */
function limitsMove(view: PodView, leaders: number | undefined): Action | undefined {
    const { observation, target, podName } = view;
    const window = windowOf(target.policy);
    if (window === undefined || hasSlowStore(observation, slowScore)) {
        return putBackOf(observation);
    }
    const isWell = !hasSlowStore(observation, wellScore);
    return isWell && isWorthRaising(leaders ?? 0) ? raiseOf(observation, podName, window) : undefined;
}

/** A stage during which the leaders of a store move. Nothing is asked if there is nothing to raise or to put back. */
function whileLeadersMove(
    leadersOfMove: (view: PodView) => number | undefined,
    of: { readonly returning?: true } = {},
): Stage {
    const moveOf = (view: PodView) => {
        const move = limitsMove(view, leadersOfMove(view));
        return move?.do === "raise-limits" ? { ...move, ...of } : move;
    };
    return {
        name: "limits-raised",
        holds: (view) => {
            const leaders = leadersOfMove(view);
            const { records, pd } = view.observation;
            const isWanted = windowOf(view.target.policy) !== undefined && isWorthRaising(leaders ?? 0);
            if (leaders === undefined || (!isWanted && records.raisedLimits === undefined)) {
                return true;
            }
            if (pd.leaderLimits === notAsked) {
                return { look: lookAtLimits };
            }
            return moveOf(view) === undefined
                ? true
                : { lacks: "PD's limits of moving leaders are not as they should be" };
        },
        act: moveOf,
        // A store that becomes slow soon after the limits were raised is another matter, with a time of its own.
        timeout: (view) => ({
            seconds: tryingSeconds,
            then: "go-on",
            ...(moveOf(view)?.do === "raise-limits"
                ? {}
                : { as: `limits-backed-off ${view.observation.records.raisedLimits?.begunAt ?? ""}` }),
        }),
        advice: "",
    };
}

/** The leaders of the store are about to leave, or leave. */
export const limitsRaisedToEvict: Stage = whileLeadersMove((view) => {
    if (isStopped(view) || isOnlyStore(view) || view.store === undefined) {
        return undefined;
    }
    const leaders = leadersOf(view);
    return openEvictionOf(view)?.leadersBefore ?? (leaders?.known ? leaders.value : undefined);
});

/** The leaders of the store return. Those of the last store return at PD's own rate, because nothing waits for them. */
export const limitsRaisedToReturn: Stage = whileLeadersMove(
    (view) => {
        const eviction = evictionOf(view);
        return eviction === undefined || eviction.limitsBack ? undefined : view.isLast ? 0 : eviction.leadersBefore;
    },
    { returning: true },
);

/** What was there before the store's leaders moved is back. */
export const limitsPutBack: Stage = {
    name: "limits-put-back",
    holds: (view) => {
        const eviction = evictionOf(view);
        const { raisedLimits } = view.observation.records;
        // A record that is kept for PD's next leader: by now the limits may be raised for another store.
        if (eviction === undefined || eviction.limitsBack || raisedLimits === undefined) {
            return true;
        }
        // Leaders of the others may still move. After the whole batch they are put back.
        if (isInBatch(view)) {
            return true;
        }
        const { leaderLimits } = view.pd;
        return leaderLimits.known
            ? { lacks: "PD's limits of moving leaders, raised for this restart, are being put back" }
            : lacksFact(leaderLimits, "PD's limits of moving leaders are", lookAtLimits);
    },
    act: (view) => putBackOf(view.observation, view.store && [view.store.id]),
    // What PD refuses now stays on record, and is put back at the end of the rollout.
    timeout: (view) => (view.pd.leaderLimits.known ? { seconds: tryingSeconds, then: "go-on" } : timeoutWithPd(view)),
    advice: "check PD's log, then run `pulumi up` again: it knows what was there before",
};

/**
 * @param returned the stores whose leaders are back, if so.
 * @returns how to put back what an earlier run, or a batch, raised and no pod's stages do.
 */
export function leftLimits(observation: Observation, returned?: readonly number[]): LeftBehind | undefined {
    if (observation.records.raisedLimits === undefined) {
        return undefined;
    }
    const { leaderLimits } = observation.pd;
    if (leaderLimits === notAsked) {
        return { look: lookAtLimits };
    }
    const action = putBackOf(observation, returned);
    return action === undefined || !leaderLimits.known
        ? {
              lacks: `what PD's raised limits of moving leaders are now is not known: ${leaderLimits.known ? "" : leaderLimits.why}`,
          }
        : { action };
}
