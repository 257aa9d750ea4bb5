import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../provider/lifecycle/members/memberLifecycles";
import { noRecords, type Observation } from "../../../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../provider/lifecycle/walks/scale";
import { acted, decisionTable, justNow, notReady, type Row, waited } from "../../../support/lifecycle/decisionTable";
import { viewOf } from "../../../../provider/lifecycle/vocabulary/stage";
import {
    claimOf,
    type Deviation,
    longAgo,
    now,
    observed,
    storeOf,
    tiflashStoreOf,
} from "../../../support/lifecycle/observations";
import { plannedRollout } from "../../../support/lifecycle/planned";

const noTikv = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };
const tikvDown = Object.fromEntries([0, 1, 2, 3].map((one) => [one, { state: "Down" }]));

const rollout: Row[] = [
    ["nothing is stale", {}, "done"],
    ["the highest ordinal is restarted first, and nothing is evicted", { stale: [0, 1] }, "restart basic-tiflash-1"],
    ["then the next", { stale: [0], pods: { 1: justNow } }, "restart basic-tiflash-0"],
    ["one alone is restarted too", { live: 1, stale: [0] }, "restart basic-tiflash-0"],
    [
        "another TiFlash store is not Up: none is restarted",
        { stale: [0, 1], tiflash: { 0: { state: "Disconnected" } } },
        "wait other-stores-up basic-tiflash-1",
    ],
    [
        "one of another cluster that shares PD counts too",
        { stale: [1], moreStores: [tiflashStoreOf(7, { own: false, podName: "other-tiflash-7", state: "Down" })] },
        "wait other-stores-up basic-tiflash-1",
    ],
    [
        "another's pod is not Ready, though PD still calls its store Up",
        { stale: [1], pods: { 0: notReady } },
        "wait pod-available basic-tiflash-0",
    ],
    [
        "a TiKV store that is not Up does not matter",
        { stale: [1], stores: { 2: { state: "Down" } } },
        "restart basic-tiflash-1",
    ],
    [
        "regions with a pending peer do not matter",
        { stale: [1], regions: { pendingPeer: 9 } },
        "restart basic-tiflash-1",
    ],
    [
        "one that is down itself is restarted first, whatever the others are",
        {
            live: 3,
            stale: [0, 1, 2],
            pods: { 1: notReady },
            tiflash: { 1: { state: "Down" }, 2: { state: "Disconnected" } },
        },
        "restart basic-tiflash-1",
    ],
    ["a restarted pod has no store yet", { stale: [0], tiflash: { 1: undefined } }, "wait store-up basic-tiflash-1"],
    [
        "its store is not Up yet",
        { stale: [0], tiflash: { 1: { state: "Disconnected" } } },
        "wait store-up basic-tiflash-1",
    ],
    [
        "its store has not been heard from since",
        { stale: [0], pods: { 1: justNow }, tiflash: { 1: { startedAt: longAgo - 60_000 } } },
        "wait store-up basic-tiflash-1",
    ],
    [
        "it is Up and does not say Running",
        { stale: [0], trouble: { 1: "says Ready, not Running" } },
        "wait status-well basic-tiflash-1",
    ],
    [
        "a store that never comes Up fails",
        { stale: [0], tiflash: { 1: { state: "Down" } } },
        "fail store-up basic-tiflash-1",
        waited("store-up", "basic-tiflash-1", 600),
    ],
    [
        "a pod deleted by someone else in the middle is waited for",
        { stale: [0], pods: { 1: undefined } },
        "wait pod-created basic-tiflash-1",
    ],
    ["PD is unreachable", { stale: [1], pdSilent: true }, "wait pd-answers basic-pd"],
    [
        "without TiKV, which comes later, nothing is waited for",
        { stores: noTikv, tiflash: { 0: undefined, 1: undefined }, pods: { 0: notReady, 1: notReady } },
        "done",
    ],
    [
        "nor while no TiKV store is Up",
        { stores: tikvDown, tiflash: { 1: { state: "Down" } }, pods: { 1: notReady } },
        "done",
    ],
    [
        "while no TiKV store is Up, running pods are left alone: whether they came back could not be checked",
        { stale: [0, 1], stores: tikvDown },
        "done",
    ],
    [
        "while a PD that was just elected calls every TiKV store Disconnected, stale pods are not left as they are",
        {
            stale: [0, 1],
            stores: {
                0: { state: "Disconnected" },
                1: { state: "Disconnected" },
                2: { state: "Disconnected" },
                3: { state: "Disconnected" },
            },
        },
        "restart basic-tiflash-1",
    ],
    [
        "without TiKV a stale pod is recreated even if another is not Ready",
        { stale: [1], stores: noTikv, tiflash: { 0: undefined, 1: undefined }, pods: { 0: notReady, 1: notReady } },
        "restart basic-tiflash-1",
    ],
    [
        "a TiKV of another cluster is enough",
        { stores: noTikv, moreStores: [storeOf(9, { own: false })], tiflash: { 1: undefined } },
        "wait store-up basic-tiflash-1",
    ],
];

