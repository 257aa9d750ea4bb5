import * as assert from "node:assert/strict";
import { nextRecoveryMove } from "../../../../provider/lifecycle/unsafeRecovery/nextRecovery";
import { recoveryState } from "../../../../provider/lifecycle/unsafeRecovery/recoveryState";
import type { RecoveryTarget } from "../../../../provider/lifecycle/unsafeRecovery/recoveryTarget";
import { emptyMemory, type Memory } from "../../../../provider/lifecycle/vocabulary/memory";
import {
    crashed,
    downFor,
    goneNode,
    lostNode,
    minutes,
    unreadNode,
    unscheduled,
} from "../../../support/lifecycle/deaths";
import { acted, waited } from "../../../support/lifecycle/decisionTable";
import {
    begun,
    buried,
    lost,
    next,
    nextSeen,
    recorded,
    region,
    seen,
    target,
} from "../../../support/lifecycle/failedStores";
import { type Deviation, now, observed, storeOf, tiflashStoreOf } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

/** A move in short, or what a refusal names. */
type Expected = string | { refuses: string };
type Case = [title: string, row: Deviation, move: Expected, more?: Partial<RecoveryTarget>, memory?: Memory];

function cases(all: Case[]): void {
    for (const [title, row, expected, more, memory] of all) {
        const isMove = typeof expected === "string";
        it(`${title}: ${isMove ? expected : "refuses"}`, () => {
            const [move, found] = nextSeen(row, more, memory);
            assert.equal(move, isMove ? expected : "fail unsafe-recovery-refused", found);
            repeats(found, ...(isMove ? [] : [expected.refuses]));
        });
    }
}

const removes = "remove-failed-stores 11 12";
const awaitsEvidence = "wait unsafe-recovery-evidence stores 11, 12";
const pod = (ordinal: number, more: object) => ({ ...lost, pods: { ...lost.pods, [ordinal]: more } });
const store = (ordinal: number, more: object) => ({ ...lost, stores: { ...lost.stores, [ordinal]: more } });
const ours = { failedStores: [11, 12] };

describe("an unsafe recovery begins", () => {
    cases([
        ["if regions have lost their majority with nodes that are gone", lost, removes],
        ["only once the regions are listed", { ...lost, regionsOf: undefined }, "look regions:ofStores:[11,12]"],
        [
            "only with the regions of exactly these stores",
            { ...lost, regionsOf: { stores: [11], regions: [] } },
            "look regions:ofStores:[11,12]",
        ],
        ["again, if PD's leader has lost it", { ...buried, records: begun }, removes],
        ["for stores that somebody else has buried", buried, removes],
        ["for an Offline store that is silent", store(1, { ...downFor(minutes), state: "Offline" }), removes],
        [
            "whether or not PD has loaded its schedulers: without leaders it may not",
            { ...lost, leadership: { hasSchedulers: false } },
            removes,
        ],
        ["beside a TiFlash store that reports", { ...lost, moreStores: [tiflashStoreOf(0)] }, removes],
    ]);
});

