import * as assert from "node:assert/strict";
import type { Action } from "../../../../../provider/lifecycle/vocabulary/actions";
import { noRecords } from "../../../../../provider/lifecycle/vocabulary/observation";
import { openEvictions } from "../../../../../provider/lifecycle/walks/openEvictions";
import { isSafePoint } from "../../../../../provider/lifecycle/walks/safeStopPoint";
import { recordsAfter, recordsBefore, recordsRefused } from "../../../../../provider/lifecycle/vocabulary/actions";
import { shortDigest } from "../../../../../provider/lifecycle/vocabulary/shortDigest";
import { failed } from "../../../../support/lifecycle/deaths";
import { everyAction } from "../../../../support/lifecycle/everyAction";
import { lostFrom } from "../../../../support/lifecycle/lostVolumes";
import {
    type Deviation,
    evicting,
    longAgo,
    now,
    observed,
    storeOf,
    raised,
} from "../../../../support/lifecycle/observations";

const begin: Action = { do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 40 };
const end: Action = { do: "end-eviction", storeId: 13, pod: "basic-tikv-3" };

describe("records", () => {
    it("of an eviction are written before it begins", () => {
        const records = recordsBefore(noRecords(), begin, now);
        assert.deepEqual(records.evictions, { 13: { pod: "basic-tikv-3", begunAt: now, leadersBefore: 40 } });
        assert.equal(recordsAfter(records, begin, now + 1), records);
    });
    it("of an eviction that PD lost keep the leader count and start again", () => {
        const { 13: record } = recordsBefore(evicting(3), begin, now).evictions;
        assert.deepEqual(record, { pod: "basic-tikv-3", begunAt: now, leadersBefore: 500 });
    });
    it("of an eviction that had ended start again from nothing", () => {
        const { 13: record } = recordsBefore(evicting(3, { endedAt: now - 1 }), begin, now).evictions;
        assert.deepEqual(record, { pod: "basic-tikv-3", begunAt: now, leadersBefore: 40 });
    });
    it("say when an eviction ended, only after it has", () => {
        assert.deepEqual(recordsBefore(evicting(3), end, now), evicting(3));
        assert.equal(recordsAfter(evicting(3), end, now).evictions[13].endedAt, now);
        assert.deepEqual(recordsAfter(noRecords(), end, now), noRecords());
    });
    it("forget an eviction, and no other", () => {
        const two = { ...evicting(3), evictions: { ...evicting(3).evictions, ...evicting(2).evictions } };
        assert.deepEqual(recordsAfter(two, { do: "forget-eviction", storeId: 13 }, now), evicting(2));
    });
    it("of removals are written before they begin, keep their start time, and are deleted", () => {
        const store: Action = {
            do: "remove-store",
            storeId: 13,
            pod: "basic-tikv-3",
            regions: 9,
            onClaims: ["claim-3"],
        };
        const member: Action = { do: "remove-member", member: "basic-pd-3", memberId: "103", pod: "basic-pd-3" };
        const both = recordsBefore(recordsBefore(noRecords(), store, now), member, now + 1);
        assert.deepEqual(both.removals, {
            13: { pod: "basic-tikv-3", begunAt: now, onClaims: ["claim-3"] },
            103: { pod: "basic-pd-3", begunAt: now + 1 },
        });
        assert.equal(recordsBefore(both, store, now + 99).removals[13].begunAt, now);
        assert.deepEqual(Object.keys(recordsAfter(both, { do: "forget-removal", of: "13" }, now).removals), ["103"]);
    });
    it("say that PD's leadership is moved for a store before it is moved: this happens only once", () => {
        const move: Action = { do: "transfer-leader", to: "basic-pd-1", from: "basic-pd-0", unpauses: [13] };
        const records = evicting(3, { endedAt: now - 1 });
        const { 13: record } = recordsBefore(records, move, now).evictions;
        assert.deepEqual(record, { ...records.evictions[13], unpaused: true });
        const plain: Action = { do: "transfer-leader", to: "basic-pd-1", from: "basic-pd-0" };
        assert.equal(recordsBefore(records, plain, now), records);
        assert.deepEqual(recordsBefore(noRecords(), move, now), noRecords());
    });
    it("say that PD has dropped an eviction: any later one of that store is someone else's", () => {
        const records = evicting(3, { endedAt: now - 1 });
        const gone: Action = { do: "note-eviction-gone", storeId: 13 };
        assert.deepEqual(recordsAfter(records, gone, now).evictions[13], { ...records.evictions[13], isGone: true });
        assert.deepEqual(recordsAfter(noRecords(), gone, now), noRecords());
    });
    it("change by these actions and no others: what is not recorded is not cleaned up", () => {
        const records = {
            ...raised(undefined, evicting(3)),
            removals: { 13: { pod: "basic-tikv-3", begunAt: 5 } },
            settings: { tikv: { begunAt: 5, keys: {} } },
            failovers: { ...failed("tikv", 1), ...failed("pd", 1, { counts: undefined }) },
            unsafeRecovery: { finished: [], begun: { stores: [11, 12], at: 5 } },
            lostVolumes: lostFrom("tikv", 1),
            batch: { component: "tikv", stores: { "basic-tikv-2": 12 }, begunAt: 5 } as const,
        };
        const which = (change: typeof recordsAfter) =>
            [
                ...new Set(everyAction.filter(([one]) => change(records, one, now) !== records).map(([one]) => one.do)),
            ].sort();
        assert.deepEqual(which(recordsBefore), [
            "begin-batch",
            "begin-eviction",
            "note-failure",
            "note-lost-volumes",
            "raise-limits",
            "remove-failed-stores",
            "remove-member",
            "remove-store",
            "set-settings",
            "transfer-leader",
        ]);
        assert.deepEqual(which(recordsAfter), [
            "count-replacement",
            "end-eviction",
            "forget-batch",
            "forget-eviction",
            "forget-failures",
            "forget-limits",
            "forget-lost-volumes",
            "forget-recovery",
            "forget-removal",
            "forget-settings",
            "note-eviction-gone",
            "note-recovery-finished",
            "put-back-limits",
            "raise-limits",
        ]);
    });
    it("have no unsafe recovery that PD has refused or given up: a consent must not outlast it", () => {
        const begin: Action = { do: "remove-failed-stores", stores: [11, 12], timeoutSeconds: 1, risk: "2 regions" };
        const forget: Action = { do: "forget-recovery", stores: [11, 12] };
        const before = { ...noRecords(), unsafeRecovery: { finished: [10] } };
        const begun = recordsBefore(before, begin, now);
        const record = { stores: [11, 12], at: now, risk: shortDigest("2 regions") };
        assert.deepEqual(begun.unsafeRecovery, { finished: [10], begun: record });
        assert.deepEqual(recordsRefused(begun, begin), before);
        assert.deepEqual(recordsAfter(begun, forget, now), before);
        assert.deepEqual(recordsAfter(recordsBefore(noRecords(), begin, now), forget, now), noRecords());
        assert.equal(recordsAfter(begun, { ...forget, stores: [11] }, now), begun, "another one stays on record");
        const restart: Action = { do: "delete-pod", pod: "basic-tikv-3", uid: "u", resourceVersion: "1" };
        assert.equal(recordsRefused(begun, restart), begun);
    });
    it("of a member that never started have its id, because it has no name", () => {
        const member: Action = { do: "remove-member", member: "", memberId: "103", pod: "basic-pd-3" };
        assert.deepEqual(Object.keys(recordsBefore(noRecords(), member, now).removals), ["103"]);
    });
    it("are not changed by actions that need no record", () => {
        const records = evicting(3);
        const restart: Action = { do: "delete-pod", pod: "basic-tikv-3", uid: "u", resourceVersion: "1" };
        assert.equal(recordsBefore(records, restart, now), records);
        assert.equal(recordsAfter(records, restart, now), records);
    });
});

