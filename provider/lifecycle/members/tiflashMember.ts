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
    storeRemovalDoes,
    storeRemovalRisk,
    storeRemovalSeconds,
    tooFewOf,
} from "../stages/storeRemoval";
import { otherStoresUp, storeUp } from "../stages/storeRestart";
import { stayingStores, storeLacks, storesOf, wasUpRecently } from "../stages/stores";
import { type PodView, viewsOf } from "../vocabulary/stage";

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

/**
 * A store that leaves has left before the restart, and a pod that does not exist has started: its store is Up then, but nothing waits
 * until it has replicas.
 */
function riskOf({ observation, target }: PodView): string | undefined {
    const staying = stayingStores(observation, target, "tiflash", () => true);
    if (staying?.length !== 1) {
        return undefined;
    }
    // A dead pod that is replaced does not start.
    const dead = observation.records.failovers?.tiflash?.failures ?? {};
    const coming = viewsOf(observation, target).filter((one) => one.pod === undefined && !(one.podName in dead));
    const which =
        coming.length === 0
            ? "the only TiFlash store"
            : `the only TiFlash store sure to have replicas (${coming.map(({ podName }) => podName).join(", ")} may have none yet)`;
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
    restartDoes: () => [],
    startWaitsFor: "store Up and Running",
    restartRisk: riskOf,
    noneLeft: "no TiFlash is left: no query reads from it",
    removalDoes: storeRemovalDoes,
    removalRisk: storeRemovalRisk,
    estimateRestartSeconds: () => 30,
    estimateRemovalSeconds: storeRemovalSeconds,
};
