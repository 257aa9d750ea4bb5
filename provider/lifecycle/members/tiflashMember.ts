import { ports } from "../../../topology/ports";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import { batchDecided } from "../stages/batches/batchDecided";
import { storeFailover } from "../stages/failover/storeFailover";
import { tiflashRules, unmetOf } from "../stages/placement";
import { statusWell } from "../stages/statusWell";
import { storesListed } from "../stages/storeList";
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
import { otherStoresUp, storeUp } from "../stages/storeRestart";
import { stayingStores, storeLacks, storesOf, wasUpRecently } from "../stages/stores";
import type { PodView } from "../vocabulary/stage";

/**
 * TiFlash's rules. Its stores hold learners, which are never leaders and count in no majority, so nothing is moved away
 * before a restart. Facts from tidb-operator pkg/manager/member/tiflash_upgrader.go and tiflash_scaler.go.
 */

/** The page that shows the store's status as one word. Versions before 5.1.2 do not have it. */
const storeStatus = { port: ports.tiflash.proxyStatus, path: "/tiflash/store-status", says: "Running" } as const;

const adviceIfTooFew =
    "keep more TiFlash replicas, or first reduce those of the tables: ALTER TABLE … SET TIFLASH REPLICA <n>";

/**
 * Each TiFlash replica of a table needs a separate store, so with too few stores the learners of a leaving store would have
 * no place. tidb-operator leaves this check to its user. PD's placement rules say how many replicas there are.
 */
export const tooFewTiflashStores = tooFewOf("tiflash", "PD's placement rules are", (placement, staying) => {
    const rules = tiflashRules(placement);
    const replicas = rules.reduce((most, { count }) => Math.max(most, count), 0);
    const why =
        staying.length < replicas
            ? `a table has ${replicas} TiFlash replicas (PD's placement rules)`
            : unmetOf(rules, placement, staying);
    return why === undefined ? undefined : `${staying.length} Up TiFlash stores would be left, but ${why}`;
});

/** Nothing waits until a store that has just started has replicas. */
function riskOf({ observation, target, store }: PodView): string | undefined {
    const staying = stayingStores(observation, target, "tiflash", () => true) ?? [];
    const filled = staying.filter((one) => one.regionCount > 0);
    const isOnly = staying.length === 1 || (filled.length === 1 && filled[0] === store);
    if (!isOnly) {
        return undefined;
    }
    const empty = staying.filter((one) => one !== store).map(({ podName }) => podName);
    const which =
        empty.length === 0
            ? "the only TiFlash store"
            : `the only TiFlash store sure to have replicas (${empty.join(", ")} may have none yet)`;
    return `${which}: queries read from TiKV during the restart, or fail`;
}

export const tiflashLifecycle: MemberLifecycle = {
    component: "tiflash",
    volumesField: "storageClaims",
    leavesProgram: "scaled-in",
    looks: {
        rollout: ["stores", "tombstones"],
        scale: ["stores", "tombstones", "placement"],
        state: ["stores"],
    },
    planLooks: ({ parallelism = 1 }) => (parallelism === 1 ? [] : ["leadership"]),
    statusPage: storeStatus,
    beforeRestart: [batchDecided, storesListed, otherStoresUp("tiflash")],
    afterRestart: [storeUp, statusWell(storeStatus.path)],
    beforeRemoval: beforeStoreRemoval("tiflash", tooFewTiflashStores, adviceIfTooFew),
    failover: storeFailover("tiflash"),
    afterRemovalTakenBack: afterStoreRemovalTakenBack,
    refuseReplicas: refuseStoreRemoval("tiflash", tooFewTiflashStores, adviceIfTooFew),
    inPd: storeInPd,
    isDroppedByPd: isStoreOfPodRemoved,
    droppedByHand: storeDroppedByHand,
    // TiFlash replicates from TiKV, and TiKV comes later.
    cannotStartYet: (observation) => storesOf(observation, "tikv")?.some(wasUpRecently) === false,
    lacks: storeLacks,
    available: () => undefined,
    startWaitsFor: "store Up and Running",
    restartRisk: riskOf,
    noneLeft: "no TiFlash is left: no query reads from it",
    removalRisk: storeRemovalRisk,
};
