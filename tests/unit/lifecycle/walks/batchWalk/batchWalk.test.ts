import * as assert from "node:assert/strict";
import { rememberWait } from "../../../../../provider/lifecycle/vocabulary/memory";
import { recordsAfter, recordsBefore } from "../../../../../provider/lifecycle/vocabulary/actions";
import { noRecords, type Observation } from "../../../../../provider/lifecycle/vocabulary/observation";
import { isSafePoint } from "../../../../../provider/lifecycle/walks/safeStopPoint";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { decisionTable, notReady, type Row } from "../../../../support/lifecycle/decisionTable";
import {
    type Deviation,
    emptyMemory,
    inShort,
    now,
    observed,
    raised,
} from "../../../../support/lifecycle/observations";
import { batchOf, evictionsOf, regionOn, zoned } from "../../../../support/lifecycle/zones";

const both = evictionsOf([5, 2]);
/** The batch of 5 and 2, whose leaders have left. */
const ready: Deviation = {
    records: batchOf([5, 2], both),
    evicted: [15, 12],
    ownLeaders: { 5: 0, 2: 0 },
    stores: { 5: { leaderCount: { reported: 0 } }, 2: { leaderCount: { reported: 0 } } },
    leadership: { regionCount: 4000 },
    regions: { isolation: { zone: 4000 } },
};
/** The batch of 8, 5 and 2. */
const three: Deviation = {
    live: 9,
    records: batchOf([8, 5, 2], evictionsOf([8, 5, 2])),
    evicted: [18, 15, 12],
    stale: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ownLeaders: { 8: 0, 5: 0, 2: 0 },
    stores: {
        ...ready.stores,
        8: { labels: { zone: "c", host: "h8" }, leaderCount: { reported: 0 }, regionCount: 0 },
        6: {},
        7: {},
    },
};
const gone = { 5: undefined };
/** The pods that are still to restart once 5 has. */
const restarted = [0, 1, 2, 3, 4];
/** Both run without being Ready, and PD hears neither of them. */
function bothDown(more: Deviation["stores"] = {}): Deviation {
    const down = { state: "Down", leaderCount: { reported: 0 } };
    return {
        ownLeaders: { 5: 0, 2: 0 },
        pods: { 5: { ready: false }, 2: { ready: false } },
        stores: { ...more, 5: down, 2: down },
    };
}
const isBack = { 5: { createdAt: now - 20_000, readySince: now - 10_000 } };
const rows: Row[] = [
    ["its leaders begin to leave, one store after the other", zoned({ records: batchOf([5, 2]) }), "begin-eviction 15"],
    [
        "without waiting for those of the first",
        zoned({ records: batchOf([5, 2], evictionsOf([5])), evicted: [15], ownLeaders: { 5: 9 } }),
        "begin-eviction 12",
    ],
    [
        "all stores are asked for their leaders at once",
        zoned({ ...ready, ownLeaders: {} }),
        "look ownLeadersOfAll:[basic-tikv-5,basic-tikv-2]",
    ],
    [
        "none restarts before the leaders of all have left",
        zoned({ ...ready, ownLeaders: { 5: 0, 2: 3 }, stores: { 5: { leaderCount: { reported: 0 } } } }),
        "wait leaders-evicted basic-tikv-2",
    ],
    ["then the first one does", zoned(ready), "restart basic-tikv-5"],
    ["the next one does not wait until it is back", zoned({ ...ready, pods: gone }), "restart basic-tikv-2"],
    ["nor until it has stopped", zoned({ ...ready, pods: { 5: { terminating: true } } }), "restart basic-tikv-2"],
    [
        "nor does it mind that the first one is Down",
        zoned({ ...ready, pods: gone, stores: { ...ready.stores, 5: { state: "Down" } } }),
        "restart basic-tikv-2",
    ],
    [
        "the first one starts for less than a minute: the next one does not wait",
        zoned({ ...ready, stale: restarted, pods: { 5: { ...notReady, seenSince: now - 59_000, createdAt: 0 } } }),
        "restart basic-tikv-2",
    ],
    [
        "for longer: the new template takes no other one down",
        zoned({
            ...ready,
            stale: restarted,
            pods: { 5: { ...notReady, seenSince: now - 61_000, createdAt: 2 * now } },
        }),
        "wait pod-available basic-tikv-5",
    ],
    [
        "the first one crashes: likewise, however new it is",
        zoned({
            ...ready,
            stale: restarted,
            pods: { 5: { ...notReady, seenSince: now - 9_000, trouble: "CrashLoopBackOff" } },
        }),
        "wait pod-available basic-tikv-5",
    ],
    [
        "it runs, and its store is not Up: likewise",
        zoned({ ...ready, stale: restarted, stores: { ...ready.stores, 5: { state: "Disconnected" } } }),
        "wait store-up basic-tikv-5",
    ],
    [
        "it crashes, and a corrected template waits: it restarts at once",
        zoned({ ...ready, pods: { 5: { ...notReady, trouble: "CrashLoopBackOff" } } }),
        "restart basic-tikv-5",
    ],
    [
        "leaders of the others do not leave for a template that crashes",
        zoned({
            records: batchOf([5, 2], evictionsOf([5])),
            evicted: [15],
            stale: restarted,
            pods: { 5: { ...notReady, trouble: "CrashLoopBackOff" } },
        }),
        "wait pod-available basic-tikv-5",
    ],
    [
        "once it is back, the next one restarts beside none",
        zoned({ ...ready, records: batchOf([5, 2], evictionsOf([2])), evicted: [12], stale: restarted }),
        "restart basic-tikv-2",
    ],
    [
        "a store of another zone is lost in the middle: none restarts any more",
        zoned({ ...ready, pods: gone, stores: { ...ready.stores, 1: { state: "Disconnected" } } }),
        "wait pod-created basic-tikv-5",
    ],
    ["so is its pod", zoned({ ...ready, pods: { ...gone, 1: { ready: false } } }), "wait other-stores-up basic-tikv-2"],
    [
        "a store of the same zone that is not in the batch is lost: likewise",
        zoned({
            ...ready,
            live: 7,
            pods: gone,
            stores: { ...ready.stores, 6: { state: "Down", labels: { zone: "c" } } },
        }),
        "wait pod-created basic-tikv-5",
    ],
    [
        "a region has moved, and has two voters in one zone: likewise",
        zoned({ ...ready, pods: gone, regions: { isolation: { zone: 3999, host: 1 } } }),
        "wait pod-created basic-tikv-5",
    ],
    [
        "a region has lost a voter elsewhere: likewise",
        zoned({
            ...ready,
            pods: gone,
            regions: { isolation: { zone: 4000 }, missPeer: 1 },
            shortRegions: [regionOn(1, 2, 1)],
        }),
        "wait pod-created basic-tikv-5",
    ],
    [
        "PD's leader has changed: nothing is proven until it can know",
        zoned({ ...ready, pods: gone, leadership: { heldFor: 10_000, regionCount: 4000 } }),
        "wait pod-created basic-tikv-5",
    ],
    [
        "the program no longer asks for batches",
        zoned({ ...ready, pods: gone, policy: { parallelism: undefined } }),
        "wait pod-created basic-tikv-5",
    ],
    [
        "the program asks for fewer side by side than the batch on record has",
        zoned({ ...ready, ...three, pods: gone, policy: { parallelism: 2 } }),
        "wait pod-created basic-tikv-5",
    ],
    [
        "it asks for as many",
        zoned({ ...ready, ...three, pods: gone, policy: { parallelism: 3 } }),
        "restart basic-tikv-8",
    ],
    [
        "without a proof from the start they restart one by one, those of the batch first",
        zoned({ ...ready, records: batchOf([3, 0]), evicted: [], regions: { isolation: { none: 4000 } } }),
        "begin-eviction 13",
    ],
    [
        "and the second one waits for the first one",
        zoned({
            ...ready,
            stale: [0, 1, 2, 3, 4],
            stores: { ...ready.stores, 5: { state: "Down" } },
            regions: { isolation: { none: 4000 } },
        }),
        "wait store-up basic-tikv-5",
    ],
    [
        "a restarted store's eviction ends while the other one still waits for its leaders",
        zoned({
            ...ready,
            stale: [0, 1, 2, 3, 4],
            ownLeaders: { 2: 3 },
            stores: { 5: { leaderCount: { reported: 0 } } },
        }),
        "end-eviction 15",
    ],
    [
        "both come back side by side: neither waits for the other",
        zoned({ ...ready, stale: [0, 1, 3, 4], pods: { 5: { ...notReady } } }),
        "end-eviction 12",
    ],
    [
        "the next batch waits until all are back",
        zoned({ ...ready, records: batchOf([5, 2]), evicted: [], stale: [0, 1, 3, 4], pods: { 5: { ...notReady } } }),
        "wait pod-available basic-tikv-5",
    ],
    [
        "once they are, its record goes",
        zoned({ records: batchOf([5, 2]), stale: [0, 1, 3, 4], pods: isBack }),
        "forget-batch basic-tikv-5 basic-tikv-2",
    ],
    [
        "also if nobody asks for batches any more",
        zoned({ records: batchOf([5, 2]), stale: [], policy: { parallelism: 1 } }),
        "forget-batch basic-tikv-5 basic-tikv-2",
    ],
    [
        "and if its pods are no longer wanted",
        zoned({ records: batchOf([7, 6]), stale: [] }),
        "forget-batch basic-tikv-7 basic-tikv-6",
    ],
    [
        "a pod whose store is another one by now is not of the batch",
        zoned({
            records: { ...noRecords(), batch: { component: "tikv", stores: { "basic-tikv-5": 99 }, begunAt: now } },
        }),
        "forget-batch basic-tikv-5",
    ],
    [
        "the batch of another member is none of TiKV's, and its record is not overwritten",
        zoned({
            records: { ...noRecords(), batch: { component: "tiflash", stores: { "basic-tikv-5": 15 }, begunAt: now } },
        }),
        "begin-eviction 15",
    ],
    ...[3000, 0].map((downPeer): Row => [
        `both run, and register no more (${downPeer} regions lack a voter): a corrected template reaches them`,
        zoned({
            ...{ ...ready, ...bothDown(), regions: { isolation: { zone: 4000 }, downPeer } },
            ...(downPeer === 0
                ? {}
                : { regionsOf: { stores: [15], regions: [regionOn(1, [5, { isBehind: true }], 0, 1)] } }),
        }),
        "restart basic-tikv-5",
    ]),
    [
        "both run, and register no more: a region that has no other majority keeps them from it",
        zoned({
            ...{ ...ready, ...bothDown(), regions: { isolation: { zone: 4000 }, downPeer: 3000 } },
            regionsOf: { stores: [15], regions: [regionOn(1, 5, [0, { isBehind: true }], 1)] },
        }),
        "wait majorities-stay basic-tikv-5",
    ],
    [
        "one registers no more, and the other one is Up, and its pod is not Ready",
        zoned({
            ...{ ...ready, ...bothDown(), regions: { isolation: { zone: 4000 }, downPeer: 3000 } },
            stores: { ...ready.stores, 5: { state: "Down", leaderCount: { reported: 0 } } },
        }),
        "wait other-stores-up basic-tikv-5",
    ],
    [
        "both register no more, and one of another zone does not, either",
        zoned({
            ...{
                ...ready,
                ...bothDown({ 1: { state: "Down" } }),
                regions: { isolation: { zone: 4000 }, downPeer: 3000 },
            },
        }),
        "wait other-stores-up basic-tikv-5",
    ],
    [
        "a member whose process does not run is restarted at once",
        zoned({
            records: batchOf([5, 2], evictionsOf([5])),
            evicted: [15],
            ownLeaders: { 5: 9 },
            pods: { 2: { ...notReady } },
        }),
        "restart basic-tikv-2",
    ],
];
decisionTable("the batch on record", "tikv", rows, nextRolloutMove);

