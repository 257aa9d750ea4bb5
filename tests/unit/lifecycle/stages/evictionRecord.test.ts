import * as assert from "node:assert/strict";
import { isEvicted, openEvictionOf } from "../../../../provider/lifecycle/stages/evictionRecord";
import type { Stage } from "../../../../provider/lifecycle/vocabulary/stage";
import { afterTikvRestart } from "../../../../provider/lifecycle/stages/tikvRestart";
import { podView, stageOf, type StageRow, stageTable } from "../../../support/lifecycle/inWords";
import { type Deviation, evicting, now } from "../../../support/lifecycle/observations";

const stage = (name: string): Stage => stageOf(afterTikvRestart, name);
const table = (name: string, rows: StageRow[]) =>
    stageTable(`after a TiKV restart, ${name}`, stage(name), "tikv", 3, rows);
const open = evicting(3);
const ended = (more: object = {}) => evicting(3, { endedAt: now - 1_000, endedUnder: "7", ...more });
const noStore = { stores: { 3: undefined } };
const end = "end the eviction of store 13 (basic-tikv-3)";

describe("a store is evicted", () => {
    it("where PD lists it, and nowhere else", () => {
        const is = (row: Deviation) => isEvicted(podView("tikv", 3, row));
        assert.ok(is({ evicted: [12, 13] }));
        assert.ok(!is({ evicted: [12] }));
        assert.ok(!is({ evicted: [13], unknown: ["evictedStores"] }));
        assert.ok(!is({ evicted: [13], ...noStore }));
    });
    it("by us, as long as we have not ended it", () => {
        const is = (row: Deviation) => openEvictionOf(podView("tikv", 3, row)) !== undefined;
        assert.deepEqual(
            [is({ records: open }), is({ records: ended() }), is({ records: evicting(2) }), is({})],
            [true, false, false, false],
        );
    });
});

table("eviction-ended", [
    ["there was none", {}, true],
    ["someone else's eviction is left alone", { evicted: [13] }, true],
    ["ours has ended", { records: ended() }, true],
    ["ours lasts", { records: open }, "store 13 (basic-tikv-3) is still under eviction", end],
    [
        "PD has not loaded its schedulers: it would acknowledge the end, and bring it back",
        { records: open, leadership: { hasSchedulers: false } },
        "stores under eviction are not known: PD has not loaded its schedulers",
        "nothing",
    ],
]);

const gone = "it is not recorded yet that PD has dropped the ended eviction of store 13 (basic-tikv-3)";
const kept = "PD still keeps the ended eviction of store 13 (basic-tikv-3)";
const lookAgain = { look: { parts: ["persisted-evictions", "leadership", "evicted-stores"] } } as const;
table("eviction-gone", [
    ["there was none", {}, true, "nothing"],
    ["PD lists no store", { ...noStore, records: ended() }, true, "nothing"],
    ["that is recorded", { records: ended({ isGone: true }), notAsked: ["persistedEvictions"] }, true],
    ["PD's etcd was not queried", { records: ended(), notAsked: ["persistedEvictions"] }, lookAgain],
    ["PD's etcd no longer has it", { records: ended() }, gone, "record that PD has dropped the eviction of store 13"],
    ["PD's etcd still has it: the next leader would bring it back", { records: ended(), persisted: [13] }, kept, end],
    ["another leader lists it again", { records: ended({ endedUnder: "6" }), evicted: [13] }, kept, end],
    [
        "the leader under which it was ended lists one again: it is someone else's",
        { records: ended(), evicted: [13] },
        gone,
        "record that PD has dropped the eviction of store 13",
    ],
    [
        "PD does not list evictions",
        { records: ended(), unknown: ["evictedStores"] },
        "PD does not report which stores are under eviction",
        "nothing",
    ],
    [
        "PD's leader is not known",
        { records: ended(), leadership: null },
        "PD does not report which stores are under eviction",
        "nothing",
    ],
    [
        "its etcd cannot be read: it is checked under the next leader",
        { records: ended(), persisted: null },
        true,
        "nothing",
    ],
    [
        "its etcd cannot be read, and a later leader does not list it",
        { records: ended({ endedUnder: "6" }), persisted: null },
        gone,
    ],
]);

describe("an eviction that is ended", () => {
    const act = (row: Deviation) => stage("eviction-ended").act?.(podView("tikv", 3, row));
    const action = { do: "end-eviction", storeId: 13, pod: "basic-tikv-3" };
    it("is recorded with the PD leader at that time: the next one may bring it back", () => {
        assert.deepEqual(act({ records: open, leadership: { term: "9" } }), { ...action, under: "9" });
        assert.deepEqual(act({ records: open, leadership: null }), { ...action, under: undefined });
    });
    it("is none where PD lists no store", () => assert.equal(act({ records: open, ...noStore }), undefined));
});

