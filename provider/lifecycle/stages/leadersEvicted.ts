import { type Fact, known } from "../vocabulary/evidence";
import { isEvicted } from "./evictionRecord";
import { mostVoters } from "./placement";
import { heartbeatsOf, timeoutWithPd, soundLeaders } from "./soundness";
import { type Finding, lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isOnlyStore, isStopped } from "./stores";

/** Whether a store leads nothing, so that its pod may go. A zero counts only from somebody who can know. */

/**
 * Somebody who can know: a node that is Ready and says that the process does not run; the store itself together with
 * PD, once PD's word counts; or the store itself twice, a heartbeat apart, while PD keeps leaders away from it. The store
 * counts its leaders anew with each heartbeat, so that a single zero of its own may be from before.
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
        return { lacks: `${name} still holds ${own.value} leaders`, left: own.value };
    }
    const sound = soundLeaders(observation);
    const told = sound.known ? sound.value.get(store.id) : undefined;
    if (told === 0) {
        return true;
    }
    if (told !== undefined) {
        return { lacks: `${name} says that it leads nothing, PD counts ${told} leaders`, left: told };
    }
    const { store: interval } = heartbeatsOf(observation);
    const why = sound.known ? "PD does not list it" : sound.why;
    return {
        lacks: `${name} says that it leads nothing; it is asked again, as ${why}`,
        steadyFor: interval / 1000,
        at: own.at,
    };
}

/** @returns how many leaders the store has, from PD where its word counts, else from the store itself; `undefined` while the latter was not asked. */
export function leadersOf(view: PodView): Fact<number> | undefined {
    const { store, podName, observation } = view;
    const sound = soundLeaders(observation);
    const told = sound.known && store ? sound.value.get(store.id) : undefined;
    return sound.known && told !== undefined ? known(told, sound.from, sound.at) : observation.ownLeaders[podName];
}

/** The store's leaders have gone elsewhere, and are kept away. */
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
                ? { lacks: `nothing keeps ${leaders.value} leaders away from ${name}` }
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
    // The deadline is for an eviction that PD carries out: what was begun and lost is begun anew.
    timeout: (view) => {
        const { evictLeaderTimeoutSeconds: seconds, afterEvictLeaderTimeout } = view.target.policy;
        return isEvicted(view)
            ? { seconds, then: afterEvictLeaderTimeout === "restart" ? "go-on" : "fail" }
            : { ...timeoutWithPd(view), as: "eviction-begun" };
    },
    advice: "look at `pd-ctl scheduler show` and `pd-ctl region store <id>`; set spec.tikv.evictLeaderTimeout to restart a store that keeps leaders after that time",
};

/** Leaders can go elsewhere: where PD keeps one replica, only a deadline that the user set lets the store go with them. */
export const leadersCanMove: Stage = {
    name: "leaders-can-move",
    holds: (view) => {
        const { placement } = view.pd;
        if (isStopped(view) || isOnlyStore(view) || view.target.policy.afterEvictLeaderTimeout === "restart") {
            return true;
        }
        if (!placement.known) {
            return lacksFact(placement, "how many copies PD keeps is", { parts: ["placement"] });
        }
        return mostVoters(placement.value) > 1
            ? true
            : { lacks: `PD keeps one replica of regions, so that the leaders of ${view.podName} cannot go elsewhere` };
    },
    timeout: (view) => ({
        // That PD does not say is waited for; that it says one is an answer.
        seconds: view.pd.placement.known ? 0 : view.target.policy.podReadyTimeoutSeconds,
        then: "fail",
    }),
    advice: "set spec.tikv.evictLeaderTimeout, after which the store is restarted with its leaders; its regions cannot be read or written meanwhile. Or raise PD's replication.max-replicas first",
};
