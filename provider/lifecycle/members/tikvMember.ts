import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import {
    afterStoreRemovalTakenBack,
    beforeStoreRemoval,
    storeInPd,
    isStoreOfPodRemoved,
    refuseStoreRemoval,
    storeDroppedByHand,
    storeRemovalDoes,
    storeRemovalRisk,
    storeRemovalSeconds,
    tooFewOf,
} from "../stages/storeRemoval";
import { storeFailover } from "../stages/failover/storeFailover";
import { evictionOf, fewLeaders, openEvictionOf } from "../stages/evictionRecord";
import { leftLimits, limitOf, raisingInWords, windowOf } from "../stages/leaderLimits";
import { fewestVoters, missingPeers, tooFewFor } from "../stages/placement";
import { noBackupBeforeRemoval } from "../stages/runningBackups";
import { settledLeadership, settleTime } from "../stages/trustedCounts";
import type { PodView } from "../vocabulary/stage";
import { isOnlyStore, isStopped, isUp, storeLacks, storesOf } from "../stages/stores";
import { endLeftBehindEviction } from "../stages/endOfEviction";
import { afterTikvRestart, beforeTikvRestart } from "../stages/tikvRestart";
import { counted } from "../vocabulary/counted";

/** TiKV's rules. Its stages are in `tikvRestart.ts` and `storeRemoval.ts`. */

/**
 * PD's rates in leaders per second, measured on a real PD 8.5.4 with `leader-schedule-limit` at 4, the default, and at 64: 7 times as
 * many leave, and 5 times as many return.
 */
const evictedASecond = (limit: number) => 20 * (limit / 4) ** 0.7;
const returnedASecond = (limit: number) => 12 * (limit / 4) ** 0.58;

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

/** @returns the leaders that an eviction takes from the store, now or in an earlier run, and that return to it afterwards. */
function leavingLeaders(view: PodView): number {
    const record = isStopped(view) ? evictionOf(view) : openEvictionOf(view);
    const isEvicted = !isOnlyStore(view) && !isStopped(view);
    return record?.leadersBefore ?? (isEvicted ? (view.store?.leaderCount.reported ?? 0) : 0);
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
    restartDoes: (view) => {
        if (!view.store || isOnlyStore(view)) {
            return [];
        }
        if (isStopped(view)) {
            const returning = evictionOf(view)?.limitsBack ? undefined : raisingInWords(view, leavingLeaders(view));
            return returning === undefined ? [] : [returning];
        }
        const { reported } = view.store.leaderCount;
        const { evictLeaderTimeoutSeconds, afterEvictLeaderTimeout } = view.target.policy;
        const limit =
            afterEvictLeaderTimeout === "restart"
                ? `; after ${evictLeaderTimeoutSeconds} s the store restarts with the leaders that it still has`
                : "";
        const raising = raisingInWords(view, reported);
        return [
            ...(raising === undefined ? [] : [raising]),
            `evict ${counted(reported, "leader")} (~${Math.ceil(reported / evictedASecond(limitOf(view, reported)))} s${limit})`,
        ];
    },
    startWaitsFor: "store Up",
    restartWaitsFor: (view) => `store Up${leavingLeaders(view) < fewLeaders ? "" : ", 2/3 of its leaders back"}`,
    restartRisk: riskOf,
    noneLeft: "no TiKV is left: its data cannot be read or written",
    restartsAfter: (observation, pdRestarts) => {
        const leadership = settledLeadership(observation);
        if (!pdRestarts && leadership.known) {
            return undefined;
        }
        const { leadership: now } = observation.pd;
        const held = pdRestarts || !now.known ? 0 : now.value.heldFor;
        return {
            why: pdRestarts
                ? "PD gets a new leader, to which every region must first be reported"
                : `the leaders of the regions are not known: ${leadership.known ? "" : leadership.why}`,
            seconds: Math.max(0, settleTime(observation) - held) / 1000,
        };
    },
    leftOpen: ({ records: { evictions, raisedLimits } }) => [
        ...Object.entries(evictions)
            .filter(([, { endedAt }]) => endedAt === undefined)
            .map(([storeId, { pod }]) => ({
                pod,
                why: `an earlier run left the eviction of store ${storeId} behind`,
                does: "end the eviction",
                waitsFor: "PD no longer lists it",
            })),
        ...(raisedLimits === undefined
            ? []
            : [
                  {
                      pod: raisedLimits.pod,
                      why: "an earlier run left PD's limits of moving leaders raised",
                      does: "put back what was there before, unless somebody else has changed it",
                      waitsFor: "nothing is on record",
                  },
              ]),
    ],
    removalDoes: storeRemovalDoes,
    removalRisk: storeRemovalRisk,
    estimateRestartSeconds: (view) => {
        const leaders = isOnlyStore(view) ? 0 : (view.store?.leaderCount.reported ?? 0);
        const limit = limitOf(view, leaders);
        const returning = leavingLeaders(view);
        const back = returning < fewLeaders ? 0 : (returning * 2) / 3 / returnedASecond(limit);
        return 20 + leaders / evictedASecond(limit) + back;
    },
    estimateRemovalSeconds: storeRemovalSeconds,
};
