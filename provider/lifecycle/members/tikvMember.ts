import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import {
    afterStoreRemovalTakenBack,
    beforeStoreRemoval,
    storeInPd,
    isStoreOfPodRemoved,
    refuseStoreRemoval,
    storeDroppedByHand,
    storeRemovalRisk,
    tooFewOf,
} from "../stages/storeRemoval";
import { storeFailover } from "../stages/failover/storeFailover";
import { openEvictionOf } from "../stages/evictionRecord";
import { leftLimits, windowOf } from "../stages/leaderLimits";
import { fewestVoters, missingPeers, tooFewFor } from "../stages/placement";
import { noBackupBeforeRemoval } from "../stages/runningBackups";
import type { PodView } from "../vocabulary/stage";
import { isOnlyStore, isStopped, isUp, storeLacks, storesOf } from "../stages/stores";
import { endLeftBehindEviction } from "../stages/endOfEviction";
import { afterTikvRestart, beforeTikvRestart } from "../stages/tikvRestart";

/** TiKV's rules. Its stages are in `tikvRestart.ts` and `storeRemoval.ts`. */

/** Each replica of a region needs a separate store with the labels that its placement rule requires. */
export const tooFewTikvStores = tooFewOf("tikv", "the number of replicas that PD keeps is", (placement, staying) => {
    const why = tooFewFor(placement, staying);
    return why === undefined ? undefined : `${staying.length} Up TiKV stores would be left, but ${why}`;
});

/** The share of regions that may split between PD's count of regions and its list of stores: it is no sign that peers are missing. */
const splitMeanwhile = 0.01;

/** With fewer than three voters a restart never leaves a majority, whatever is done before it. */
function riskOf(view: PodView): string | undefined {
    const { placement } = view.pd;
    const voters = placement.known ? fewestVoters(placement.value) : undefined;
    if (isOnlyStore(view)) {
        return "the only store: nothing can be read or written during the restart";
    }
    if (voters === 1) {
        return "PD keeps one replica of each region: the store's leaders cannot move elsewhere, and its regions can be neither read nor written during the restart";
    }
    if (voters === 2) {
        return "PD keeps two voters of each region: regions with a voter on this store can be neither read nor written during the restart";
    }
    const { leadership } = view.pd;
    const stores = storesOf(view.observation, "tikv");
    if (!placement.known || !leadership.known || stores === undefined) {
        return undefined;
    }
    const { regionCount } = leadership.value;
    return missingPeers(placement.value, regionCount, stores) > regionCount * splitMeanwhile
        ? `PD has not given each region its ${voters} voters yet: those with two of them can be neither read nor written while one of both restarts`
        : undefined;
}

/** By the user's choice. */
function leadersAtRisk(view: PodView): string | undefined {
    const { evictLeaderTimeoutSeconds: seconds, afterEvictLeaderTimeout } = view.target.policy;
    return afterEvictLeaderTimeout === "restart" && !isOnlyStore(view) && !isStopped(view)
        ? `after ${seconds} s the store restarts with the leaders that it still has`
        : undefined;
}

const adviceIfTooFew = "keep more TiKV replicas, or lower PD's replication.max-replicas first";

export const tikvLifecycle: MemberLifecycle = {
    component: "tikv",
    leavesProgram: "refused",
    looks: {
        rollout: ["leadership", "stores", "tombstones", "evicted-stores", "placement"],
        scale: ["leadership", "stores", "tombstones", "placement"],
        state: ["stores"],
    },
    planLooks: (policy) => [
        ...(windowOf(policy) === undefined ? [] : (["leader-limits"] as const)),
        ...((policy.parallelism ?? 1) === 1 ? [] : (["region-status"] as const)),
    ],
    beforeRestart: beforeTikvRestart,
    afterRestart: afterTikvRestart,
    beforeRemoval: [noBackupBeforeRemoval, ...beforeStoreRemoval("tikv", tooFewTikvStores, adviceIfTooFew)],
    failover: storeFailover("tikv"),
    afterRemovalTakenBack: afterStoreRemovalTakenBack,
    refuseReplicas: refuseStoreRemoval("tikv", tooFewTikvStores, adviceIfTooFew),
    isBegun: (view) => openEvictionOf(view) !== undefined,
    leftBehind: (observation, target) => endLeftBehindEviction(observation, target) ?? leftLimits(observation),
    afterBatch: leftLimits,
    inPd: storeInPd,
    isDroppedByPd: isStoreOfPodRemoved,
    droppedByHand: storeDroppedByHand,
    lacks: storeLacks,
    available: (observation) => {
        const { stores } = observation.pd;
        const someUp = storesOf(observation, "tikv")?.some(isUp);
        if (someUp === undefined) {
            return `PD's stores are not known: ${stores.known ? "" : stores.why}`;
        }
        return someUp ? undefined : "no TiKV store is Up";
    },
    startWaitsFor: "store Up",
    restartRisk: (view) => [riskOf(view), leadersAtRisk(view)].filter(Boolean).join("; ") || undefined,
    noneLeft: "no TiKV is left: its data cannot be read or written",
    leftOpen: ({ records: { evictions, raisedLimits } }) => [
        ...Object.entries(evictions)
            .filter(([, { endedAt }]) => endedAt === undefined)
            .map(([storeId, { pod }]) => ({
                pod,
                why: `an earlier run left the eviction of store ${storeId} behind`,
            })),
        ...(raisedLimits === undefined
            ? []
            : [
                  {
                      pod: raisedLimits.pod,
                      why: "an earlier run left PD's limits of moving leaders raised",
                  },
              ]),
    ],
    removalRisk: storeRemovalRisk,
};