describe("an unsafe recovery is not begun", () => {
    cases([
        ["for a store that is Up", store(1, {}), { refuses: "store 11 (basic-tikv-1) is Up" }],
        [
            "for a store that is Disconnected for a moment",
            store(1, { state: "Disconnected", lastHeartbeat: now - 61_000 }),
            { refuses: "60 s" },
        ],
        [
            "for an Offline store that still reports: PD would bury it",
            store(1, { state: "Offline" }),
            { refuses: "0 s" },
        ],
        [
            "for a store that never reported",
            store(1, { state: "Down", lastHeartbeat: undefined }),
            { refuses: "store 11 (basic-tikv-1)" },
        ],
        [
            "if no other store is Up",
            { ...lost, stores: { ...lost.stores, 0: { state: "Down" }, 3: { state: "Down" } } },
            { refuses: "" },
        ],
        [
            "if only TiFlash is left: it can bring no region back",
            { ...lost, stores: { ...lost.stores, 0: undefined, 3: undefined }, moreStores: [tiflashStoreOf(0)] },
            { refuses: "" },
        ],
        [
            "if only TiFlash is left, and the named stores are Tombstone already",
            { ...buried, stores: { ...buried.stores, 0: undefined, 3: undefined }, moreStores: [tiflashStoreOf(0)] },
            { refuses: "" },
        ],
        [
            "again if no store is left",
            { ...buried, stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined } },
            { refuses: "" },
        ],
        [
            "while another store is silent too: PD waits for its report",
            store(3, { state: "Disconnected", lastHeartbeat: now - 30_000 }),
            { refuses: "store 13 (basic-tikv-3)" },
        ],
        [
            "while a store of another cluster on this PD is silent",
            { ...lost, moreStores: [storeOf(4, { ...downFor(minutes), id: 30, own: false })] },
            { refuses: "store 30" },
        ],
        ["while PD still calls a silent store Up", store(3, { lastHeartbeat: now - 62_000 }), { refuses: "store 13" }],
        ["for a store that PD does not know", lost, { refuses: "store 99" }, { failedStores: [11, 99] }],
        [
            "if no region has lost its majority",
            { ...lost, regionsOf: { stores: [11, 12], regions: [region(3, [10, 11, 13])] } },
            { refuses: "stores 11, 12" },
        ],
        [
            "for stores with more regions than can be judged",
            store(1, { ...downFor(minutes), regionCount: 18_501 }),
            { refuses: "20001" },
        ],
        ["except with one less", store(1, { ...downFor(minutes), regionCount: 18_500 }), removes],
        ["while PD's stores are not known", { ...lost, unknown: ["stores"] }, awaitsEvidence],
        ["while the Tombstone stores are not known", { ...lost, unknown: ["tombstones"] }, awaitsEvidence],
        ["while PD's time for a dead store is not known", { ...lost, unknown: ["storeDownTime"] }, awaitsEvidence],
        ["while PD's own recovery is not known", { ...lost, unknown: ["unsafeRecovery"] }, awaitsEvidence],
        ["while the regions are not known", { ...lost, unknown: ["shortRegions"] }, awaitsEvidence],
        ["while PD has no leader", { ...lost, leadership: null }, awaitsEvidence],
        ["while PD's leader changes", { ...lost, leadership: { isSteady: false } }, awaitsEvidence],
        [
            "right after an election: silent stores may only not have found the leader",
            { ...lost, leadership: { heldFor: 69_000 } },
            awaitsEvidence,
        ],
        ["while PD does not answer", { ...lost, pdSilent: true }, "wait pd-answers basic-pd"],
    ]);

    it("in a cluster that was never healthy: which PD is its own is not on record", () => {
        const { observation } = observed("tikv", lost);
        const move = nextRecoveryMove(observation, target, emptyMemory);
        assert.equal(move.kind === "fail" && move.problem.code, "unsafe-recovery-refused");
    });
});

describe("a store that may come back is not given up", () => {
    const unsure = { neverComeBack: false };
    const rows: [string, Deviation][] = [
        ["its node is gone: a volume of the network may be attached to another one", lost],
        ["its process runs, although PD does not hear from it", pod(1, {})],
        ["its node is not Ready", pod(1, { ...lostNode(), container: { known: false, why: "" } })],
        ["its process has ended on a node that is Ready", pod(1, crashed())],
        ["its pod waits for a node", pod(1, unscheduled())],
        ["its pod is gone, which says nothing of its volume", { ...lost, pods: { ...lost.pods, 1: undefined } }],
        ["its pod is in another cluster", store(1, { ...downFor(minutes), own: false })],
        ["its node may not be read", pod(1, { ...unreadNode, container: { known: false, why: "" } })],
    ];
    for (const [title, row] of rows) {
        it(`if ${title}`, () =>
            repeats(nextSeen(row, unsure), "unsafe-recovery-refused", "store 11", "neverComeBack: true"));
        it(`if ${title}, unless the program says that it never does`, () => assert.equal(next(row), removes));
    }
    it("although the program says so, if PD hears from it", () =>
        assert.equal(next(store(1, {})), "fail unsafe-recovery-refused"));
    it("although the program says so, before PD's own time is over", () =>
        assert.equal(next(store(1, { state: "Disconnected" })), "fail unsafe-recovery-refused"));
});

