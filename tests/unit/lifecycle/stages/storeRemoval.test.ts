import * as assert from "node:assert/strict";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { removalForgotten } from "../../../../provider/lifecycle/stages/removalRecord";
import { isRemovedFromPd } from "../../../../provider/lifecycle/stages/storeRemoval";
import { tikvLifecycle } from "../../../../provider/lifecycle/members/tikvMember";
import { type Finding, stageTimeout } from "../../../../provider/lifecycle/vocabulary/stage";
import { lostSight, neverStarted, notReady } from "../../../support/lifecycle/decisionTable";
import { podView, stageOf, stageTable } from "../../../support/lifecycle/inWords";
import { claimOf, type Deviation, longAgo, now, storeOf } from "../../../support/lifecycle/observations";

const in4to3 = { live: 4, replicas: 3 };
const gone: Deviation = { ...in4to3, stores: { 3: undefined } };
const grave = (more: object = {}) => storeOf(3, { state: "Tombstone", ...more });
const removing = (of: string) => ({
    records: { evictions: {}, removals: { [of]: { pod: "basic-tikv-3", begunAt: now } } },
});
const [mine, second] = [claimOf("tikv", 3), claimOf("tikv", 3, { name: "logs-basic-tikv-3", uid: "claim-9" })];
const givenUp = [mine, second].map((claim) => ({ ...claim, released: true }));
const removed = givenUp.map((claim) => ({ ...claim, releasedId: "13" }));
const byHand = givenUp.map((claim) => ({ ...claim, releasedByHand: true as const }));
const of = (stages: typeof tikvLifecycle.beforeRemoval, name: string) => stageOf(stages, name);
const noWord = "PD's stores are not known: PD did not answer";
const mayHave = "PD lists no store for basic-tikv-3, whose process may have one";
const mayStart = "PD lists no store for basic-tikv-3, whose process has not run yet: it may still start within 150 s";
const steadily: Finding = { lacks: mayStart, steadyFor: 150, needsLock: true };
const container = (startedAt: number) => ({ container: known({ is: "running" as const, startedAt }, "node", now) });

