import { ports } from "../../../topology/ports";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import { tiflashRules } from "../stages/placement";
import { statusWell } from "../stages/statusWell";
import { storesListed } from "../stages/storeList";
import {
    afterStoreRemovalTakenBack,
    beforeStoreRemoval,
    isRemovedFromPd,
    refuseStoreRemoval,
    storeRemovalDoes,
    storeRemovalSeconds,
    tooFewOf,
} from "../stages/storeRemoval";
import { otherStoresUp, storeUp } from "../stages/storeRestart";
import { wasUpRecently, storeLacks, storesOf } from "../stages/stores";

/**
 * TiFlash's rules. Its stores hold learners: they lead nothing and count in no majority, so that nothing is moved away
 * before a restart. Facts from tidb-operator pkg/manager/member/tiflash_upgrader.go and tiflash_scaler.go.
 */

/** Where a store says in a word how far it is. Before 5.1.2 there is no such page. */
const storeStatus = { port: ports.tiflash.proxyStatus, path: "/tiflash/store-status", says: "Running" } as const;

const whereTooFew = "keep more TiFlash replicas, or give the tables fewer first: ALTER TABLE … SET TIFLASH REPLICA <n>";

/**
 * Each TiFlash replica of a table is on another store, so that the learners of a store that goes would have no place.
 * tidb-operator leaves that to its user; PD's placement rules say how many there are.
 */
const tooFewStores = tooFewOf("tiflash", "PD's placement rules are", (placement, { length: staying }) => {
    const replicas = tiflashRules(placement).reduce((most, { count }) => Math.max(most, count), 0);
    return staying >= replicas
        ? undefined
        : `${staying} Up TiFlash stores would be left, and a table has ${replicas} TiFlash replicas (PD's placement rules)`;
});

export const tiflashLifecycle: MemberLifecycle = {
    component: "tiflash",
    leavesProgram: "scaled-in",
    looks: {
        rollout: ["stores"],
        scale: ["stores", "tombstones", "placement"],
        state: ["stores"],
    },
    statusPage: storeStatus,
    beforeRestart: [storesListed, otherStoresUp("tiflash")],
    afterRestart: [storeUp, statusWell(storeStatus.path)],
    beforeRemoval: beforeStoreRemoval(tooFewStores, whereTooFew),
    afterRemovalTakenBack: afterStoreRemovalTakenBack,
    refuseReplicas: refuseStoreRemoval(tooFewStores, whereTooFew),
    isRemovedFromPd,
    // Without TiKV there is nothing to learn, and TiKV comes later.
    cannotStartYet: (observation) => storesOf(observation, "tikv")?.some(wasUpRecently) === false,
    lacks: storeLacks,
    available: () => undefined,
    restartDoes: () => [],
    startWaitsFor: "store Up and Running",
    restartWaitsFor: "store Up and Running",
    restartRisk: ({ observation }) =>
        storesOf(observation, "tiflash")?.length === 1
            ? "the only TiFlash store: queries read from TiKV meanwhile, or fail"
            : undefined,
    removalDoes: storeRemovalDoes,
    estimateRestartSeconds: () => 30,
    estimateRemovalSeconds: storeRemovalSeconds,
};