describe("a run that is asked to stop in the middle of a batch", () => {
    const next = (row: Deviation) => {
        const { observation, target } = observed("tikv", zoned(row));
        const asked = { ...observation, stopRequest: "ana@laptop" };
        const move = nextRolloutMove(asked, target, emptyMemory);
        return { move: inShort(move), isSafe: isSafePoint(asked, move) };
    };
    it("restarts no further store, and waits for the one that is down", () => {
        for (const pods of [gone, { 5: { terminating: true } }]) {
            const { move, isSafe } = next({
                ...ready,
                stale: pods === gone ? [0, 1, 2, 3, 4] : [0, 1, 2, 3, 4, 5],
                pods,
            });
            assert.ok(move.startsWith("wait pod-") && move.endsWith(" basic-tikv-5"), move);
            assert.ok(!isSafe);
        }
    });
    it("neither waits with those that have not restarted, nor lets leaders stay away from the one that is back", () => {
        const { move, isSafe } = next({ ...ready, stale: [0, 1, 2, 3, 4] });
        assert.equal(move, "end-eviction 15");
        assert.ok(isSafe, "all evictions may end, and the run with them");
    });
});

const limits = { "leader-schedule-limit": 64 };
const over = (records: Observation["records"], more: Deviation = {}): Deviation =>
    zoned({
        ...more,
        records: raised(undefined, records),
        limits,
        stale: [0, 1, 3, 4],
        policy: { evictionWindow: {}, ...more.policy },
    });