stageTable("PD reports the state of a leaving store", of(tikvLifecycle.beforeRemoval, "store-known"), "tikv", 3, [
    ["PD lists it", in4to3, true],
    ["PD lists no stores", { ...in4to3, unknown: ["stores"] }, noWord],
    ["PD lists no graves", { ...gone, unknown: ["tombstones"] }, noWord],
    [
        "two are under its address",
        { ...in4to3, moreStores: [storeOf(3, { id: 99 })] },
        "PD lists stores 13 and 99 under the address of basic-tikv-3",
    ],
    ["a list without it is no evidence", gone, mayHave],
    ["PD has the one that runs there as Tombstone", { ...gone, tombstones: [grave()] }, true],
    ["PD has an earlier one of this address as Tombstone", { ...gone, tombstones: [grave({ startedAt: 1 })] }, mayHave],
    [
        "PD has an earlier one of this address as Tombstone, the one that we removed",
        { ...gone, ...removing("13"), tombstones: [grave({ startedAt: 1 })] },
        true,
    ],
    [
        "PD has two of this address as Tombstone, and we removed one of them",
        { ...gone, ...removing("13"), tombstones: [grave({ id: 5, startedAt: 1 }), grave({ startedAt: 1 })] },
        true,
    ],
    ["we removed another one", { ...gone, ...removing("7"), tombstones: [grave({ startedAt: 1 })] }, mayHave],
    ["PD has another pod's as Tombstone", { ...gone, tombstones: [grave({ podName: "basic-tikv-2" })] }, mayHave],
    ["PD has another cluster's as Tombstone", { ...gone, tombstones: [grave({ own: false })] }, mayHave],
    ["there is no pod, and no volume: one may come yet", { ...gone, pods: { 3: undefined } }, steadily],
    [
        "there is no pod, and its volumes are released: one may come yet",
        { ...gone, pods: { 3: undefined }, claims: givenUp },
        steadily,
    ],
    [
        "there is no pod, and its volumes are released with the store that PD has as Tombstone",
        { ...gone, pods: { 3: undefined }, claims: removed, tombstones: [grave({ startedAt: 1 })] },
        true,
    ],
    [
        "its volumes are released with a store that PD does not have as Tombstone: it may have forgotten it",
        { ...gone, claims: removed },
        mayHave,
    ],
    [
        "its volumes are released with a store that PD lists elsewhere, and has as Tombstone there",
        { ...in4to3, stores: { 3: { own: false, podName: "other-tikv-3" } }, claims: removed },
        mayHave,
    ],
    [
        "there is no pod, and one of its volumes is not released: it may belong to a store that PD's list lacks",
        { ...gone, pods: { 3: undefined }, claims: [givenUp[0], second] },
        mayHave,
    ],
    [
        "there is no pod, and none of its volumes is released, whatever happened to another pod's",
        { ...gone, pods: { 3: undefined }, claims: [mine, claimOf("tikv", 2, { released: true })] },
        mayHave,
    ],
    [
        "nothing runs, and PD has one of its address as Tombstone",
        { ...gone, pods: { 3: notReady }, tombstones: [grave({ startedAt: 1 })] },
        true,
    ],
    [
        "nothing runs, and a user says that there is no store on the volumes",
        { ...gone, pods: { 3: notReady }, claims: byHand },
        true,
    ],
    [
        "nothing runs, and the volumes are released without a store: a mark is a hint, and the store may live",
        { ...gone, pods: { 3: notReady }, claims: givenUp },
        mayHave,
    ],
    [
        "nothing runs, and a user says so of one of the volumes",
        { ...gone, pods: { 3: notReady }, claims: [byHand[0], givenUp[1]] },
        mayHave,
    ],
    ["it runs, and a user says that there is no store on the volumes", { ...gone, claims: byHand }, mayHave],
    [
        "nothing runs, and one of the volumes is not released",
        { ...gone, pods: { 3: notReady }, claims: [givenUp[0], second] },
        mayHave,
    ],
    ["nothing runs, and there is no volume to mark", { ...gone, pods: { 3: notReady } }, mayHave],
    ["it runs, and its volumes are released: the process may have a store", { ...gone, claims: givenUp }, mayHave],
    [
        "whether it runs is not known, and its volumes are released",
        { ...gone, pods: { 3: lostSight }, claims: givenUp },
        mayHave,
    ],
    [
        "whether it runs is not known, and PD has one as Tombstone",
        { ...gone, pods: { 3: lostSight }, tombstones: [grave()] },
        mayHave,
    ],
    ["it has never run: it is given its time", { ...gone, pods: { 3: neverStarted } }, steadily],
    ["it has run and does not now", { ...gone, pods: { 3: notReady } }, mayHave],
    [
        "it runs the process of a Tombstone store, to whole seconds",
        { ...gone, pods: { 3: container(longAgo + 2_000) }, tombstones: [grave()] },
        true,
    ],
]);

const left = (state: string): Finding => ({
    lacks: `store 13 (basic-tikv-3) is ${state} with 1500 regions left`,
    left: 1500,
});
const takeOut = "remove store 13 (basic-tikv-3, 1500 regions) from the cluster";
stageTable("a leaving store is empty", of(tikvLifecycle.beforeRemoval, "store-tombstone"), "tikv", 3, [
    ["it is gone", gone, true, "nothing"],
    ["it is Up", in4to3, left("Up"), takeOut],
    ["it is Down", { ...in4to3, stores: { 3: { state: "Down" } } }, left("Down"), takeOut],
    ["it is being emptied", { ...in4to3, stores: { 3: { state: "Offline" } } }, left("Offline"), "nothing"],
    ["PD still lists it as empty", { ...in4to3, stores: { 3: { state: "Tombstone" } } }, left("Tombstone"), "nothing"],
]);

const tooFew = (stores: number) =>
    `${stores} Up TiKV stores would be left, but PD keeps 3 replicas of each region (replication.max-replicas)`;
