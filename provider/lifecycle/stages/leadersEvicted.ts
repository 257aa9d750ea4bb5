import type { EndedBy } from "../vocabulary/endedBy";
import { type Fact, known } from "../vocabulary/evidence";
import { sharesRate } from "./batches/batchOnRecord";
import { isEvicted } from "./evictionRecord";
import { mostVoters } from "./placement";
import { leadersGaugeAge, timeoutWithPd, soundLeaders } from "./trustedCounts";
import { endedByStore, type Finding, lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isOnlyStore, isStopped } from "./stores";
import { counted } from "../vocabulary/counted";

/** Whether a store has no leaders, so its pod may stop. A zero counts only from a source that can know. */

/**
 * The sources that can know: a Ready node that reports the process as not running; the store together with PD, once PD's
 * counts can be trusted; or the store twice, so far apart that its gauge was refreshed in between, while PD evicts its leaders. A single
 * zero may be older than the eviction.
 */
export function leadsNothing(view: PodView): Finding {
    const { store, podName, observation } = view;
    if (isStopped(view)) {
        return true;
    }
    if (!store) {
        return { lacks: `PD lists no store for ${podName}, which may hold leaders` };
    }
    const own = observation.ownLeaders[podName];
    if (own === undefined) {
        return { look: { ownLeadersOf: podName } };
    }
    const name = `store ${store.id} (${podName})`;
    if (!own.known) {
        return { lacks: `leaders of ${name} are not known: ${own.why}` };
    }
    if (own.value > 0) {
        return { lacks: `${name} still holds ${counted(own.value, "leader")}`, left: own.value };
    }
    const sound = soundLeaders(observation);
    const byPd = sound.known ? sound.value.get(store.id) : undefined;
    if (byPd === 0) {
        return true;
    }
    if (byPd !== undefined) {
        return { lacks: `${name} reports no leaders, but PD counts ${byPd}`, left: byPd };
    }
    const why = sound.known ? "PD does not list it" : sound.why;
    return {
        lacks: `${name} reports no leaders; it is queried again because ${why}`,
        steadyFor: leadersGaugeAge(observation) / 1000,
        at: own.at,
    };
}

/** @returns the store's leader count, from PD if its counts can be trusted, otherwise from the store itself; `undefined` if the store was not queried yet. */
export function leadersOf(view: PodView): Fact<number> | undefined {
    const { store, podName, observation } = view;
    const sound = soundLeaders(observation);
    const byPd = sound.known && store ? sound.value.get(store.id) : undefined;
    return sound.known && byPd !== undefined ? known(byPd, sound.from, sound.at) : observation.ownLeaders[podName];
}

/** @returns what ends a wait for the store's leader count. If PD's counts cannot be trusted, that is more than what PD reports of the store. */
export function endedByLeaders(view: PodView): EndedBy | undefined {
    return soundLeaders(view.observation).known ? endedByStore(view) : undefined;
}

/** Whether PD evicts the store's leaders, and the store was asked for them and did not answer. */
function isSilent(view: PodView): boolean {
    return isEvicted(view) && view.observation.ownLeaders[view.podName]?.known === false;
}

/** The store's leaders have moved to other stores, and PD keeps them away. */
export const leadersEvicted: Stage = {
    name: "leaders-evicted",
    holds: (view) => {
        if (isStopped(view) || isOnlyStore(view)) {
            return true;
        }
        const { evictedStores } = view.pd;
        if (!evictedStores.known) {
            return lacksFact(evictedStores, "stores under eviction are");
        }
        if (!isEvicted(view)) {
            const leaders = leadersOf(view);
            if (leaders === undefined) {
                return { look: { ownLeadersOf: view.podName } };
            }
            const name = `store ${view.store?.id ?? "?"} (${view.podName})`;
            return leaders.known
                ? { lacks: `${name} has ${counted(leaders.value, "leader")} and is not under eviction` }
                : { lacks: `leaders of ${name} are not known: ${leaders.why}` };
        }
        return leadsNothing(view);
    },
    act: (view) => {
        const { store, podName } = view;
        const leaders = leadersOf(view);
        return store && leaders?.known && view.pd.evictedStores.known && !isEvicted(view)
            ? { do: "begin-eviction", storeId: store.id, pod: podName, leaders: leaders.value }
            : undefined;
    },
    // The deadline applies only while PD lists the eviction. An eviction that was begun and lost is begun again.
    timeout: (view) => {
        const {
            evictLeaderTimeoutSeconds: seconds,
            afterEvictLeaderTimeout,
            podReadyTimeoutSeconds,
        } = view.target.policy;
        // A store that does not answer makes no progress that is worth hours.
        if (isSilent(view) && afterEvictLeaderTimeout === "fail") {
            return { seconds: podReadyTimeoutSeconds, then: "fail", as: "leaders-known" };
        }
        if (isEvicted(view)) {
            // The user's deadline is that of one store. A failure counts from the last progress, which all stores of a batch make.
            return afterEvictLeaderTimeout === "restart"
                ? { seconds: seconds * sharesRate(view), then: "go-on" }
                : { seconds, then: "fail" };
        }
        return { ...timeoutWithPd(view), as: "eviction-begun" };
    },
    // Before the eviction is listed, the list must be asked for.
    endedBy: (view) => (isEvicted(view) ? endedByStore(view) : undefined),
    advice: "check `pd-ctl scheduler show` and `pd-ctl region store <id>`; set spec.tikv.evictLeaderTimeout to restart a store that still has leaders after that time",
};

/** Leaders can move to other stores. If PD keeps one replica, the store restarts with its leaders only after a deadline set by the user. */
export const leadersCanMove: Stage = {
    name: "leaders-can-move",
    holds: (view) => {
        const { placement } = view.pd;
        if (isStopped(view) || isOnlyStore(view) || view.target.policy.afterEvictLeaderTimeout === "restart") {
            return true;
        }
        if (!placement.known) {
            return lacksFact(placement, "the number of replicas that PD keeps is", { parts: ["placement"] });
        }
        return mostVoters(placement.value) > 1
            ? true
            : { lacks: `PD keeps one replica of each region, so the leaders of ${view.podName} cannot move elsewhere` };
    },
    timeout: (view) => ({
        // A missing answer is waited for. One replica is an answer, and waiting does not change it.
        seconds: view.pd.placement.known ? 0 : view.target.policy.podReadyTimeoutSeconds,
        then: "fail",
    }),
    advice: "set spec.tikv.evictLeaderTimeout, after which the store is restarted with its leaders; its regions cannot be read or written during the restart. Or raise PD's replication.max-replicas first",
};
