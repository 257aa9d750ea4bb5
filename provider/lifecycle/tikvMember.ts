import type { MemberLifecycle } from "./memberLifecycle";
import type { EvictionRecord, Observation, ObservedStore } from "./observation";
import { type PodView, type Stage, viewOf } from "./stage";
import type { MemberTarget } from "./target";

/** TiKV's rules. Facts from tidb-operator pkg/manager/member/tikv_upgrader.go and tikv_scaler.go. */

/** Below this many leaders their return is not waited for (tikv_upgrader.go). */
const FEW_LEADERS = 200;
/** PD's default rates, leaders a second, measured on a real PD 8.5.4. */
const EVICTED_A_SECOND = 20;
const RETURNED_A_SECOND = 12;
const REGISTRATION_MILLISECONDS = 150_000;
/** Regions a second that leave an Offline store with PD's default limits, measured likewise. */
const DRAINED_A_SECOND = 1.3;

const patience = (view: PodView) => ({ seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" }) as const;

function evictionOf(view: PodView): EvictionRecord | undefined {
    return view.store && view.observation.records.evictions[view.store.id];
}

/** Our eviction of the store, while it lasts. */
function openEvictionOf(view: PodView): EvictionRecord | undefined {
    const record = evictionOf(view);
    return record?.endedAt === undefined ? record : undefined;
}

/** Whether PD keeps leaders away from the store, whoever asked it to. */
function isEvicted(view: PodView): boolean {
    return view.store !== undefined && (view.pd.evictedStores?.includes(view.store.id) ?? false);
}

/** With one store there is nobody to take its leaders; with none there are no leaders. */
function canEvict(view: PodView): boolean {
    return tikvStores(view.observation).length >= 2;
}

function tikvStores(observation: Observation): ObservedStore[] {
    return (observation.pd?.stores ?? []).filter((store) => store.engine === "tikv");
}

function isUp(store: ObservedStore | undefined): boolean {
    return store?.state === "Up";
}

/** A pod that does not run and whose store is not Up loses nothing by a restart; it may be what brings it back. */
function isDownAnyway(view: PodView): boolean {
    return view.pod?.ready !== true && !isUp(view.store);
}

/** Every other store is Up: a region that has lost one replica keeps its majority only while no other is missing. */
const otherStoresUp: Stage = {
    name: "other-stores-up",
    holds: (view) => {
        const down = (view.pd.stores ?? []).filter((store) => store.id !== view.store?.id && store.state !== "Up");
        return down.length === 0 || !canEvict(view) || isDownAnyway(view)
            ? true
            : { lacks: down.map((store) => `store ${store.id} (${store.podName}) is ${store.state}`).join(", ") };
    },
    patience,
    advice: "bring that store back, or scale it away, then run `pulumi up` again",
};

/** No region misses a peer, has one down or pending. A zero counts only while the stores that lead report: see otherStoresUp. */
const regionsComplete: Stage = {
    name: "regions-complete",
    holds: (view) => {
        if (!canEvict(view) || isDownAnyway(view)) {
            return true;
        }
        const regions = view.pd.regionsAtRisk;
        if (!regions) {
            return { look: "regions-at-risk" };
        }
        const lacking = [
            [regions.missPeer, "miss a peer"],
            [regions.downPeer, "have a peer that is down"],
            [regions.pendingPeer, "have a peer that is pending"],
        ].filter(([count]) => count !== 0);
        return lacking.length === 0
            ? true
            : { lacks: lacking.map(([count, words]) => `${count} regions ${words}`).join(", ") };
    },
    patience,
    advice: "wait until PD has repaired these regions (pd-ctl region check miss-peer | down-peer | pending-peer)",
};

/** As `regionsComplete`, before leaders are moved for nothing. While they move it is not asked: only the restart needs it. */
const regionsCompleteBeforeEviction: Stage = {
    ...regionsComplete,
    holds: (view) => (isEvicted(view) ? true : regionsComplete.holds(view)),
};

/** The store's leaders have gone elsewhere. One whose process does not run has none, whatever PD last heard. */
const leadersEvicted: Stage = {
    name: "leaders-evicted",
    holds: (view) => {
        const { store } = view;
        if (!store || !canEvict(view) || isDownAnyway(view)) {
            return true;
        }
        if (store.leaderCount === 0 && (isEvicted(view) || !isUp(store))) {
            return true;
        }
        return { lacks: `store ${store.id} (${view.podName}) still holds ${store.leaderCount} leaders` };
    },
    act: (view) => {
        const { store } = view;
        return store && isUp(store) && !isEvicted(view)
            ? { do: "begin-eviction", storeId: store.id, pod: view.podName, leaders: store.leaderCount }
            : undefined;
    },
    patience: (view) => ({
        seconds: view.target.policy.evictLeaderTimeoutSeconds,
        since: isEvicted(view) ? openEvictionOf(view)?.begunAt : undefined,
        then: view.target.policy.afterEvictLeaderTimeout === "restart" ? "go-on" : "fail",
    }),
    advice: "look at `pd-ctl scheduler show` and `pd-ctl region store <id>`; set spec.tikv.evictLeaderTimeout to restart a store that keeps leaders after that time",
};

/** PD calls the store Up, and has heard from it since its pod was made. */
const storeUp: Stage = {
    name: "store-up",
    holds: (view) => {
        const { store, pod } = view;
        if (!store) {
            return { lacks: `${view.podName} has not registered a store with PD` };
        }
        if (!isUp(store)) {
            return { lacks: `store ${store.id} (${view.podName}) is ${store.state}` };
        }
        return !pod || store.lastHeartbeat === undefined || store.lastHeartbeat >= pod.createdAt
            ? true
            : { lacks: `store ${store.id} (${view.podName}) has sent no heartbeat since it restarted` };
    },
    patience,
    advice: "look at the log of that TiKV pod",
};

/** Our eviction of the store is over. Somebody else's is theirs to end. */
const evictionEnded: Stage = {
    name: "eviction-ended",
    holds: (view) => {
        const record = evictionOf(view);
        return !record || record.endedAt !== undefined
            ? true
            : { lacks: `leaders are still kept away from store ${view.store?.id} (${view.podName})` };
    },
    act: (view) => view.store && { do: "end-eviction", storeId: view.store.id, pod: view.podName },
    patience,
    advice: "remove the scheduler by hand: pd-ctl scheduler remove evict-leader-scheduler-<store id>",
};

/** Two thirds of the leaders are back, or they are few, or the time for it is over (tikv_upgrader.go). */
const leadersBack: Stage = {
    name: "leaders-back",
    holds: (view) => {
        const record = evictionOf(view);
        if (!record || record.leadersBefore < FEW_LEADERS) {
            return true;
        }
        const wanted = Math.floor((record.leadersBefore * 2) / 3);
        const have = view.store?.leaderCount ?? 0;
        return have >= wanted
            ? true
            : { lacks: `${have} of ${wanted} leaders are back on store ${view.store?.id} (${view.podName})` };
    },
    patience: (view) => ({
        seconds: view.target.policy.leadersBackTimeoutSeconds,
        since: evictionOf(view)?.endedAt,
        then: "go-on",
    }),
    advice: "",
};

const evictionForgotten: Stage = {
    name: "eviction-forgotten",
    holds: (view) => (evictionOf(view) ? { lacks: "the eviction is still on record" } : true),
    act: (view) => view.store && { do: "forget-eviction", storeId: view.store.id },
    patience,
    advice: "run `pulumi up` again",
};

/** Enough stores stay, once all that shall go have gone, to hold every replica. PD itself accepts a removal that leaves too few, and then never ends it. */
const enoughStoresStay: Stage = {
    name: "enough-stores-stay",
    holds: (view) => {
        if (!view.store || view.store.state === "Offline") {
            return true;
        }
        const leaving = leavingStores(view.observation, view.target).map((store) => store.id);
        const problem = tooFewStores(view.observation, leaving);
        return problem === undefined ? true : { lacks: problem };
    },
    patience: () => ({ seconds: 0, then: "fail" }),
    advice: "keep more TiKV replicas, or lower PD's replication.max-replicas first",
};

function tooFewStores(observation: Observation, leaving: number[]): string | undefined {
    const maxReplicas = observation.pd?.maxReplicas;
    if (maxReplicas === undefined) {
        return "PD did not say its replication.max-replicas";
    }
    const staying = tikvStores(observation).filter((store) => isUp(store) && !leaving.includes(store.id)).length;
    return staying >= maxReplicas
        ? undefined
        : `${staying} Up TiKV stores would be left, PD keeps ${maxReplicas} replicas of each region (replication.max-replicas)`;
}

/** PD has moved everything off the store and calls it Tombstone; `replicas` may fall only after this. */
const storeTombstone: Stage = {
    name: "store-tombstone",
    holds: (view) => {
        const { store } = view;
        if (store) {
            return {
                lacks: `store ${store.id} (${view.podName}) is ${store.state} with ${store.regionCount} regions left`,
            };
        }
        return isRemoved(view)
            ? true
            : { lacks: `PD lists no store for ${view.podName}, which may still register one` };
    },
    act: (view) =>
        view.store && view.store.state !== "Offline"
            ? { do: "remove-store", storeId: view.store.id, pod: view.podName, regions: view.store.regionCount }
            : undefined,
    patience: (view) => ({
        seconds: view.target.policy.storeRemovalTimeoutSeconds,
        since: view.store && view.observation.records.removals[view.store.id]?.begunAt,
        then: "fail",
    }),
    advice: "set replicas back to bring the store Up again, or look why regions cannot leave it: space, labels and placement rules of the other stores",
};

/**
 * Without a store in PD's list: it is Tombstone, or PD has forgotten it. A pod that has just started may still
 * register one, so that it is given `REGISTRATION_MILLISECONDS` (tikv_scaler.go: 5 resyncs).
 */
function isRemoved(view: PodView): boolean {
    const { pod, pd, observation } = view;
    if (!pd.stores || !pod) {
        return pd.stores !== undefined;
    }
    const buried = pd.tombstones?.some(
        (store) => store.own && store.podName === view.podName && (store.lastHeartbeat ?? Infinity) >= pod.createdAt,
    );
    return buried || observation.now - pod.createdAt >= REGISTRATION_MILLISECONDS;
}

/** The removal is over and need not be remembered. */
const removalForgotten: Stage = {
    name: "removal-forgotten",
    holds: (view) => (removalOf(view) === undefined ? true : { lacks: "the removal is still on record" }),
    act: (view) => {
        const storeId = removalOf(view);
        return storeId === undefined ? undefined : { do: "forget-removal", storeId };
    },
    patience,
    advice: "run `pulumi up` again",
};

function removalOf(view: PodView): number | undefined {
    const found = Object.entries(view.observation.records.removals).find(([, record]) => record.pod === view.podName);
    return found && Number(found[0]);
}

/** A store that we took out and that shall stay after all is Up again. */
const removalTakenBack: Stage = {
    name: "removal-taken-back",
    holds: (view) =>
        view.store?.state === "Offline" && view.observation.records.removals[view.store.id]
            ? { lacks: `store ${view.store.id} (${view.podName}) is Offline from a scale-in that was taken back` }
            : true,
    act: (view) => view.store && { do: "bring-store-back", storeId: view.store.id, pod: view.podName },
    patience,
    advice: "bring it back by hand: pd-ctl store <id> --state=Up (POST /pd/api/v1/store/<id>/state?state=Up)",
};

export const tikvLifecycle: MemberLifecycle = {
    component: "tikv",
    needs: ["stores"],
    beforeRestart: [otherStoresUp, regionsCompleteBeforeEviction, leadersEvicted, regionsComplete],
    afterRestart: [storeUp, evictionEnded, leadersBack, evictionForgotten],
    beforeRemoval: [enoughStoresStay, storeTombstone, removalForgotten],
    afterRemovalTakenBack: [removalTakenBack, removalForgotten],
    refuseReplicas: (observation, target) => {
        const leaving = leavingStores(observation, target);
        return leaving.length === 0
            ? undefined
            : tooFewStores(
                  observation,
                  leaving.map((store) => store.id),
              );
    },
    leftBehind: (observation, target) => {
        const ordinals = Array.from({ length: target.replicas }, (_, ordinal) => ordinal);
        const walked = ordinals.map((ordinal) => String(viewOf(observation, target, ordinal).store?.id));
        const [storeId, record] =
            Object.entries(observation.records.evictions).find(([id]) => !walked.includes(id)) ?? [];
        if (storeId === undefined || record === undefined) {
            return undefined;
        }
        const { pod, endedAt } = record;
        return endedAt === undefined
            ? { do: "end-eviction", storeId: Number(storeId), pod }
            : { do: "forget-eviction", storeId: Number(storeId) };
    },
    available: (observation) => {
        const up = tikvStores(observation).filter(isUp).length;
        return up >= 1 ? undefined : "no TiKV store is Up";
    },
    restartDoes: (view) => {
        if (!view.store || !canEvict(view)) {
            return [];
        }
        const seconds = Math.ceil(view.store.leaderCount / EVICTED_A_SECOND);
        return [`evict ${view.store.leaderCount} leaders (~${seconds} s)`];
    },
    startWaitsFor: "store Up",
    restartWaitsFor: "store Up, 2/3 of its leaders back",
    restartRisk: (view) => (canEvict(view) ? undefined : "the only store: nothing can be read or written meanwhile"),
    removalDoes: (view) =>
        view.store
            ? `take store ${view.store.id} out, move its ${view.store.regionCount} regions, wait for Tombstone`
            : "its store is gone already",
    estimateRestartSeconds: (view) => {
        const leaders = view.store?.leaderCount ?? 0;
        const back = leaders < FEW_LEADERS ? 0 : (leaders * 2) / 3 / RETURNED_A_SECOND;
        return 20 + leaders / EVICTED_A_SECOND + back;
    },
    estimateRemovalSeconds: (view) => (view.store?.regionCount ?? 0) / DRAINED_A_SECOND,
};

/** The stores that the StatefulSet will drop: those of the ordinals that it will drop, and no others. */
function leavingStores(observation: Observation, target: MemberTarget): ObservedStore[] {
    const pods = observation.members.tikv?.pods.filter((pod) => pod.ordinal >= target.replicas) ?? [];
    return (observation.pd?.stores ?? []).filter(
        (store) => store.own && store.state !== "Tombstone" && pods.some((pod) => pod.name === store.podName),
    );
}