const removing = (ordinal: number): Observation["records"] => ({
    evictions: {},
    removals: { [20 + ordinal]: { pod: `basic-tiflash-${ordinal}`, begunAt: now - 60_000 } },
});
const buried = (ordinal: number) => tiflashStoreOf(ordinal, { state: "Tombstone", regionCount: 0 });
const in2to1 = { live: 2, replicas: 1 };
const bothClaims = (more = {}) => [
    claimOf("tiflash", 1, { name: "data0-basic-tiflash-1", uid: "a", ...more }),
    claimOf("tiflash", 1, { name: "data1-basic-tiflash-1", uid: "b", ...more }),
];

const scale: Row[] = [
    ["in: store Up", in2to1, "remove-store 21"],
    [
        "in: the deletion is tried again after a while",
        in2to1,
        "wait store-tombstone basic-tiflash-1",
        acted("remove-store 21", 1000),
    ],
    [
        "in: store Offline: wait",
        { ...in2to1, tiflash: { 1: { state: "Offline" } } },
        "wait store-tombstone basic-tiflash-1",
    ],
    [
        "in: Tombstone: all its volumes are given up",
        { ...in2to1, tiflash: { 1: undefined }, tombstones: [buried(1)], claims: bothClaims() },
        "release-claims data0-basic-tiflash-1 data1-basic-tiflash-1",
    ],
    [
        "in: Tombstone and released: the record goes",
        {
            ...in2to1,
            tiflash: { 1: undefined },
            tombstones: [buried(1)],
            claims: bothClaims({ released: true, releasedId: "21" }),
            records: removing(1),
        },
        "forget-removal 21",
    ],
    [
        "in: a table has more replicas than stores would be left: nothing is removed",
        { ...in2to1, tiflashReplicas: 2 },
        "fail enough-stores-stay basic-tiflash-1",
    ],
    [
        "in: the store that would take its replicas is dedicated to others: nothing is removed",
        { live: 2, replicas: 1, tiflash: { 0: { labels: { engine: "tiflash", $dedicated: "b" } } } },
        "fail enough-stores-stay basic-tiflash-1",
    ],
    [
        "in: one that stays is not Up: nothing is removed",
        { ...in2to1, tiflash: { 0: { state: "Down" } } },
        "fail enough-stores-stay basic-tiflash-1",
    ],
    [
        "in: PD did not list its rules: nothing is removed",
        { ...in2to1, unknown: ["placement"] },
        "wait enough-stores-stay basic-tiflash-1",
    ],
    [
        "in: an Up store of another cluster that shares PD can take the replicas",
        { ...in2to1, tiflashReplicas: 2, moreStores: [tiflashStoreOf(7, { own: false, podName: "other-tiflash-0" })] },
        "remove-store 21",
    ],
    [
        "in: what is on its way out is not stopped when a table gets a replica",
        { ...in2to1, tiflashReplicas: 2, tiflash: { 1: { state: "Offline" } } },
        "wait store-tombstone basic-tiflash-1",
    ],
    ["in: to none, without any table on it", { live: 1, replicas: 0, tiflashReplicas: 0 }, "remove-store 20"],
    ["in: fewer TiKV stores than max-replicas do not matter", { ...in2to1, maxReplicas: 9 }, "remove-store 21"],
    [
        "in: two at once",
        { live: 3, replicas: 1, policy: { scaleInParallelism: 2 } },
        "remove-store 21",
        acted("remove-store 22", 1000),
    ],
    [
        "taken back: its store is Up again",
        { tiflash: { 1: { state: "Offline" } }, records: removing(1) },
        "bring-store-back 21",
    ],
    [
        "reverted too late: its volumes are released",
        { tiflash: { 1: undefined }, tombstones: [buried(1)], claims: bothClaims(), records: removing(1) },
        "release-claims data0-basic-tiflash-1 data1-basic-tiflash-1",
    ],
    [
        "out: volumes of an earlier scale-in are deleted first",
        { live: 1, replicas: 2, claims: bothClaims({ released: true }) },
        "delete-claims data0-basic-tiflash-1 data1-basic-tiflash-1",
    ],
    ["out: nothing in the way", { live: 1, replicas: 2 }, "done"],
];