decisionTable(
    "PD's limits of moving leaders",
    "tikv",
    [
        [
            "stay raised for the leaders of the others",
            over(
                batchOf(
                    [5, 2],
                    evictionsOf([5], { endedAt: now - 9, endedUnder: "7", isGone: true, leadersBefore: 500 }),
                ),
                {
                    pods: { 2: { ...notReady } },
                },
            ),
            "forget-eviction 15",
        ],
        [
            "are put back after the whole batch",
            over(batchOf([5, 2])),
            "put-back-limits PD's leader-schedule-limit from 64 to 4",
        ],
        [
            "and not raised again for those whose evictions stay on record",
            over(batchOf([5, 2], evictionsOf([5, 2], { endedAt: now - 9, endedUnder: "7", leadersBefore: 500 })), {
                persisted: null,
            }),
            "put-back-limits PD's leader-schedule-limit from 64 to 4",
        ],
    ],
    nextRolloutMove,
);

describe("the record of a batch", () => {
    it("is written before it begins, and goes alone", () => {
        const stores = { "basic-tikv-5": 15, "basic-tikv-2": 12 };
        const begun = recordsBefore(evictionsOf([5]), { do: "begin-batch", component: "tikv", stores }, now);
        assert.deepEqual(begun, { ...evictionsOf([5]), batch: { component: "tikv", stores, begunAt: now } });
        const action = { do: "forget-batch", component: "tikv", pods: [] } as const;
        assert.deepEqual(recordsAfter(begun, action, now), evictionsOf([5]));
        assert.equal(recordsBefore(begun, action, now), begun);
    });
    it("and its end mark all of its stores, so that their limits are not raised again", () => {
        const { observation, target } = observed(
            "tikv",
            over(batchOf([5, 2], evictionsOf([5, 2], { endedAt: now - 9, endedUnder: "7", leadersBefore: 500 })), {
                persisted: null,
            }),
        );
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.ok(move.kind === "act");
        const { evictions, raisedLimits } = recordsAfter(observation.records, move.action, now);
        assert.deepEqual([evictions[15].limitsBack, evictions[12].limitsBack, raisedLimits], [true, true, undefined]);
    });
});

