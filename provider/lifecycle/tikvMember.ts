import type { MemberLifecycle } from "./memberLifecycle";
import { afterTikvRemovalTakenBack, beforeTikvRemoval, isBuried } from "./tikvRemoval";
import { afterTikvRestart, beforeTikvRestart, endLeftBehindEviction, FEW_LEADERS, openEvictionOf } from "./tikvRestart";
import { canEvict, isUp, leavingStores, tikvStores, tooFewStores } from "./tikvStores";

/** TiKV's rules; its stages are in `tikvRestart.ts` and `tikvRemoval.ts`. */

/** PD's default rates, leaders a second, measured on a real PD 8.5.4. */
const EVICTED_A_SECOND = 20;
const RETURNED_A_SECOND = 12;
/** Regions a second that leave an Offline store with PD's default limits, measured likewise. */
const DRAINED_A_SECOND = 1.3;

export const tikvLifecycle: MemberLifecycle = {
    component: "tikv",
    looks: {
        rollout: ["stores", "evicted-stores"],
        scale: ["stores", "tombstones", "max-replicas"],
        state: ["stores"],
    },
    beforeRestart: beforeTikvRestart,
    afterRestart: afterTikvRestart,
    beforeRemoval: beforeTikvRemoval,
    afterRemovalTakenBack: afterTikvRemovalTakenBack,
    refuseReplicas: (observation, target) =>
        leavingStores(observation, target).length === 0 ? undefined : tooFewStores(observation, target),
    isBegun: (view) => openEvictionOf(view) !== undefined,
    leftBehind: endLeftBehindEviction,
    isBuried,
    lacks: ({ pd, store, podName }) =>
        pd.stores === undefined || store?.state === "Up"
            ? undefined
            : `wait for the store of ${podName}: it is ${store?.state ?? "not registered"}`,
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