const back = (reported: number, more: Deviation = {}): Deviation => ({
    ...{ stores: { 3: { leaderCount: { reported } } }, records: ended({ isGone: true }) },
    ...more,
});
const before = (leadersBefore: number) => ({ records: ended({ isGone: true, leadersBefore }) });
const young = { leadership: { heldFor: 20_000 } };
const askOwn = { look: { ownLeadersOf: "basic-tikv-3" } };

table("leaders-back", [
    ["none were moved away", { stores: { 3: { leaderCount: { reported: 0 } } } }, true],
    ["fewer than 200 were", back(0, before(199)), true],
    ["200 were", back(0, before(200)), { lacks: "0 of 133 leaders are back on store 13 (basic-tikv-3)", left: 133 }],
    ["two thirds are back", back(333), true],
    ["one less is", back(332), { lacks: "332 of 333 leaders are back on store 13 (basic-tikv-3)", left: 1 }],
    [
        "PD itself keeps them away",
        back(9, { slow: [13] }),
        {
            lacks: "9 of 333 leaders are back on store 13 (basic-tikv-3): PD itself keeps them away, by its evict-slow-store-scheduler",
            left: 324,
        },
    ],
    ["PD cannot count them yet: the store is queried", back(0, young), askOwn],
    ["the store reports that they are", back(0, { ...young, ownLeaders: { 3: 400 } }), true],
    [
        "the store does not answer",
        back(0, { ...young, ownLeaders: { 3: null } }),
        "leaders of store 13 (basic-tikv-3) are not known: it does not answer",
    ],
]);

const none = "no leader has come back to store 13 (basic-tikv-3)";
table("leaders-may-return", [
    ["none were moved away", { stores: { 3: { leaderCount: { reported: 0 } } } }, true],
    ["fewer than 200 were", back(0, before(199)), true],
    ["200 were", back(0, before(200)), none],
    ["one is back", back(1), true],
    ["none is", back(0), none],
    ["PD's leadership was moved for them once", back(0, { records: ended({ isGone: true, unpaused: true }) }), true],
    ["someone keeps them away", back(0, { evicted: [13] }), true],
    ["PD itself keeps them away: that is no fault of PD's leader", back(0, { slow: [13] }), true],
    ["PD itself keeps leaders away from another store", back(0, { slow: [12] }), none],
    ["the user waits for less than a minute", back(0, { policy: { leadersBackTimeoutSeconds: 59 } }), true],
    ["the user waits for a minute", back(0, { policy: { leadersBackTimeoutSeconds: 60 } }), none],
    ["PD cannot count them yet: the store is queried", back(0, young), askOwn],
    ["the store reports one", back(0, { ...young, ownLeaders: { 3: 1 } }), true],
    ["the store reports none", back(0, { ...young, ownLeaders: { 3: 0 } }), none],
    ["not known: PD's leadership is not moved for that", back(0, { ...young, ownLeaders: { 3: null } }), true],
]);

const transfer =
    "transfer PD's leadership from basic-pd-0 to basic-pd-1, because PD still keeps leaders away from store 13 although its eviction has ended";
const whoLeads = { look: { parts: ["health", "leader"] } } as const;
table("store-unpaused", [
    ["leaders are back", back(1), true],
    ["PD cannot count them yet: the store is queried", back(0, young), askOwn],
    ["none is back", back(0), none, transfer],
    ["leaders are back, and PD's leader was not queried", back(1, { notAsked: ["members"] }), true],
    ["the store is to be queried, and no other member can lead PD", back(0, { ...young, notMembers: [1, 2] }), askOwn],
    ["PD's members were not queried", back(0, { notAsked: ["members"] }), whoLeads],
    ["PD's leader was not queried", back(0, { notAsked: ["leader"] }), whoLeads],
    ["no other member can lead PD: it goes on without", back(0, { notMembers: [1, 2] }), true, "nothing"],
    ["the others are not healthy", back(0, { unhealthy: [1, 2] }), true, "nothing"],
    ["PD did not report its leader", back(0, { unknown: ["leader"] }), true, "nothing"],
    ["PD did not report its members", back(0, { unknown: ["members"] }), true, "nothing"],
    ["PD has no leader that could give it up", back(0, { leader: null }), none, "nothing"],
    ["PD itself keeps leaders away: its leadership is not moved", back(0, { slow: [13] }), true],
    ["PD does not report which stores are slow", back(0, { isSlowUnreported: true }), none, "nothing"],
    ["PD did not report whether it does", back(0, { unknown: ["ownEvictions"] }), none, "nothing"],
    ["PD lists no store", { ...noStore, records: ended({ isGone: true }) }, true, "nothing"],
]);

table("eviction-forgotten", [
    ["there was none", {}, true],
    [
        "it is gone",
        { records: ended({ isGone: true }) },
        "the eviction is still recorded",
        "delete the record of the finished eviction of store 13",
    ],
    ["it may come back with PD's next leader", { records: ended(), persisted: null }, true],
    ["PD still has it", { records: ended(), persisted: [13] }, true],
    ["PD lists no store: what is on record stays", { ...noStore, records: ended({ isGone: true }) }, true, "nothing"],
]);