decisionTable("TiFlash rollout", "tiflash", rollout, nextRolloutMove);
decisionTable("TiFlash scaling", "tiflash", scale, nextScaleMove);

describe("TiFlash", () => {
    const { available, refuseReplicas, restartRisk } = memberLifecycles.tiflash;
    const refused = (row: Deviation) => {
        const { observation, target } = observed("tiflash", row);
        return refuseReplicas(observation, target);
    };

    it("is not waited for on a first deployment: TiKV comes later", () => {
        const row = { stores: noTikv, tiflash: { 0: undefined, 1: undefined }, pods: { 0: notReady, 1: notReady } };
        const { observation, target } = observed("tiflash", row);
        assert.equal(available(observation, target), undefined);
        assert.equal(nextRolloutMove(observation, target, { waits: {}, actedAt: {} }, "available").kind, "done");
    });

    it("refuses, in the preview, to keep fewer stores than a table has replicas", () => {
        assert.equal(
            refused({ live: 3, replicas: 1, tiflashReplicas: 2 }),
            "1 Up TiFlash stores would be left, but a table has 2 TiFlash replicas (PD's placement rules). Next: keep more TiFlash replicas, or first reduce those of the tables: ALTER TABLE … SET TIFLASH REPLICA <n>",
        );
        assert.equal(refused({ live: 3, replicas: 2, tiflashReplicas: 2 }), undefined);
        assert.equal(
            refused({ live: 3, replicas: 2, unknown: ["placement"] }),
            "PD's placement rules are not known: PD did not answer",
        );
        assert.equal(refused({ live: 2, replicas: 2, tiflashReplicas: 5 }), undefined, "nothing leaves");
    });

    it("says what a restart of the only store puts at risk", () => {
        const risk = (row: Deviation) => {
            const { observation, target } = observed("tiflash", row);
            return restartRisk(viewOf(observation, target, 0));
        };
        assert.ok(risk({ live: 1 }));
        assert.equal(risk({ live: 2 }), undefined);
        assert.equal(risk({ live: 2, replicas: 1 }), risk({ live: 1 }), "the other one leaves before");
        const unknown = "nothing is said of stores that PD does not list";
        assert.equal(risk({ live: 1, unknown: ["stores"] }), undefined, unknown);
    });

    it("says what the plan's own new stores change about that: they are Up by then, and may be empty", () => {
        const risks = (row: Deviation) => {
            const { observation, target } = observed("tiflash", { stale: [0], live: 1, ...row });
            return plannedRollout(observation, target).map(({ kind, target: pod, risk }) => [kind, pod, risk]);
        };
        const rest = "queries read from TiKV during the restart, or fail";
        assert.deepEqual(risks({ replicas: 2 }), [
            ["start", "basic-tiflash-1", undefined],
            [
                "restart",
                "basic-tiflash-0",
                `the only TiFlash store sure to have replicas (basic-tiflash-1 may have none yet): ${rest}`,
            ],
        ]);
        const failure = { podUid: "uid-1", claims: [], replacedBy: "basic-tiflash-2", counts: true as const, at: 0 };
        const records = {
            ...noRecords(),
            failovers: { tiflash: { uid: "1", failures: { "basic-tiflash-1": failure } } },
        };
        assert.deepEqual(
            risks({ replicas: 2, records }),
            [["restart", "basic-tiflash-0", `the only TiFlash store: ${rest}`]],
            "nothing starts a pod that a failover has given up",
        );
    });
});
