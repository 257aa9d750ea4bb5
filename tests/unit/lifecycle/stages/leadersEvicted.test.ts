import * as assert from "node:assert/strict";
import {
    leadersCanMove,
    leadersEvicted,
    leadersOf,
    leadsNothing,
} from "../../../../provider/lifecycle/stages/leadersEvicted";
import { stageTimeout } from "../../../../provider/lifecycle/vocabulary/stage";
import { notReady } from "../../../support/lifecycle/decisionTable";
import { podView, stageTable } from "../../../support/lifecycle/inWords";
import { now } from "../../../support/lifecycle/observations";

const zero = { stores: { 3: { leaderCount: { reported: 0 } } } };
const young = { heldFor: 20_000 };
const askOwn = { look: { ownLeadersOf: "basic-tikv-3" } };

stageTable(
    "a store has no leaders",
    { name: "leaders-evicted", holds: leadsNothing, timeout: () => ({ seconds: 0, then: "fail" }), advice: "" },
    "tikv",
    3,
    [
        ["its process does not run", { pods: { 3: notReady } }, true],
        ["there is no pod", { pods: { 3: undefined } }, true],
        [
            "PD lists no store: that is not a store without leaders",
            { stores: { 3: undefined } },
            "PD lists no store for basic-tikv-3, which may hold leaders",
        ],
        ["the store itself is queried, whatever PD counts", zero, askOwn],
        [
            "it does not answer",
            { ...zero, ownLeaders: { 3: null } },
            "leaders of store 13 (basic-tikv-3) are not known: it does not answer",
        ],
        [
            "it has one left, whatever PD counts",
            { ...zero, ownLeaders: { 3: 1 } },
            { lacks: "store 13 (basic-tikv-3) still holds 1 leader", left: 1 },
        ],
        ["both report zero", { ...zero, ownLeaders: { 3: 0 } }, true],
        [
            "PD, which can know it, counts some",
            { ownLeaders: { 3: 0 } },
            { lacks: "store 13 (basic-tikv-3) reports no leaders, but PD counts 500", left: 500 },
        ],
        [
            "PD cannot know it yet: the store is queried again once its gauge was refreshed",
            { ownLeaders: { 3: 0 }, leadership: young },
            {
                lacks: "store 13 (basic-tikv-3) reports no leaders; it is queried again because basic-pd-0 has led PD for 20 s, and its counts can be trusted only after 70 s",
                steadyFor: 10,
                at: now,
            },
        ],
    ],
);

describe("how many leaders a store has", () => {
    const of = (row: Parameters<typeof podView>[2]) => {
        const leaders = leadersOf(podView("tikv", 3, row));
        return leaders === undefined ? "nobody asked" : leaders.known ? [leaders.value, leaders.from] : leaders.why;
    };
    it("is PD's count, if PD can know it", () => {
        assert.deepEqual(of({ ownLeaders: { 3: 9 } }), [500, "PD"]);
    });
    it("is otherwise the store's own count", () => {
        assert.deepEqual(of({ ownLeaders: { 3: 9 }, leadership: young }), [9, "basic-tikv-3"]);
        assert.deepEqual(of({ ownLeaders: { 3: null }, leadership: young }), "it does not answer");
        assert.deepEqual(of({ leadership: young }), "nobody asked");
    });
    it("is the store's own count if PD lists no store", () => {
        assert.deepEqual(of({ ownLeaders: { 3: 9 }, stores: { 3: undefined } }), [9, "basic-tikv-3"]);
    });
});

