import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import {
    afterStoreRemovalTakenBack,
    beforeStoreRemoval,
    isRemovedFromPd,
    refuseStoreRemoval,
    storeRemovalDoes,
    storeRemovalSeconds,
    tooFewOf,
} from "../stages/storeRemoval";
import { openEvictionOf } from "../stages/evictionRecord";
import { fewestVoters, tooFewFor } from "../stages/placement";
import { settledLeadership, settleTime } from "../stages/soundness";
import type { PodView } from "../vocabulary/stage";
import { isOnlyStore, isStopped, isUp, storeLacks, storesOf } from "../stages/stores";
import { afterTikvRestart, beforeTikvRestart, endLeftBehindEviction, fewLeaders } from "../stages/tikvRestart";

/** TiKV's rules; its stages are in `tikvRestart.ts` and `storeRemoval.ts`. */

/** PD's default rates, leaders a second, measured on a real PD 8.5.4. */
const evictedASecond = 20;
const returnedASecond = 12;

/** Every copy of a region is on another store, one with the labels that its placement rule asks for. */
const tooFewStores = tooFewOf("tikv", "how many copies PD keeps is", (placement, staying) => {
    const why = tooFewFor(placement, staying);
    return why === undefined ? undefined : `${staying.length} Up TiKV stores would be left, ${why}`;
});

/** With fewer than three voters no restart leaves a majority, whatever is done before it. */
function riskOf(view: PodView): string | undefined {
    const { placement } = view.pd;
    const voters = placement.known ? fewestVoters(placement.value) : undefined;
    if (isOnlyStore(view)) {
        return "the only store: nothing can be read or written meanwhile";
    }
    if (voters === 1) {
        return "PD keeps one replica of regions: its leaders cannot go elsewhere, and what it holds can be neither read nor written meanwhile";
    }
    return voters === 2
        ? "PD keeps two voters of regions: those with a voter on it can be neither read nor written meanwhile"
        : undefined;
}

const whereTooFew = "keep more TiKV replicas, or lower PD's replication.max-replicas first";

export const tikvLifecycle: MemberLifecycle = {
    component: "tikv",
    leavesProgram: "refused",
    looks: {
        rollout: ["leadership", "stores", "tombstones", "evicted-stores", "placement", "region-status"],
        scale: ["leadership", "stores", "tombstones", "placement"],
        state: ["stores"],
    },
    beforeRestart: beforeTikvRestart,
    afterRestart: afterTikvRestart,
    beforeRemoval: beforeStoreRemoval(tooFewStores, whereTooFew),
    afterRemovalTakenBack: afterStoreRemovalTakenBack,
    refuseReplicas: refuseStoreRemoval(tooFewStores, whereTooFew),
    isBegun: (view) => openEvictionOf(view) !== undefined,
    leftBehind: endLeftBehindEviction,
    isRemovedFromPd,
    lacks: storeLacks,
    available: (observation) => {
        const { stores } = observation.pd;
        const someUp = storesOf(observation, "tikv")?.some(isUp);
        if (someUp === undefined) {
            return `PD's stores are not known: ${stores.known ? "" : stores.why}`;
        }
        return someUp ? undefined : "no TiKV store is Up";
    },
    restartDoes: (view) => {
        if (!view.store || isOnlyStore(view) || isStopped(view)) {
            return [];
        }
        const { reported } = view.store.leaderCount;
        return [`evict ${reported} leaders (~${Math.ceil(reported / evictedASecond)} s)`];
    },
    startWaitsFor: "store Up",
    restartWaitsFor: "store Up, 2/3 of its leaders back",
    restartRisk: riskOf,
    restartsAfter: (observation, pdRestarts) => {
        const leadership = settledLeadership(observation);
        if (!pdRestarts && leadership.known) {
            return undefined;
        }
        const { leadership: now } = observation.pd;
        const held = pdRestarts || !now.known ? 0 : now.value.heldFor;
        return {
            why: pdRestarts
                ? "PD gets a new leader, which must first hear of every region"
                : `who leads the regions is not known: ${leadership.known ? "" : leadership.why}`,
            seconds: Math.max(0, settleTime(observation) - held) / 1000,
        };
    },
    leftOpen: ({ records }) =>
        Object.entries(records.evictions)
            .filter(([, { endedAt }]) => endedAt === undefined)
            .map(([storeId, { pod }]) => ({ pod, storeId: Number(storeId) })),
    removalDoes: storeRemovalDoes,
    estimateRestartSeconds: (view) => {
        const leaders = view.store?.leaderCount.reported ?? 0;
        const back = leaders < fewLeaders ? 0 : (leaders * 2) / 3 / returnedASecond;
        return 20 + leaders / evictedASecond + back;
    },
    estimateRemovalSeconds: storeRemovalSeconds,
};
