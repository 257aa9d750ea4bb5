import { notAsked } from "../vocabulary/evidence";
import { batchOnRecord, idsOf, isInBatch, sharesRate } from "./batches/batchOnRecord";
import { batchDecided } from "./batches/batchDecided";
import { noBackupBeforeRestart } from "./runningBackups";
import { endOf, lookAtEvictions } from "./endOfEviction";
import { endedEviction, evictedByPd, evictionOf, isEvicted } from "./evictionRecord";
import { fewLeaders } from "../vocabulary/leaderLimits";
import { limitsPutBack, limitsRaisedToEvict, limitsRaisedToReturn } from "./leaderLimits";
import { endedByLeaders, leadersCanMove, leadersEvicted, leadersOf } from "./leadersEvicted";
import { leaderToTakeOver } from "./pdLeader";
import { majoritiesStay, majoritiesStayBeforeEviction } from "./regionMajorities";
import { settledLeadership, timeoutWithPd } from "./trustedCounts";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { storesListed } from "./storeList";
import { lacksOwnEvictions, noEvictionByPd, noForeignEviction, otherStoresUp, storeUp } from "./storeRestart";
import type { Look } from "../vocabulary/look";

/** How a TiKV pod is restarted. Facts from tidb-operator pkg/manager/member/tikv_upgrader.go. */

/** Our eviction of the store has ended. Someone else's eviction is left alone. */
const evictionEnded: Stage = {
    name: "eviction-ended",
    holds: (view) => {
        const record = evictionOf(view);
        if (!record || record.endedAt !== undefined) {
            return true;
        }
        const { evictedStores } = view.pd;
        // A PD that has not loaded its schedulers acknowledges the end but brings the eviction back later.
        return evictedStores.known
            ? { lacks: `store ${view.store?.id} (${view.podName}) is still under eviction` }
            : lacksFact(evictedStores, "stores under eviction are");
    },
    act: (view) =>
        view.store && view.pd.evictedStores.known ? endOf(view.observation, view.store.id, view.podName) : undefined,
    timeout: timeoutWithPd,
    advice: "remove the scheduler by hand: pd-ctl scheduler remove evict-leader-scheduler-<store id>",
};

/** PD has dropped an eviction that we ended. This is recorded at once: any later eviction of the store is someone else's. */
const evictionGone: Stage = {
    name: "eviction-gone",
    holds: (view) => {
        const record = evictionOf(view);
        if (!record || !view.store || record.isGone) {
            return true;
        }
        const { persistedEvictions } = view.pd;
        if (persistedEvictions === notAsked) {
            return { look: lookAtEvictions };
        }
        const name = `the ended eviction of store ${view.store.id} (${view.podName})`;
        const found = endedEviction(view.observation, view.store.id, record);
        if (found === "back") {
            return { lacks: `PD still keeps ${name}` };
        }
        if (found === "gone") {
            return { lacks: `it is not recorded yet that PD has dropped ${name}` };
        }
        // An unverified end is checked again by a later run, after PD's next leader change.
        return found === "not known" ? { lacks: "PD does not report which stores are under eviction" } : true;
    },
    act: (view) => {
        const record = evictionOf(view);
        if (!record || !view.store) {
            return undefined;
        }
        const found = endedEviction(view.observation, view.store.id, record);
        if (found === "gone") {
            return { do: "note-eviction-gone", storeId: view.store.id };
        }
        return found === "back" ? endOf(view.observation, view.store.id, view.podName) : undefined;
    },
    timeout: timeoutWithPd,
    advice: "remove the scheduler by hand: pd-ctl scheduler remove evict-leader-scheduler-<store id>",
};

/** Two thirds of the leaders are back, or there were few, or the wait has timed out (tikv_upgrader.go). Nothing waits for those of the last store. */
const leadersBack: Stage = {
    name: "leaders-back",
    holds: (view) => {
        const record = evictionOf(view);
        if (!record || record.leadersBefore < fewLeaders || view.isLast) {
            return true;
        }
        const wanted = Math.floor((record.leadersBefore * 2) / 3);
        const have = leadersNow(view);
        if (!("count" in have)) {
            return have;
        }
        return have.count >= wanted
            ? true
            : {
                  lacks: `${have.count} of ${wanted} leaders are back on store ${view.store?.id} (${view.podName})${keptAwayByPd(view)}`,
                  left: wanted - have.count,
              };
    },
    timeout: (view) => ({
        seconds: view.target.policy.leadersBackTimeoutSeconds * sharesRate(view),
        then: "go-on",
    }),
    endedBy: endedByLeaders,
    advice: "",
};

/** @returns that PD itself keeps leaders away from the store, for a message; empty if it does not. */
function keptAwayByPd({ store, observation }: PodView): string {
    const scheduler = store && evictedByPd(observation, store.id);
    return scheduler === undefined ? "" : `: PD itself keeps them away, by its ${scheduler}`;
}

