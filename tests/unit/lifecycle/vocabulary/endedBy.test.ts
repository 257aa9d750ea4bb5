import * as assert from "node:assert/strict";
import { endedByAny, withStoreNow } from "../../../../provider/lifecycle/vocabulary/endedBy";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Move } from "../../../../provider/lifecycle/vocabulary/move";
import type { ObservedStore } from "../../../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../provider/lifecycle/walks/scale";
import { acted } from "../../../support/lifecycle/decisionTable";
import { type Deviation, evicting, now, observed, storeOf } from "../../../support/lifecycle/observations";

/** Store 12, of pod basic-tikv-2, while its leaders are evicted. */
const evicted: Deviation = {
    pods: { 2: { revision: "old" } },
    evicted: [12],
    records: evicting(2),
    ownLeaders: { 2: 400 },
    stores: { 2: { leaderCount: { reported: 410 } } },
};

const seen = observed("tikv", evicted);
const storeNow = (more: Partial<ObservedStore>) => storeOf(2, { leaderCount: { reported: 410 }, ...more });
const movesOf = (row: Deviation): Move => {
    const { observation, target } = observed("tikv", row);
    return nextRolloutMove(observation, target, emptyMemory);
};
const storesIn = (all: typeof seen.observation) => (all.pd.stores.known ? all.pd.stores.value : []);

describe("what PD reports of one store during a wait", () => {
    it("takes the place of what it reported before, and everything else stays", () => {
        const narrow = withStoreNow(seen.observation, storeNow({ leaderCount: { reported: 350 }, pendingPeers: 4 }));
        assert.ok(narrow);
        const [before, after] = [storesIn(seen.observation), storesIn(narrow)];
        const at12 = after.findIndex(({ id }) => id === 12);
        assert.equal(after[at12].leaderCount.reported, 350);
        assert.equal(after[at12].pendingPeers, 4);
        const others = (all: ObservedStore[]) => all.filter(({ id }) => id !== 12);
        assert.deepEqual(others(after), others(before));
        assert.equal(narrow.ownLeaders, seen.observation.ownLeaders);
        assert.equal(narrow.pd.evictedStores, seen.observation.pd.evictedStores);
    });

    it("keeps the wait: its heartbeat does not make those of the other stores look late", () => {
        const narrow = withStoreNow(seen.observation, storeNow({ lastHeartbeat: now + 60_000 }));
        assert.ok(narrow);
        const move = nextRolloutMove(narrow, seen.target, emptyMemory);
        assert.equal(move.kind === "wait" && move.step, "leaders-evicted", JSON.stringify(move));
    });

    const news: Record<string, Partial<ObservedStore>> = {
        "another state": { state: "Disconnected" },
        "a start of its process": { startedAt: now },
        "another address": { address: "elsewhere:20160" },
        "the last leader": { leaderCount: { reported: 0 } },
        "another store": { id: 99 },
    };
    for (const [what, more] of Object.entries(news)) {
        it(`makes everything be asked again if it is ${what}`, () => {
            assert.equal(withStoreNow(seen.observation, storeNow(more)), undefined);
        });
    }

    it("makes everything be asked again if the store comes to lead", () => {
        const none = { leaderCount: { reported: 0 } };
        const empty = observed("tikv", { stores: { 2: none } }).observation;
        assert.equal(withStoreNow(empty, storeNow({ leaderCount: { reported: 1 } })), undefined);
        assert.ok(withStoreNow(empty, storeNow(none)));
    });

    it("is enough if the store is silent for longer, or loses its last region", () => {
        const silent = observed("tikv", { stores: { 2: { state: "Disconnected" } } }).observation;
        const narrow = withStoreNow(silent, storeNow({ state: "Down", regionCount: 0 }));
        assert.ok(narrow);
        const store = storesIn(narrow).find(({ id }) => id === 12);
        assert.deepEqual([store?.state, store?.regionCount], ["Down", 0]);
        assert.equal(withStoreNow(silent, storeNow({ state: "Up" })), undefined);
    });

    it("makes the store be asked again once PD counts no leaders, as long as the store counted some", () => {
        const none = { ...evicted, stores: { 2: { leaderCount: { reported: 0 } } } };
        const now0 = storeNow({ leaderCount: { reported: 0 } });
        assert.equal(withStoreNow(observed("tikv", none).observation, now0), undefined);
        assert.ok(withStoreNow(observed("tikv", { ...none, ownLeaders: { 2: 0 } }).observation, now0));
    });

    it("makes the store be asked again if its own count is not known", () => {
        const silent = observed("tikv", { ...evicted, ownLeaders: { 2: null } }).observation;
        assert.equal(withStoreNow(silent, storeNow({})), undefined);
    });

    it("is no answer if the stores were not known", () => {
        const { observation } = observed("tikv", { ...evicted, unknown: ["stores"] });
        assert.equal(withStoreNow(observation, storeNow({})), undefined);
    });
});

