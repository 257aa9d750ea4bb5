import * as assert from "node:assert/strict";
import type { Action } from "../../../provider/lifecycle/move";
import { noRecords } from "../../../provider/lifecycle/observation";
import { openEvictions } from "../../../provider/lifecycle/openEvictions";
import { recordsAfter, recordsBefore } from "../../../provider/lifecycle/actions";
import { type Deviation, evicting, longAgo, now, observed, storeOf } from "../../support/lifecycle/observations";

const begin: Action = { do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 40 };
const end: Action = { do: "end-eviction", storeId: 13, pod: "basic-tikv-3" };

describe("records", () => {
    it("of an eviction are written before it begins", () => {
        const records = recordsBefore(noRecords(), begin, now);
        assert.deepEqual(records.evictions, { 13: { pod: "basic-tikv-3", begunAt: now, leadersBefore: 40 } });
        assert.equal(recordsAfter(records, begin, now + 1), records);
    });
    it("of an eviction that PD lost keep how many leaders there were, and begin anew", () => {
        const { 13: record } = recordsBefore(evicting(3), begin, now).evictions;
        assert.deepEqual(record, { pod: "basic-tikv-3", begunAt: now, leadersBefore: 500 });
    });
    it("of an eviction that had ended begin anew altogether", () => {
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
    it("of removals are written before they begin, keep when that was, and are forgotten", () => {
        const store: Action = { do: "remove-store", storeId: 13, pod: "basic-tikv-3", regions: 9 };
        const member: Action = { do: "remove-member", member: "basic-pd-3", memberId: "103", pod: "basic-pd-3" };
        const both = recordsBefore(recordsBefore(noRecords(), store, now), member, now + 1);
        assert.deepEqual(both.removals, {
            13: { pod: "basic-tikv-3", begunAt: now },
            "basic-pd-3": { pod: "basic-pd-3", begunAt: now + 1 },
        });
        assert.equal(recordsBefore(both, store, now + 99).removals[13].begunAt, now);
        assert.deepEqual(Object.keys(recordsAfter(both, { do: "forget-removal", of: "13" }, now).removals), [
            "basic-pd-3",
        ]);
    });
    it("are not touched by what needs no memory", () => {
        const records = evicting(3);
        const restart: Action = { do: "delete-pod", pod: "basic-tikv-3", uid: "u", resourceVersion: "1" };
        assert.equal(recordsBefore(records, restart, now), records);
        assert.equal(recordsAfter(records, restart, now), records);
    });
});

describe("evictions of ours that a run which ends must end", () => {
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
            "not of one that has said nothing since its restart",
            { records: evicting(3), stores: { 3: { startedAt: longAgo - 60_000 } } },
            { keeps: ["basic-tikv-3"] },
        ],
        [
            "of a store that PD has buried",
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
        ["not where PD is silent", { records: evicting(3), pdSilent: true }, { keeps: ["basic-tikv-3"] }],
        ["not somebody else's", { evicted: [13], moreStores: [storeOf(9, { id: 99 })] }, {}],
    ];
    for (const [name, deviation, { ends = [], keeps = [] }] of cases) {
        it(name, () => {
            const { toEnd, toKeep } = openEvictions(observed("tikv", deviation).observation);
            assert.deepEqual([toEnd.map((one) => one.storeId), toKeep.map((one) => one.pod)], [ends, keeps]);
        });
    }
});