describe("our evictions that an ending run must end", () => {
    const cases: [string, Deviation, { ends?: number[]; keeps?: string[] }][] = [
        ["of a store that is Up", { records: evicting(3) }, { ends: [13] }],
        ["not of one that has ended", { records: evicting(3, { endedAt: now }) }, {}],
        [
            "not of a store that is Down",
            { records: evicting(3), stores: { 3: { state: "Down" } } },
            { keeps: ["basic-tikv-3"] },
        ],
        [
            "not of one whose pod stops",
            { records: evicting(3), pods: { 3: { terminating: true } } },
            { keeps: ["basic-tikv-3"] },
        ],
        ["not of one whose pod is gone", { records: evicting(3), pods: { 3: undefined } }, { keeps: ["basic-tikv-3"] }],
        [
            "not of one that has not reported since its restart",
            { records: evicting(3), stores: { 3: { startedAt: longAgo - 60_000 } } },
            { keeps: ["basic-tikv-3"] },
        ],
        [
            "of a Tombstone store",
            { records: evicting(3), stores: { 3: undefined }, tombstones: [storeOf(3)] },
            { ends: [13] },
        ],
        [
            "not of a store that PD merely does not list: leaders would come back to a store that is down",
            { records: evicting(3), stores: { 3: undefined } },
            { keeps: ["basic-tikv-3"] },
        ],
        [
            "not while PD has not loaded its schedulers: it would acknowledge the end, and bring the eviction back",
            { records: evicting(3), leadership: { hasSchedulers: false } },
            { keeps: ["basic-tikv-3"] },
        ],
        ["not while PD is unreachable", { records: evicting(3), pdSilent: true }, { keeps: ["basic-tikv-3"] }],
        ["not someone else's", { evicted: [13], moreStores: [storeOf(9, { id: 99 })] }, {}],
    ];
    for (const [name, deviation, { ends = [], keeps = [] }] of cases) {
        it(name, () => {
            const { toEnd, toKeep } = openEvictions(observed("tikv", deviation).observation);
            assert.deepEqual([toEnd.map((one) => one.storeId), toKeep.map((one) => one.pod)], [ends, keeps]);
        });
    }
});

