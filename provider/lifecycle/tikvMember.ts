import type { MemberLifecycle } from "./memberLifecycle";
import type { Observation } from "./observation";
import {
    afterStoreRemovalTakenBack,
    beforeStoreRemoval,
    isBuried,
    refuseStoreRemoval,
    storeRemovalDoes,
    storeRemovalSeconds,
} from "./storeRemoval";
import { canEvict, isUp, stayingUpStores, storeLacks, storesOf } from "./stores";
import type { MemberTarget } from "./target";
import { afterTikvRestart, beforeTikvRestart, endLeftBehindEviction, FEW_LEADERS, openEvictionOf } from "./tikvRestart";

/** TiKV's rules; its stages are in `tikvRestart.ts` and `storeRemoval.ts`. */

/** PD's default rates, leaders a second, measured on a real PD 8.5.4. */
const EVICTED_A_SECOND = 20;
const RETURNED_A_SECOND = 12;
/** PD keeps so many replicas of each region, each on another store. */
function tooFewStores(observation: Observation, target: MemberTarget): string | undefined {
    const maxReplicas = observation.pd?.maxReplicas;
    if (maxReplicas === undefined) {
        return "PD did not say its replication.max-replicas";
    }
    const staying = stayingUpStores(observation, target, "tikv");
    return staying >= maxReplicas
        ? undefined
        : `${staying} Up TiKV stores would be left, PD keeps ${maxReplicas} replicas of each region (replication.max-replicas)`;
}

export const tikvLifecycle: MemberLifecycle = {
    component: "tikv",
    looks: {
        rollout: ["stores", "evicted-stores"],
        scale: ["stores", "tombstones", "max-replicas"],
        state: ["stores"],
    },
    beforeRestart: beforeTikvRestart,
    afterRestart: afterTikvRestart,
    beforeRemoval: beforeStoreRemoval(
        tooFewStores,
        "keep more TiKV replicas, or lower PD's replication.max-replicas first",
    ),
    afterRemovalTakenBack: afterStoreRemovalTakenBack,
    refuseReplicas: refuseStoreRemoval(tooFewStores),
    isBegun: (view) => openEvictionOf(view) !== undefined,
    leftBehind: endLeftBehindEviction,
    isBuried,
    lacks: storeLacks,
    available: (observation) => {
        const up = storesOf(observation, "tikv").filter(isUp).length;
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
    removalDoes: storeRemovalDoes,
    estimateRestartSeconds: (view) => {
        const leaders = view.store?.leaderCount ?? 0;
        const back = leaders < FEW_LEADERS ? 0 : (leaders * 2) / 3 / RETURNED_A_SECOND;
        return 20 + leaders / EVICTED_A_SECOND + back;
    },
    estimateRemovalSeconds: storeRemovalSeconds,
};
