import * as assert from "node:assert/strict";
import { lookForDestroy, nextDestroyMove } from "../../../../provider/lifecycle/walks/destroy";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, type Memory } from "../../../../provider/lifecycle/vocabulary/memory";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { podBatch } from "../../../support/lifecycle/batches";
import { acted, waited } from "../../../support/lifecycle/decisionTable";
import { inWords } from "../../../support/lifecycle/inWords";
import { type Deviation, evicting, inShort, now, observed, raised } from "../../../support/lifecycle/observations";

const ended = { endedAt: now - 1_000, endedUnder: "7" };
const lacks = (why: string) => `store 13 (basic-tikv-3) is under eviction, which cannot be ended now: ${why}`;
const wait = (why: string) => `wait eviction-ended basic-tikv-3: ${lacks(why)}`;
const bringBack =
    "bring PD back and run `pulumi destroy` again. If the data of this PD will never be used again, remove the record instead: kubectl annotate lease basic-pulumi-tidb pulumi-tidb.io/records- (in the cluster's namespace)";
const fail = (why: string, seconds: number) =>
    `fail eviction-ended basic-tikv-3: ${lacks(why)}, for ${seconds} s. Next: ${bringBack}`;
const [end, forget] = [
    "eviction-ended basic-tikv-3: end the eviction of store 13 (basic-tikv-3)",
    "eviction-ended basic-tikv-3: delete the record of the finished eviction of store 13",
];
const open: Deviation = { evicted: [13], records: evicting(3) };
const waitedFor = (seconds: number) => waited("eviction-ended", "basic-tikv-3", seconds);
const removals = { 13: { pod: "basic-tikv-3", begunAt: now } };

const rows: [name: string, row: Deviation, words: string, memory?: Memory][] = [
    ["nothing is on record", {}, "done"],
    ["an eviction lasts", open, end],
    ["its end has not been seen yet", open, wait("PD still lists the eviction"), acted("end-eviction 13", 1_000)],
    ["and is tried again", open, end, acted("end-eviction 13", 5_000)],
    ["PD has dropped it", { records: evicting(3, ended) }, forget],
    ["PD keeps it for its next leader", { records: evicting(3, ended), persisted: [13] }, end],
    [
        "what PD keeps cannot be read, and no later run would check",
        { records: evicting(3, ended), persisted: null },
        forget,
    ],
    ["it was never ended, and PD does not list it: it may come back", { records: evicting(3) }, end],
    ["PD is unreachable", { ...open, pdSilent: true }, wait("PD answers 500")],
    [
        "PD is unreachable for less than two minutes",
        { ...open, pdSilent: true },
        wait("PD answers 500"),
        waitedFor(119),
    ],
    ["PD is unreachable for longer", { ...open, pdSilent: true }, fail("PD answers 500", 120), waitedFor(120)],
    ["the server that answers is not a PD", { ...open, pdIsNone: true }, fail("a web server answers", 0)],
    ["PD does not list its stores", { ...open, unknown: ["stores"] }, wait("PD did not answer")],
    ["PD does not report its leader", { ...open, leadership: null }, wait("PD has no leader")],
    [
        "a removal is on record",
        { records: { evictions: {}, removals } },
        "records-forgotten basic-tikv-3: delete the record of the finished removal of 13",
    ],
    [
        "limits are raised: another cluster may use this PD",
        { records: raised(), limits: { "leader-schedule-limit": 64 } },
        "limits-put-back basic: put back PD's leader-schedule-limit from 64 to 4",
    ],
    [
        "PD does not say what the raised limits are",
        { records: raised(), limits: null },
        "wait limits-put-back basic: PD's limits of moving leaders are raised, and cannot be put back now: PD did not answer",
    ],
    [
        "PD refuses to put them back",
        { records: raised(), limits: { "leader-schedule-limit": 64 } },
        "wait limits-put-back basic: PD's limits of moving leaders are raised, and cannot be put back now: PD refuses it",
        acted("put-back-limits leader-schedule-limit 4", 1_000),
    ],
    ["an eviction comes before it", { evicted: [13], records: { ...evicting(3), removals } }, end],
];

describe("before a whole cluster is deleted", () => {
    for (const [name, row, words, memory] of rows) {
        it(name, () => {
            const { observation } = observed("tikv", row);
            assert.equal(inWords(nextDestroyMove(observation, memory ?? emptyMemory)), words);
        });
    }
    it("a PD without schedulers is waited for by name: it would bring back the eviction", () => {
        const { observation } = observed("tikv", { ...open, leadership: { hasSchedulers: false } });
        const pd = { ...observation.pd, evictedStores: known([13], "PD", now) };
        const move = nextDestroyMove({ ...observation, pd }, emptyMemory);
        assert.equal(inWords(move), wait("basic-pd-0 has not loaded its schedulers"));
    });
    it("records are deleted without PD, and an eviction ends only with PD's confirmation", () => {
        const withoutPd = (row: Deviation) => {
            const move = nextDestroyMove(observed("tikv", row).observation, emptyMemory);
            return move.kind === "act" && move.withoutPd;
        };
        assert.deepEqual(
            [{ records: evicting(3, ended) }, { records: { evictions: {}, removals } }, open].map(withoutPd),
            [true, true, false],
        );
    });
    it("the record of a batch is deleted last", () => {
        const next = (records: Deviation["records"]) =>
            inShort(nextDestroyMove(observed("tikv", { records }).observation, emptyMemory));
        assert.equal(next(podBatch("tidb", 4, 3)), "forget-batch basic-tidb-4 basic-tidb-3");
        assert.equal(next({ ...podBatch("tidb", 4, 3), removals }), `forget-removal ${Object.keys(removals)[0]}`);
        assert.equal(next(noRecords()), "done");
    });
    it("an eviction's end is recorded with the PD leader at that time", () => {
        const move = nextDestroyMove(observed("tikv", open).observation, emptyMemory);
        const action = { do: "end-eviction", storeId: 13, pod: "basic-tikv-3", under: "7" };
        assert.deepEqual(move.kind === "act" && move.action, action);
    });
    it("PD is queried only if an eviction is recorded", () => {
        assert.deepEqual(lookForDestroy(noRecords(), []).pd, []);
        assert.deepEqual(lookForDestroy({ evictions: {}, removals }, []).pd, []);
        assert.deepEqual(lookForDestroy(evicting(3), []).pd, [
            "leadership",
            "stores",
            "evicted-stores",
            "persisted-evictions",
            "cluster-id",
        ]);
        assert.ok(lookForDestroy(raised(), []).pd.includes("leader-limits"), "or if limits are raised");
    });
});