describe("why an eviction of ours is kept when a run ends", () => {
    const why = (row: Deviation) =>
        openEvictions(observed("tikv", { records: evicting(3), ...row }).observation).toKeep;
    const cases: [why: string, row: Deviation][] = [
        ["PD did not answer", { unknown: ["evictedStores"] }],
        ["PD did not answer", { unknown: ["stores"] }],
        ["PD does not list store 13", { stores: { 3: undefined } }],
        ["PD does not list store 13", { stores: { 3: undefined }, tombstones: [storeOf(2)] }],
        ["store 13 is Down", { stores: { 3: { state: "Down" } } }],
        ["basic-tikv-3 is not Ready", { pods: { 3: { ready: false } } }],
        ["basic-tikv-3 is not Ready", { pods: { 3: { terminating: true } } }],
        ["basic-tikv-3 is not Ready", { pods: { 3: undefined } }],
        ["store 13 has not registered since its process started", { stores: { 3: { startedAt: longAgo - 3_000 } } }],
    ];
    for (const [reason, row] of cases) {
        it(`${reason}: ${JSON.stringify(row)}`, () =>
            assert.deepEqual(why(row), [{ pod: "basic-tikv-3", storeId: 13, why: reason }]));
    }
    it("is that its pod is not Ready if the pods were not read", () => {
        const { observation } = observed("tikv", { records: evicting(3) });
        const [kept] = openEvictions({ ...observation, members: {} }).toKeep;
        assert.equal(kept.why, "basic-tikv-3 is not Ready");
    });
    it("keeps a run from stopping, if PD reports its stores", () => {
        const safe = (row: Deviation) =>
            isSafePoint(observed("tikv", { records: evicting(3), ...row }).observation, { kind: "done" });
        assert.deepEqual(
            [safe({}), safe({ stores: { 3: { state: "Down" } } }), safe({ unknown: ["stores"] })],
            [true, false, true],
        );
    });
    it("is nothing if it can be ended, which is recorded with PD's leader", () => {
        const { toEnd } = openEvictions(observed("tikv", { records: evicting(3) }).observation);
        assert.deepEqual(toEnd, [{ do: "end-eviction", storeId: 13, pod: "basic-tikv-3", under: "7" }]);
    });
});
