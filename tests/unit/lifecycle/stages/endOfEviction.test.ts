import * as assert from "node:assert/strict";
import { endLeftBehindEviction } from "../../../../provider/lifecycle/stages/endOfEviction";
import { type Deviation, evicting, now, observed, storeOf } from "../../../support/lifecycle/observations";
import { describeAction } from "../../../../provider/lifecycle/vocabulary/actions";

/** A recorded eviction of store 13 in a cluster that was scaled in from four pods to three. */
const of = (more: object, row: Deviation): Deviation => ({ replicas: 3, live: 3, records: evicting(3, more), ...row });
const ended = { endedAt: now - 1_000, endedUnder: "7" };
const listed = { moreStores: [storeOf(3)] };
const buried = { tombstones: [storeOf(3, { state: "Tombstone" })] };
const [end, forget] = [
    "end the eviction of store 13 (basic-tikv-3)",
    "delete the record of the finished eviction of store 13",
];
const look = { look: { parts: ["persisted-evictions", "leadership", "evicted-stores"] } };
const unknown = (why: string) => ({
    lacks: `whether store 13 (basic-tikv-3) is still under eviction is not known: ${why}`,
});
const lost = {
    lacks: "the eviction of store 13 (basic-tikv-3) is recorded, but PD lists that store neither as live nor as Tombstone",
};

const cases: [name: string, row: Deviation, expected: string | object | undefined][] = [
    ["nothing is on record", { replicas: 3 }, undefined],
    ["a pod that is walked sees to its own", { records: evicting(3) }, undefined],
    ["PD lists the store: it is ended", of({}, listed), end],
    ["the store is Tombstone: it is ended", of({}, { ...buried, evicted: [13] }), end],
    ["it has ended, and is gone", of(ended, listed), forget],
    ["it has ended, and PD's etcd still has it", of(ended, { ...listed, persisted: [13] }), end],
    ["it has ended, and may come back: it stays on record", of(ended, { ...listed, persisted: null }), undefined],
    ["it has ended, and PD's etcd was not queried", of(ended, { ...listed, notAsked: ["persistedEvictions"] }), look],
    [
        "it is recorded as gone: no query is needed",
        of({ ...ended, isGone: true }, { ...listed, notAsked: ["persistedEvictions"] }),
        forget,
    ],
    ["PD did not list its stores", of({}, { unknown: ["stores"] }), unknown("PD did not answer")],
    [
        "PD has not loaded its schedulers",
        of({}, { ...listed, leadership: { hasSchedulers: false } }),
        unknown("PD has not loaded its schedulers"),
    ],
    ["PD has neither the store nor the eviction: there is nothing to end", of({}, {}), forget],
    ["PD's list lacks the store, and has the eviction", of({}, { evicted: [13] }), lost],
    ["PD's list lacks the store, and its etcd has the eviction", of({}, { persisted: [13] }), lost],
    ["PD's list lacks the store, and its etcd cannot be read", of({}, { persisted: null }), lost],
    ["PD's list lacks the store, and its etcd was not queried", of({}, { notAsked: ["persistedEvictions"] }), look],
    [
        "PD's list lacks the store, and its graves are not known",
        of({}, { unknown: ["tombstones"], evicted: [13] }),
        lost,
    ],
    [
        "another store is Tombstone: that is no evidence about this one",
        of({}, { tombstones: [storeOf(5, { state: "Tombstone" })], evicted: [13] }),
        lost,
    ],
];

describe("an eviction that an earlier run left for a store that no longer has a pod", () => {
    for (const [name, row, expected] of cases) {
        it(name, () => {
            const { observation, target } = observed("tikv", row);
            const found = endLeftBehindEviction(observation, target);
            assert.deepEqual(found && "action" in found ? describeAction(found.action) : found, expected);
        });
    }
    it("is found beside one that has ended, and stays on record because it may come back", () => {
        const evictions = { ...evicting(2, ended).evictions, ...evicting(3).evictions };
        const row = {
            moreStores: [storeOf(2), storeOf(3)],
            live: 2,
            evicted: [13],
            persisted: null,
            records: { evictions, removals: {} },
        };
        const { observation, target } = observed("tikv", row);
        const found = endLeftBehindEviction(observation, target);
        assert.deepEqual(found && "action" in found ? describeAction(found.action) : found, end);
    });
    it("is found among those whose pods are walked", () => {
        const evictions = { ...evicting(2).evictions, ...evicting(3).evictions };
        const row = { replicas: 3, ...listed, evicted: [12, 13], records: { evictions, removals: {} } };
        const { observation, target } = observed("tikv", row);
        assert.deepEqual(endLeftBehindEviction(observation, target), {
            action: { do: "end-eviction", storeId: 13, pod: "basic-tikv-3", under: "7" },
        });
    });
});