describe("a batch that waits", () => {
    it("counts the times of all its pods", () => {
        const row = zoned({ ...ready, ownLeaders: { 5: 2, 2: 3 }, stores: {} });
        const { observation, target } = observed("tikv", row);
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.equal(inShort(move), "wait leaders-evicted basic-tikv-5");
        assert.ok(move.kind === "wait");
        const { waits } = rememberWait(emptyMemory, move, now);
        assert.deepEqual(Object.keys(waits), ["leaders-evicted basic-tikv-5", "leaders-evicted basic-tikv-2"]);
        const kept = rememberWait({ waits, actedAt: {} }, move, now + 30_000);
        assert.equal(kept.waits["leaders-evicted basic-tikv-2"].since, now);
    });
});

describe("the user's deadlines in a batch", () => {
    const patience = { evictLeaderTimeoutSeconds: 600, afterEvictLeaderTimeout: "restart" } as const;
    const moveAt = (seconds: number, row: Deviation, step = "leaders-evicted", ordinals = [5, 2]) => {
        const { observation, target } = observed("tikv", zoned({ ...ready, policy: patience, ...row }));
        const wait = { since: now - seconds * 1000, seenAt: now - 1_000 };
        const waits = Object.fromEntries(ordinals.map((one) => [`${step} basic-tikv-${one}`, wait]));
        return nextRolloutMove(observation, target, { waits, actedAt: {} });
    };
    const leading = { ownLeaders: { 5: 400, 2: 400 }, stores: {} };
    const oneLeads = { ownLeaders: { 5: 400, 2: 0 }, stores: { 2: { leaderCount: { reported: 0 } } } };

    it("to evict leaders is as many times as long as stores share PD's rate", () => {
        assert.equal(inShort(moveAt(1_199, leading)), "wait leaders-evicted basic-tikv-5");
        assert.equal(inShort(moveAt(1_201, leading)), "restart basic-tikv-5");
        const alone = { ...leading, records: evictionsOf([5]), evicted: [15], policy: { ...patience, parallelism: 1 } };
        assert.equal(inShort(moveAt(601, alone)), "restart basic-tikv-5");
    });
    it("lets no store restart with leaders beside another one", () => {
        assert.equal(inShort(moveAt(1_201, oneLeads)), "restart basic-tikv-2");
        const down = moveAt(1_201, { ...oneLeads, pods: { 2: undefined } });
        assert.equal(inShort(down), "wait pod-created basic-tikv-2");
        const both = { ...leading, stale: [0, 1, 2, 3, 4], pods: { 5: { ...notReady } } };
        assert.equal(inShort(moveAt(1_201, both, "leaders-evicted", [2])), "wait pod-available basic-tikv-5");
    });
    it("and the time that is over stays over until the others are back", () => {
        const down = moveAt(1_201, { ...oneLeads, pods: { 2: undefined } });
        assert.ok(down.kind === "wait");
        assert.deepEqual(down.passed, ["leaders-evicted basic-tikv-5"]);
    });
    it("to get leaders back is as many times as long, too", () => {
        const ended = { endedAt: now - 9, endedUnder: "7", isGone: true, leadersBefore: 500 };
        const row = {
            records: batchOf([5, 2], evictionsOf([5, 2], ended)),
            evicted: [],
            stale: [0, 1, 3, 4],
            stores: { 5: { leaderCount: { reported: 9 } }, 2: { leaderCount: { reported: 9 } } },
            leadership: { regionCount: 4018 },
        };
        const back = (seconds: number) => inShort(moveAt(seconds, row, "leaders-back"));
        assert.equal(back(799), "wait leaders-back basic-tikv-5");
        assert.equal(back(801), "forget-eviction 15");
    });
});