const evict = "evict 500 leaders from store 13 (basic-tikv-3)";
stageTable("leaders are evicted and kept away", leadersEvicted, "tikv", 3, [
    ["its process does not run", { pods: { 3: notReady } }, true],
    ["it is the only store", { replicas: 4, stores: { 0: undefined, 1: undefined, 2: undefined } }, true],
    [
        "which stores are evicted is not known: nothing is begun",
        { unknown: ["evictedStores"], ownLeaders: { 3: 9 } },
        "stores under eviction are not known: PD did not answer",
        "nothing",
    ],
    ["nothing keeps them away", {}, "store 13 (basic-tikv-3) has 500 leaders and is not under eviction", evict],
    [
        "another store is evicted: that keeps none away from this one",
        { evicted: [12] },
        "store 13 (basic-tikv-3) has 500 leaders and is not under eviction",
        evict,
    ],
    ["the store is queried for the count if PD cannot know it", { leadership: young }, askOwn, "nothing"],
    [
        "which reports it",
        { leadership: young, ownLeaders: { 3: 9 } },
        "store 13 (basic-tikv-3) has 9 leaders and is not under eviction",
        "evict 9 leaders from store 13 (basic-tikv-3)",
    ],
    [
        "or does not",
        { leadership: young, ownLeaders: { 3: null } },
        "leaders of store 13 (basic-tikv-3) are not known: it does not answer",
        "nothing",
    ],
    [
        "PD lists no store to evict",
        { stores: { 3: undefined }, ownLeaders: { 3: 9 } },
        "store ? (basic-tikv-3) has 9 leaders and is not under eviction",
        "nothing",
    ],
    [
        "someone already keeps them away: nothing is begun, they are waited for",
        { evicted: [13], ownLeaders: { 3: 7 } },
        { lacks: "store 13 (basic-tikv-3) still holds 7 leaders", left: 7 },
        "nothing",
    ],
]);

describe("the eviction of leaders is waited for", () => {
    const timeout = (row: Parameters<typeof podView>[2]) => stageTimeout(leadersEvicted, podView("tikv", 3, row));
    const policy = { evictLeaderTimeoutSeconds: 120, podReadyTimeoutSeconds: 50 };
    it("for the user's timeout, once PD lists the eviction", () => {
        assert.deepEqual(timeout({ evicted: [13], policy }), { seconds: 120, then: "fail" });
        const restart = { ...policy, afterEvictLeaderTimeout: "restart" as const };
        assert.deepEqual(timeout({ evicted: [13], policy: restart }), { seconds: 120, then: "go-on" });
    });
    it("for the time of a pod, where the store does not say whether it still has leaders, unless the user lets it restart", () => {
        const silent = { evicted: [13], ownLeaders: { 3: null } };
        assert.deepEqual(timeout({ ...silent, policy }), { seconds: 50, then: "fail", as: "leaders-known" });
        const restart = { ...policy, afterEvictLeaderTimeout: "restart" as const };
        assert.deepEqual(timeout({ ...silent, policy: restart }), { seconds: 120, then: "go-on" });
    });
    it("before that only for the time that PD needs: the user's deadline does not run yet and does not let the store restart", () => {
        const restart = { ...policy, afterEvictLeaderTimeout: "restart" as const };
        assert.deepEqual(timeout({ policy: restart }), { seconds: 130, then: "fail", as: "eviction-begun" });
        const longer = { ...restart, podReadyTimeoutSeconds: 600 };
        assert.deepEqual(timeout({ policy: longer }), { seconds: 600, then: "fail", as: "eviction-begun" });
    });
});

const oneCopy = { maxReplicas: 1, rules: [] };
const stuck = "PD keeps one replica of each region, so the leaders of basic-tikv-3 cannot move elsewhere";
stageTable("leaders can move elsewhere", leadersCanMove, "tikv", 3, [
    ["PD keeps three copies", {}, true],
    ["PD keeps two", { maxReplicas: 2, rules: [] }, true],
    ["PD keeps one", oneCopy, stuck],
    ["and nothing runs in the pod", { ...oneCopy, pods: { 3: notReady } }, true],
    ["and this is the only store", { ...oneCopy, stores: { 0: undefined, 1: undefined, 2: undefined } }, true],
    ["and the user has set a deadline", { ...oneCopy, policy: { afterEvictLeaderTimeout: "restart" } }, true],
    [
        "PD did not report how many",
        { unknown: ["placement"] },
        "the number of replicas that PD keeps is not known: PD did not answer",
    ],
    ["PD was not queried for it", { notAsked: ["placement"] }, { look: { parts: ["placement"] } }],
]);

describe("that leaders cannot move elsewhere", () => {
    const timeout = (row: Parameters<typeof podView>[2]) => stageTimeout(leadersCanMove, podView("tikv", 3, row));
    it("is an answer, and fails at once", () => assert.deepEqual(timeout(oneCopy), { seconds: 0, then: "fail" }));
    it("is waited for while PD does not report it", () =>
        assert.deepEqual(timeout({ unknown: ["placement"] }), { seconds: 600, then: "fail" }));
});