describe("an unsafe recovery that PD runs", () => {
    const waits = "wait unsafe-recovery stores 11, 12";
    cases([
        [
            "is waited for, and not begun again",
            { ...buried, records: begun, recovery: { stage: "running", ...ours } },
            waits,
        ],
        ["is waited for if a person began it", { ...buried, recovery: { stage: "running", ...ours } }, waits],
        [
            "is waited for if it is of other stores",
            { ...lost, recovery: { stage: "running", failedStores: [10] } },
            waits,
        ],
        ["is waited for if it finds the stores itself", { ...lost, recovery: { stage: "running" } }, waits],
        [
            "needs no other evidence: it is under way",
            { ...buried, unknown: ["stores"], recovery: { stage: "running", ...ours } },
            waits,
        ],
    ]);

    it("ends in an error with PD's report once PD's own time and five minutes have passed", () => {
        const row: Deviation = {
            ...buried,
            records: begun,
            recovery: { stage: "running", ...ours, report: "force leader" },
        };
        const of = (seconds: number) => nextSeen(row, {}, waited("unsafe-recovery", "stores 11, 12", seconds));
        assert.deepEqual(of(899), [waits]);
        repeats(of(901), "fail unsafe-recovery-unfinished", "force leader", "901 s");
    });
});

describe("an unsafe recovery that is on record as begun, and that PD does not show", () => {
    const earlier = (row: Deviation) => {
        const state = recoveryState(seen({ ...row, records: begun }), target);
        assert.ok(state.is === "due" && state.earlier !== undefined);
        return state.earlier;
    };
    it("may have run if its stores are Tombstone, and was never taken by PD if they are not", () =>
        assert.notEqual(earlier(buried), earlier(lost)));
});