describe("a PD that keeps the stores of a batch paused (tikv/pd#9185)", () => {
    const ended = { endedAt: now - 90_000, endedUnder: "6", isGone: true, leadersBefore: 500 };
    const wait = { since: now - 61_000, seenAt: now - 1_000 };
    const waits = { "leaders-may-return basic-tikv-5": wait, "leaders-may-return basic-tikv-2": wait };
    const none = { leaderCount: { reported: 0 } };
    const paused = (more: Deviation = {}) => {
        const { observation, target } = observed(
            "tikv",
            zoned({
                records: batchOf([5, 2], evictionsOf([5, 2], ended)),
                ...{ stale: [0, 1, 3, 4], stores: { 5: none, 2: none }, ownLeaders: { 5: 0, 2: 0 } },
                ...{ leadership: { regionCount: 4000, term: "8" }, regions: { isolation: { zone: 4000 } } },
                ...more,
            }),
        );
        return { observation, move: nextRolloutMove(observation, target, { waits, actedAt: {} }) };
    };
    it("gets another leader once for all of them", () => {
        const { observation, move } = paused();
        assert.ok(move.kind === "act");
        assert.deepEqual(move.action, {
            ...{ do: "transfer-leader", from: "basic-pd-0", to: "basic-pd-1" },
            unpauses: [15, 12],
        });
        const { evictions } = recordsBefore(observation.records, move.action, now);
        assert.deepEqual([evictions[15].unpaused, evictions[12].unpaused], [true, true]);
        const open = paused({ records: batchOf([5, 2], { ...evictionsOf([5], ended) }) }).move;
        assert.ok(open.kind === "act" && open.action.do === "transfer-leader");
        assert.deepEqual(open.action.unpauses, [15], "a store whose eviction has not ended is not paused by mistake");
    });
    it("gets none while its leader is new, whose counts say nothing", () => {
        const { move } = paused({ leadership: { heldFor: 10_000, regionCount: 4000, term: "8" } });
        assert.equal(inShort(move), "wait store-unpaused basic-tikv-5");
    });
});
