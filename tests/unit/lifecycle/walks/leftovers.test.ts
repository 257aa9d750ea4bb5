import * as assert from "node:assert/strict";
import { notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { Leftover } from "../../../../provider/lifecycle/vocabulary/leftover";
import type { ObservedLock } from "../../../../provider/lifecycle/vocabulary/lock";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import { leftLocks } from "../../../../provider/lifecycle/walks/leftLocks";
import { leftoversIn } from "../../../../provider/lifecycle/walks/leftovers";
import { nextSweepMove } from "../../../../provider/lifecycle/walks/sweep";
import type { Component } from "../../../../topology/members";
import {
    claimOf,
    type Deviation,
    evicting,
    inShort,
    longAgo,
    now,
    observed,
    raised,
    storeOf,
} from "../../../support/lifecycle/observations";
import { batchOf, evictionsOf, zoned } from "../../../support/lifecycle/zones";
import { begun as begunRecovery } from "../../../support/lifecycle/failedStores";
import { lostTikv, recordedLoss } from "../../../support/lifecycle/lostVolumes";
import { waited as waitedFor } from "../../../support/lifecycle/decisionTable";

const say = ({ kind, target, verdict, isOurs, action }: Leftover) =>
    `${verdict} ${kind} of ${target}, ${isOurs ? "ours" : "not ours"}: ${action?.do ?? "no action"}`;
const found = (component: Component, row: Deviation) =>
    leftoversIn(observed(component, row).observation).found.map(say);

const removing = (ordinal: number, pod = `basic-tikv-${ordinal}`): Deviation["records"] => ({
    evictions: {},
    removals: { [10 + ordinal]: { pod, begunAt: now - 60_000 } },
});
const ofPd = (pod: string): Deviation["records"] => ({
    evictions: {},
    removals: { [pod]: { pod, begunAt: now - 60_000 } },
});
const ended = { endedAt: now - 1_000, endedUnder: "7" };
const tombstone = storeOf(3, { state: "Tombstone" });

describe("what earlier runs left behind", () => {
    const lossRows: [string, Component, Deviation, string][] = [
        ["nothing was removed from PD", "tikv", lostTikv, "remove: nothing is given up: its record is deleted"],
        [
            "PD moves the regions away",
            "tikv",
            { ...lostTikv, stores: { 1: { state: "Offline", regionCount: 7 } } },
            "keep: `pulumi up` with operations.lostNodes goes on with it; to take it back: `pd-ctl store cancel-delete 11`",
        ],
        [
            "PD has dropped them, and the pod has them still",
            "tikv",
            { ...lostTikv, stores: { 1: undefined }, tombstones: [storeOf(1, { state: "Tombstone" })] },
            "keep: `pulumi up` with operations.lostNodes goes on with it",
        ],
        [
            "its claims are deleted, and the pod does not run yet",
            "pd",
            { pods: { 1: { ready: false } }, notMembers: [1] },
            "keep: `pulumi up` with operations.lostNodes goes on with it",
        ],
        [
            "it runs with others",
            "tikv",
            {
                stores: { 1: undefined },
                tombstones: [storeOf(1, { state: "Tombstone" })],
                claims: [claimOf("tikv", 1, { uid: "new" })],
            },
            "remove: nothing is left to do: its record is deleted",
        ],
        [
            "PD does not tell",
            "tikv",
            { ...lostTikv, unknown: ["stores"] },
            "not known: PD's members and stores are not known: PD did not answer",
        ],
        [
            "PD lists the store in no state",
            "tikv",
            { ...lostTikv, stores: { 1: undefined } },
            "not known: PD lists store 11 (basic-tikv-1) neither as live nor as Tombstone",
        ],
    ];
    for (const [title, component, row, expected] of lossRows) {
        it(`volumes that are given up with their node: ${title}`, () => {
            const { observation } = observed(component, { ...row, records: recordedLoss(component) });
            const { found: left } = leftoversIn(observation);
            assert.deepEqual(
                left.map(({ kind, target, verdict, why, action }) => [kind, target, `${verdict}: ${why}`, action?.do]),
                [
                    [
                        "lost-volumes",
                        `basic-${component}-1`,
                        expected,
                        expected.startsWith("remove") ? "forget-lost-volumes" : undefined,
                    ],
                ],
            );
        });
    }
    const buriedStores = {
        stores: { 1: undefined, 2: undefined },
        tombstones: [1, 2].map((one) => storeOf(one, { state: "Tombstone" })),
    };
    const keeps = "keep: `pulumi up` with operations.unsafeRecovery waits for it and records its end";
    const recoveryRows: [string, Deviation, string][] = [
        [
            "PD runs it",
            { ...buriedStores, recovery: { stage: "running", failedStores: [11, 12], report: "force leader" } },
            keeps,
        ],
        [
            "PD has finished it",
            { ...buriedStores, recovery: { stage: "finished", failedStores: [11, 12], report: "done" } },
            keeps,
        ],
        ["PD's leader knows nothing of it any more", buriedStores, keeps],
        [
            "PD has given it up",
            { ...buriedStores, recovery: { stage: "failed", failedStores: [11, 12], report: "timed out" } },
            "remove: PD has given it up: its record is deleted",
        ],
        ["PD lists one of its stores in no state", { stores: { 2: undefined } }, keeps],
        ["PD never took it", {}, "remove: PD never took it: its record is deleted"],
        ["PD does not tell", { unknown: ["unsafeRecovery"] }, "not known: PD did not answer"],
    ];
    for (const [title, row, expected] of recoveryRows) {
        it(`an unsafe recovery that was begun: ${title}`, () => {
            const { found: left } = leftoversIn(observed("tikv", { ...row, records: begunRecovery }).observation);
            assert.deepEqual(
                left.map(({ target, verdict, why, action }) => [target, `${verdict}: ${why}`, action?.do]),
                [
                    [
                        "the unsafe recovery from the loss of stores 11, 12",
                        expected,
                        expected.startsWith("remove") ? "forget-recovery" : undefined,
                    ],
                ],
            );
        });
    }

    for (const [title, row, expected] of [
        ["nothing", {}, []],
        [
            "an eviction of a healthy store on record: leaders would stay away from it for good",
            { evicted: [13], records: evicting(3) },
            ["remove eviction of store 13 (basic-tikv-3), ours: end-eviction"],
        ],
        [
            "an eviction that is not on record is somebody else's, who may need it",
            { evicted: [12], records: evicting(3) },
            [
                "remove eviction of store 13 (basic-tikv-3), ours: end-eviction",
                "keep eviction of store 12 (basic-tikv-2), not ours: no action",
            ],
        ],
        [
            "an eviction that began after PD had dropped ours is somebody else's too",
            { evicted: [13], records: evicting(3, ended) },
            [
                "remove eviction of store 13 (basic-tikv-3), ours: forget-eviction",
                "keep eviction of store 13 (basic-tikv-3), not ours: no action",
            ],
        ],
        [
            "an eviction of a store that is not Up, to which leaders must not return yet",
            { evicted: [13], records: evicting(3), stores: { 3: { state: "Down" } } },
            ["keep eviction of store 13 (basic-tikv-3), ours: no action"],
        ],
        [
            "an eviction of a store whose pod is not Ready",
            { evicted: [13], records: evicting(3), pods: { 3: { ready: false } } },
            ["keep eviction of store 13 (basic-tikv-3), ours: no action"],
        ],
        [
            "an eviction of a Tombstone store",
            { evicted: [13], records: evicting(3), live: 3, stores: { 3: undefined }, tombstones: [tombstone] },
            ["remove eviction of store 13 (basic-tikv-3), ours: end-eviction"],
        ],
        [
            "the record of a store that PD no longer lists, nor an eviction of it",
            { records: evicting(9) },
            ["remove eviction of store 19 (basic-tikv-9), ours: forget-eviction"],
        ],
        [
            "the record of a store that PD no longer lists, while its next leader would evict it",
            { records: evicting(9), persisted: [19] },
            ["keep eviction of store 19 (basic-tikv-9), ours: no action"],
        ],
        [
            "an eviction that PD brought back",
            { evicted: [13], records: evicting(3, { ...ended, endedUnder: "6" }) },
            ["remove eviction of store 13 (basic-tikv-3), ours: end-eviction"],
        ],
        [
            "an ended eviction of which PD's etcd says nothing",
            { persisted: null, records: evicting(3, ended) },
            ["not known eviction of store 13 (basic-tikv-3), ours: no action"],
        ],
        ...(["evictedStores", "stores", "tombstones", "leadership"] as const).map(
            (part): [string, Deviation, string[]] => [
                `an eviction while PD's ${part} are not known`,
                { records: evicting(3), unknown: [part] },
                ["not known eviction of store 13 (basic-tikv-3), ours: no action"],
            ],
        ),
        [
            "limits that were raised to move leaders: PD would move leaders as fast for good",
            { records: raised(), limits: { "leader-schedule-limit": 64 } },
            ["remove limits of PD's limits of moving leaders, ours: put-back-limits"],
        ],
        [
            "raised limits that somebody else has changed since",
            { records: raised(), limits: { "leader-schedule-limit": 8 } },
            ["remove limits of PD's limits of moving leaders, ours: forget-limits"],
        ],
        [
            "raised limits while PD does not say what they are now",
            { records: raised(), limits: null },
            ["not known limits of PD's limits of moving leaders, ours: no action"],
        ],
        [
            "a removal that PD never began, or that was taken back",
            { records: removing(3) },
            ["remove removal of store 13 (basic-tikv-3), ours: forget-removal"],
        ],
        [
            "a removal that is under way: only the program says whether it goes on",
            { records: removing(3), stores: { 3: { state: "Offline" } } },
            ["keep removal of store 13 (basic-tikv-3), ours: no action"],
        ],
        [
            "a removal of a store that does not answer",
            { records: removing(3), stores: { 3: { state: "Down" } } },
            ["keep removal of store 13 (basic-tikv-3), ours: no action"],
        ],
        [
            "a finished removal of an ordinal that is gone",
            { records: removing(3), live: 3, stores: { 3: undefined }, tombstones: [tombstone] },
            ["remove removal of store 13 (basic-tikv-3), ours: forget-removal"],
        ],
        ...(
            [
                ["the StatefulSet still has", { live: 4, pods: { 3: undefined } }],
                ["still has a pod", { live: 3, leavingPods: [3] }],
                ["the StatefulSet may still get", { live: 3, settled: false }],
                ["has a volume that is not released", { live: 3, claims: [claimOf("tikv", 3)] }],
            ] as [string, Deviation][]
        ).map(([what, more]): [string, Deviation, string[]] => [
            `a removal of an ordinal that ${what}: its record says that the volume must not be used again`,
            { records: removing(3), stores: { 3: undefined }, tombstones: [tombstone], ...more },
            ["keep removal of store 13 (basic-tikv-3), ours: no action"],
        ]),
        [
            "a removal of a store that PD does not list at all",
            { records: removing(3), live: 3, stores: { 3: undefined } },
            ["keep removal of store 13 (basic-tikv-3), ours: no action"],
        ],
        [
            "a removal while PD's stores are not known",
            { records: removing(3), unknown: ["stores"] },
            ["not known removal of store 13 (basic-tikv-3), ours: no action"],
        ],
    ] as [string, Deviation, string[]][]) {
        it(title, () => assert.deepEqual(found("tikv", row), expected));
    }

    for (const [title, row, expected] of [
        [
            "a removal of a PD member that PD still has",
            { records: ofPd("basic-pd-2") },
            "remove removal of PD member basic-pd-2 (basic-pd-2), ours: forget-removal",
        ],
        [
            "a removal of a PD member that is gone with its pod",
            { records: ofPd("basic-pd-3") },
            "remove removal of PD member basic-pd-3 (basic-pd-3), ours: forget-removal",
        ],
        [
            "a removal of a PD member whose pod stays: it never runs again on its volume",
            { records: ofPd("basic-pd-2"), notMembers: [2] },
            "keep removal of PD member basic-pd-2 (basic-pd-2), ours: no action",
        ],
        [
            "a removal while PD's members are not known",
            { records: ofPd("basic-pd-3"), unknown: ["members"] },
            "not known removal of PD member basic-pd-3 (basic-pd-3), ours: no action",
        ],
        [
            "a removal while PD lists no member at all",
            { records: ofPd("basic-pd-3"), notMembers: [0, 1, 2] },
            "not known removal of PD member basic-pd-3 (basic-pd-3), ours: no action",
        ],
    ] as [string, Deviation, string][]) {
        it(title, () => assert.deepEqual(found("pd", row), [expected]));
    }

    it("shutdowns of TiCDC pods that this package began, and not those of TiDB Operator or of a pod that stops", () => {
        const pods = {
            0: { shutdownBegunAt: longAgo, ownShutdown: true },
            1: { shutdownBegunAt: longAgo },
            2: { shutdownBegunAt: longAgo, ownShutdown: true, terminating: true },
        };
        assert.deepEqual(found("ticdc", { pods }), [
            "remove shutdown of basic-ticdc-0, ours: forget-shutdown",
            "keep shutdown of basic-ticdc-1, not ours: no action",
        ]);
    });

    it("says once for each reason what is not known", () => {
        const silent = leftoversIn(observed("tikv", { pdSilent: true, records: evicting(3) }).observation);
        assert.deepEqual(silent.notKnown, [
            "the evictions in force, PD's stores, the Tombstone stores, PD's leader, PD's members, PD's locks: PD answers 500",
        ]);
        const row = { persisted: null, records: evicting(3, ended) };
        assert.deepEqual(leftoversIn(observed("tikv", row).observation).notKnown, [
            "store 13 (basic-tikv-3): whether PD has dropped it: PD's etcd cannot be read",
        ]);
    });
});

describe("locks that earlier runs left", () => {
    const dead: ObservedLock = { holder: "ana@laptop", operation: "roll out basic-tikv", durationSeconds: 15 };
    const key = { name: "/pulumi-tidb/lock", holder: "ana@laptop", operation: "roll out", own: true, expires: true };
    const task = { name: "pulumi-tidb/tidb.basic", description: "roll out", own: true };
    for (const [title, locks, holder, expected] of [
        ["nothing", {}, undefined, []],
        [
            "all of a dead run; the Lease is released last, so the next run meets no other lock",
            { tasks: [task], key },
            dead,
            [
                "remove maintenance-task of PD's maintenance task pulumi-tidb/tidb.basic, ours: no action",
                "remove pd-lock of key /pulumi-tidb/lock in PD's etcd, ours: no action",
                "remove lock of Lease basic-pulumi-tidb, ours: no action",
            ],
        ],
        [
            "a maintenance task of another tool",
            { tasks: [{ ...task, own: false }] },
            undefined,
            ["keep maintenance-task of PD's maintenance task pulumi-tidb/tidb.basic, not ours: no action"],
        ],
        ...(
            [
                ["of a run on another cluster that shares the PD", { own: false }, dead],
                ["without an etcd lease, which no run writes", { expires: false }, dead],
                ["of another run than the dead one", { holder: "ben@build" }, dead],
                ["while nobody holds the Lease", {}, undefined],
            ] as const
        ).map(([what, more, who]) => [
            `a key ${what}`,
            { key: { ...key, ...more } },
            who,
            [
                "keep pd-lock of key /pulumi-tidb/lock in PD's etcd, not ours: no action",
                ...(who ? ["remove lock of Lease basic-pulumi-tidb, ours: no action"] : []),
            ],
        ]),
    ] as [string, Deviation["locks"], ObservedLock | undefined, string[]][]) {
        it(title, () =>
            assert.deepEqual(leftLocks(observed("tikv", { locks }).observation, holder).map(say), expected),
        );
    }
});

describe("the next move of a sweep", () => {
    const next = (row: Deviation, memory = emptyMemory, more = {}) =>
        inShort(nextSweepMove({ ...observed("tikv", row).observation, ...more }, memory));
    const row = { evicted: [13], records: evicting(3) };

    it("removes what is ours, then is done, whatever somebody else has set", () => {
        assert.equal(next(row), "end-eviction 13");
        assert.equal(next({ records: evicting(3, ended) }), "forget-eviction 13");
        assert.equal(next({ evicted: [12] }), "done");
        assert.equal(next({ ...row, stores: { 3: { state: "Down" } } }), "done");
    });

    it("acts on nothing while anything is not known: it waits, and then fails", () => {
        const { pd } = observed("tikv", row).observation;
        const unknown = { pd: { ...pd, locks: notKnown("PD answers 500") } };
        assert.equal(next(row, emptyMemory, unknown), "wait sweep basic");
        assert.equal(next(row, waitedFor("sweep", "basic", 121), unknown), "fail sweep basic [sweep-unfinished]");
    });

    it("waits, and then fails, if an action has no effect", () => {
        const acted = { ...emptyMemory, actedAt: { "end-eviction 13": now - 1_000 } };
        assert.equal(next(row, acted), "wait sweep store 13 (basic-tikv-3)");
        const target = "store 13 (basic-tikv-3)";
        assert.equal(
            next(row, { ...waitedFor("sweep", target, 121), actedAt: acted.actedAt }),
            `fail sweep ${target} [sweep-unfinished]`,
        );
    });
});

describe("limits that were left raised", () => {
    it("are shown with what was there before, what is there now, and who raised them when", () => {
        const { observation } = observed("tikv", { records: raised(), limits: { "leader-schedule-limit": 64 } });
        const [{ seen, by, why }] = leftoversIn(observation).found;
        assert.equal(
            seen,
            "raised, by the record: PD's leader-schedule-limit from 4 to 64; now PD's leader-schedule-limit is 64",
        );
        assert.equal(by, "a run of pulumi-tidb, which raised them at 2023-11-14T22:12:20.000Z for basic-tikv-3");
        assert.equal(why, "what was there before is put back; what somebody else has changed since stays");
    });

    it("are put back by a sweep, which waits for a PD that does not say what they are", () => {
        const next = (limits: Deviation["limits"]) =>
            inShort(nextSweepMove(observed("tikv", { records: raised(), limits }).observation, emptyMemory));
        assert.equal(next({ "leader-schedule-limit": 64 }), "put-back-limits PD's leader-schedule-limit from 64 to 4");
        assert.equal(next(null), "wait sweep basic");
    });
});

describe("a batch that was left on record", () => {
    it("is shown with its stores, and a sweep deletes its record after its evictions have ended", () => {
        const { observation } = observed("tikv", zoned({ records: batchOf([5, 2]), stale: [] }));
        const [{ target, seen, by, verdict }] = leftoversIn(observation).found;
        assert.equal(target, "batch of basic-tikv-5, basic-tikv-2");
        assert.equal(seen, "on record as restarting side by side: basic-tikv-5 (store 15), basic-tikv-2 (store 12)");
        assert.equal(by, "a run of pulumi-tidb, which began it at 2023-11-14T22:12:20.000Z");
        assert.equal(verdict, "remove");
        assert.equal(inShort(nextSweepMove(observation, emptyMemory)), "forget-batch basic-tikv-5 basic-tikv-2");
        const open = zoned({ records: batchOf([5, 2], evictionsOf([5, 2])), evicted: [15, 12] });
        assert.equal(inShort(nextSweepMove(observed("tikv", open).observation, emptyMemory)), "end-eviction 12");
    });
});