describe("an unsafe recovery that has ended", () => {
    /** Store 11 was recovered from before, and its replicas are not replaced yet; then store 12 was lost. */
    const oneMore: Deviation = {
        ...buried,
        stores: { 1: undefined, 2: downFor(minutes) },
        tombstones: buried.tombstones?.slice(0, 1),
        pods: { 2: goneNode(60 * minutes) },
        records: recorded({ finished: [11] }),
        regionsOf: { stores: [11, 12], regions: [region(1, [10, 11, 12])] },
    };
    const failed: Deviation = {
        ...buried,
        recovery: { stage: "failed", ...ours, report: "Exceeds timeout" },
    };
    cases([
        [
            "is waited with until each region was reported again: a restart would be judged by a list that lacks regions",
            { ...buried, records: begun, recovery: { stage: "finished", ...ours } },
            "wait regions-reported stores 11, 12",
            {},
            waited("regions-reported", "stores 11, 12", 119),
        ],
        [
            "is recorded then",
            { ...buried, records: begun, recovery: { stage: "finished", ...ours } },
            "note-recovery-finished 11 12",
            {},
            waited("regions-reported", "stores 11, 12", 120),
        ],
        [
            "is waited with for longer where regions are reported less often",
            {
                ...buried,
                records: begun,
                recovery: { stage: "finished", ...ours },
                heartbeats: { region: 300_000, store: 10_000 },
            },
            "wait regions-reported stores 11, 12",
            {},
            waited("regions-reported", "stores 11, 12", 599),
        ],
        [
            "and for two heartbeats then",
            {
                ...buried,
                records: begun,
                recovery: { stage: "finished", ...ours },
                heartbeats: { region: 300_000, store: 10_000 },
            },
            "note-recovery-finished 11 12",
            {},
            waited("regions-reported", "stores 11, 12", 600),
        ],
        [
            "is over once that is on record, whatever PD still knows",
            { ...lost, pdSilent: true, records: recorded({ finished: [11, 12] }) },
            "done",
        ],
        [
            "was not ours, if PD names other stores",
            { ...buried, records: begun, recovery: { stage: "finished", failedStores: [11] } },
            removes,
        ],
        [
            "is over if no region lacks its majority",
            { ...buried, regionsOf: { stores: [11, 12], regions: [] } },
            "done",
        ],
        [
            "is recorded if PD's leader has changed, and no region lacks its majority",
            { ...buried, records: begun, regionsOf: { stores: [11, 12], regions: [] } },
            "note-recovery-finished 11 12",
            {},
            waited("regions-reported", "stores 11, 12", 120),
        ],
        ["is not over because its stores are Tombstone", buried, removes],
        ["is planned again if PD has given it up", failed, removes],
        [
            "is no longer on record as begun once PD has given it up: the consent is used up",
            { ...failed, records: begun },
            "forget-recovery 11 12",
        ],
        [
            "stays on record if PD has given up another one",
            { ...failed, records: begun, recovery: { stage: "failed", failedStores: [11] } },
            removes,
        ],
        [
            "counts for its stores only, and another one names them too: PD takes a store that is not in its request for alive",
            oneMore,
            "remove-failed-stores 11 12",
        ],
        [
            "lets another one judge the regions of all named stores",
            { ...oneMore, regionsOf: { stores: [12], regions: [region(1, [10, 11, 12])] } },
            "look regions:ofStores:[11,12]",
        ],
        [
            "does not count if PD was told of fewer stores",
            { ...oneMore, recovery: { stage: "finished", failedStores: [12] } },
            "remove-failed-stores 11 12",
        ],
        [
            "counts if PD was told of a store that it has removed since then",
            { ...oneMore, tombstones: [], recovery: { stage: "finished", ...ours } },
            "note-recovery-finished 11 12",
            {},
            waited("regions-reported", "store 12", 120),
        ],
        [
            "is not concluded from a list of regions that PD has dropped for another recovery",
            {
                ...buried,
                recovery: { stage: "finished", failedStores: [11] },
                regionsOf: { stores: [11, 12], regions: [] },
            },
            awaitsEvidence,
        ],
        [
            "leaves out a store that PD has removed: PD would refuse the request",
            { ...oneMore, tombstones: [], regionsOf: { stores: [12], regions: [region(1, [10, 12])] } },
            "remove-failed-stores 12",
        ],
        [
            "and whose store has replicas of regions without a majority must be named again",
            { ...oneMore, regionsOf: { stores: [12], regions: [region(1, [10, 11, 12])] } },
            { refuses: "store 11" },
            { failedStores: [12] },
        ],
        [
            "does not hinder another one with stores of which nothing is at stake",
            {
                ...oneMore,
                regionsOf: { stores: [12], regions: [region(1, [10, 12]), region(2, [10, 11, 12, 13, 14])] },
            },
            "remove-failed-stores 12",
            { failedStores: [12] },
        ],
    ]);

    it("fails the run that began it, with PD's report", () => {
        const found = nextSeen(failed, {}, acted("remove-failed-stores 11 12", 60_000));
        repeats(found, "fail unsafe-recovery-failed", "Exceeds timeout");
    });
    it("fails the run that waited for it", () =>
        assert.equal(next(failed, {}, waited("unsafe-recovery", "stores 11, 12", 60)), "fail unsafe-recovery-failed"));
    it("fails the run that followed it before it took the lock", () => {
        const move = nextRecoveryMove(seen(failed), target, emptyMemory, true);
        assert.equal(move.kind, "fail");
    });
    it("is not begun twice within seconds, while PD may not show it yet", () =>
        assert.equal(
            next({ ...buried, records: begun }, {}, acted("remove-failed-stores 11 12", 4_000)),
            "wait unsafe-recovery stores 11, 12",
        ));
});