const stay = of(tikvLifecycle.beforeRemoval, "enough-stores-stay");
stageTable("enough stores stay", stay, "tikv", 2, [
    ["three of four", { live: 4, replicas: 3 }, true],
    ["two of three", { live: 3, replicas: 2 }, tooFew(2)],
    [
        "three of four, of which one is Disconnected",
        { live: 4, replicas: 3, stores: { 0: { state: "Disconnected" } } },
        tooFew(2),
    ],
    [
        "another cluster's count too",
        { live: 3, replicas: 2, moreStores: [storeOf(0, { id: 90, own: false, podName: "other-tikv-0" })] },
        true,
    ],
    ["it is on its way already", { live: 3, replicas: 2, stores: { 2: { state: "Offline" } } }, true],
    ["it is gone already", { live: 3, replicas: 2, stores: { 2: undefined } }, true],
    [
        "the number of replicas that PD keeps is not known",
        { live: 4, replicas: 3, unknown: ["placement"] },
        "the number of replicas that PD keeps is not known: PD did not answer",
    ],
]);

describe("that too few stores would be left", () => {
    const timeout = (row: Deviation) => stageTimeout(stay, podView("tikv", 2, { live: 3, replicas: 2, ...row }));
    it("is an answer, and fails at once", () => assert.deepEqual(timeout({}), { seconds: 0, then: "fail" }));
    it("is waited for if PD does not report it, or if a store was Up a moment ago", () => {
        const waits = { seconds: 600, then: "fail" };
        assert.deepEqual(timeout({ unknown: ["placement"] }), waits);
        assert.deepEqual(timeout({ unknown: ["stores"] }), waits);
        assert.deepEqual(timeout({ live: 4, replicas: 3, stores: { 0: { state: "Disconnected" } } }), waits);
    });
    it("is not waited for if a store is Down: that is not temporary", () => {
        const down = { live: 4, replicas: 3, stores: { 0: { state: "Down" } } };
        assert.deepEqual(timeout(down), { seconds: 0, then: "fail" });
    });
    it("otherwise a removal may take a day", () => {
        const tombstone = of(tikvLifecycle.beforeRemoval, "store-tombstone");
        const policy = { storeRemovalTimeoutSeconds: 777 };
        assert.deepEqual(stageTimeout(tombstone, podView("tikv", 2, { policy })), { seconds: 777, then: "fail" });
    });
});

const offline = { stores: { 3: { state: "Offline" } } };
stageTable("a reverted removal is undone", of(tikvLifecycle.afterRemovalTakenBack, "removal-taken-back"), "tikv", 3, [
    ["there was none", {}, true],
    ["PD lists no stores, and there was none", { unknown: ["stores"] }, true],
    ["PD lists no stores: nothing is forgotten", { ...removing("13"), unknown: ["stores"] }, noWord, "nothing"],
    [
        "the store is on its way",
        { ...offline, ...removing("13") },
        "store 13 (basic-tikv-3) is Offline from a scale-in that was reverted",
        "set store 13 (basic-tikv-3) Up again",
    ],
    ["someone else removed it: only they revert that", offline, true],
    ["the store is Up again", removing("13"), true],
]);

describe("what PD has removed for good", () => {
    const is = (row: Deviation) => isRemovedFromPd(podView("tikv", 3, row));
    it("is a Tombstone store that is no longer in its list", () => {
        assert.ok(is({ stores: { 3: undefined }, tombstones: [grave()] }));
        assert.ok(!is({ tombstones: [grave()] }), "another one runs under its address");
        assert.ok(!is({ stores: { 3: undefined } }), "a list that lacks it says nothing");
        assert.ok(!is({ unknown: ["stores"], tombstones: [grave()] }), "nobody knows what runs there");
        assert.ok(!is({ stores: { 3: undefined }, unknown: ["tombstones"] }));
    });
});

stageTable("a removal's record is deleted", removalForgotten, "tikv", 3, [
    ["there is none", {}, true, "nothing"],
    [
        "it is on record",
        removing("13"),
        "the removal is still recorded",
        "delete the record of the finished removal of 13",
    ],
]);