describe("what alone can end a wait", () => {
    const record = { ...evicting(2, { endedAt: now - 1000, leadersBefore: 900, isGone: true }) };
    const rows: Record<string, [Deviation, string, unknown]> = {
        "the store, while its leaders are evicted": [evicted, "leaders-evicted", { storeIds: [12] }],
        "the store, while it is not Up": [
            { records: record, stores: { 2: { state: "Disconnected" } } },
            "store-up",
            { storeIds: [12] },
        ],
        "the store, while no leader has come back": [
            { records: record, ownLeaders: { 2: 0 }, stores: { 2: { leaderCount: { reported: 0 } } } },
            "leaders-may-return",
            { storeIds: [12] },
        ],
        "the store, while its leaders come back": [
            { stale: [1], records: record, ownLeaders: { 2: 10 }, stores: { 2: { leaderCount: { reported: 10 } } } },
            "leaders-back",
            { storeIds: [12] },
        ],
        "more than the store, while PD's counts cannot be trusted and no leader has come back": [
            { records: record, ownLeaders: { 2: 0 }, leadership: { heldFor: 5_000 } },
            "leaders-may-return",
            undefined,
        ],
        "more than the store, while PD's counts cannot be trusted and leaders come back": [
            { stale: [1], records: record, ownLeaders: { 2: 10 }, leadership: { heldFor: 5_000 } },
            "leaders-back",
            undefined,
        ],
        "Kubernetes, while a pod is missing": [{ pods: { 2: undefined } }, "pod-created", "kubernetes"],
        "Kubernetes, while a pod stops": [{ pods: { 2: { terminating: true } } }, "pod-stopped", "kubernetes"],
        "Kubernetes, while a pod is not Ready": [{ pods: { 2: { ready: false } } }, "pod-available", "kubernetes"],
        "not one thing, while a store is not registered": [{ stores: { 2: undefined } }, "store-up", undefined],
    };
    for (const [what, [row, step, endedBy]] of Object.entries(rows)) {
        it(`is ${what}`, () => {
            const move = movesOf(row);
            assert.ok(move.kind === "wait", JSON.stringify(move));
            assert.deepEqual([move.step, move.endedBy], [step, endedBy]);
        });
    }

    it("is not one thing, while an eviction was begun and PD does not list it yet", () => {
        const { observation, target } = observed("tikv", { ...evicted, evicted: [] });
        const move = nextRolloutMove(observation, target, acted("begin-eviction 12", 1_000));
        assert.ok(move.kind === "wait", JSON.stringify(move));
        assert.deepEqual([move.step, move.waitAs, move.endedBy], ["leaders-evicted", "eviction-begun", undefined]);
    });

    const offline = { state: "Offline" };
    const leaving = (scaleInParallelism: number) => {
        const row = { live: 5, replicas: 3, stores: { 3: offline, 4: offline }, policy: { scaleInParallelism } };
        const { observation, target } = observed("tikv", row);
        const move = nextScaleMove(observation, target, emptyMemory);
        assert.ok(move.kind === "wait", JSON.stringify(move));
        return [move.step, move.endedBy];
    };

    it("is the store, while it leaves", () => {
        assert.deepEqual(leaving(1), ["store-tombstone", { storeIds: [14] }]);
    });

    it("is each of the stores, while several leave at once", () => {
        assert.deepEqual(leaving(2), ["store-tombstone", { storeIds: [14, 13] }]);
    });

    it("of several waits is more than the stores only if one of them is ended by more", () => {
        const [one, other] = [{ endedBy: { storeIds: [12] } }, { endedBy: { storeIds: [13, 12] } }];
        assert.deepEqual(endedByAny([one, other, { endedBy: "kubernetes" }]), { storeIds: [12, 13] });
        assert.equal(endedByAny([{ endedBy: "kubernetes" }, { endedBy: "kubernetes" }]), "kubernetes");
        assert.equal(endedByAny([one, {}]), undefined);
    });
});