function leadersNow(view: PodView): { count: number } | { lacks: string } | { look: Look } {
    const leaders = leadersOf(view);
    if (leaders === undefined) {
        return { look: { ownLeadersOf: view.podName } };
    }
    return leaders.known
        ? { count: leaders.value }
        : { lacks: `leaders of store ${view.store?.id} (${view.podName}) are not known: ${leaders.why}` };
}

/** How long PD may take to send the first leader back. It moves 12 per second (measured on a real PD 8.5.4). */
const firstLeaderSeconds = 60;

/**
 * PD sends leaders to the store again. PD 8.5.2 can keep a store paused after its eviction has ended, and its leaders
 * never return (tikv/pd#9185). That state is in the PD leader's memory and ends with its leadership.
 */
const leadersMayReturn: Stage = {
    name: "leaders-may-return",
    holds: (view) => {
        const record = evictionOf(view);
        if (!record || record.leadersBefore < fewLeaders || record.unpaused || isEvicted(view)) {
            return true;
        }
        // With a shorter timeout set by the user, it is too early to tell whether leaders return.
        if (view.target.policy.leadersBackTimeoutSeconds < firstLeaderSeconds) {
            return true;
        }
        const now = leadersNow(view);
        if (!("count" in now)) {
            return "look" in now ? now : true;
        }
        // A new leader of PD goes on with an eviction by PD itself, so its leadership is not to blame.
        if (now.count > 0 || keptAwayByPd(view) !== "") {
            return true;
        }
        return { lacks: `no leader has come back to store ${view.store?.id} (${view.podName})` };
    },
    timeout: () => ({ seconds: firstLeaderSeconds, then: "go-on" }),
    endedBy: endedByLeaders,
    advice: "",
};

/** The transfer is for every store of the batch whose eviction has ended: PD's next leader keeps none of them paused. */
function endedEvictions(view: PodView, storeId: number): number[] {
    const { evictions } = view.observation.records;
    const others = isInBatch(view) ? idsOf(batchOnRecord(view)?.stores ?? {}) : [];
    const ended = others.filter((id) => evictions[id]?.endedAt !== undefined);
    return [...new Set([storeId, ...ended])];
}

/** If no leader has come back after that time, PD's leadership is transferred once. */
const storeUnpaused: Stage = {
    name: "store-unpaused",
    holds: (view) => {
        const waited = leadersMayReturn.holds(view);
        if (waited === true || "look" in waited) {
            return waited;
        }
        const { members, leader } = view.pd;
        if (members === notAsked || leader === notAsked) {
            return { look: { parts: ["health", "leader"] } };
        }
        return leaderToTakeOver(view.observation) === undefined ? true : waited;
    },
    act: (view) => {
        const to = leaderToTakeOver(view.observation);
        const { leader } = view.pd;
        // A new leader knows neither the leaders of the regions nor, for a moment, its schedulers: it is not to blame yet.
        return view.store &&
            to !== undefined &&
            leader.known &&
            leader.value !== undefined &&
            lacksOwnEvictions(view) === undefined &&
            settledLeadership(view.observation).known
            ? { do: "transfer-leader", to, from: leader.value, unpauses: endedEvictions(view, view.store.id) }
            : undefined;
    },
    timeout: timeoutWithPd,
    advice: "check `pd-ctl store <id>` and `pd-ctl operator show`: PD sends no leaders to the store",
};

const evictionForgotten: Stage = {
    name: "eviction-forgotten",
    holds: (view) => {
        const record = evictionOf(view);
        return record && view.store && endedEviction(view.observation, view.store.id, record) === "gone"
            ? { lacks: "the eviction is still recorded" }
            : true;
    },
    act: (view) => view.store && { do: "forget-eviction", storeId: view.store.id },
    timeout: timeoutWithPd,
    advice: "run `pulumi up` again",
};

/** The stages before a TiKV pod is restarted. Majorities are checked again at the end, because evicting leaders can take hours. */
export const beforeTikvRestart: readonly Stage[] = [
    noBackupBeforeRestart,
    storesListed,
    otherStoresUp("tikv"),
    noForeignEviction,
    noEvictionByPd,
    leadersCanMove,
    majoritiesStayBeforeEviction,
    batchDecided,
    limitsRaisedToEvict,
    leadersEvicted,
    majoritiesStay,
];

/** The stages for a restarted TiKV pod before the next one is touched. */
export const afterTikvRestart: readonly Stage[] = [
    storeUp,
    evictionEnded,
    evictionGone,
    limitsRaisedToReturn,
    leadersMayReturn,
    storeUnpaused,
    leadersBack,
    limitsPutBack,
    evictionForgotten,
];
