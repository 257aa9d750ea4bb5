import * as assert from "node:assert/strict";
import { estimateFrom, type Observed } from "../../../../provider/lifecycle/estimates/rates";
import type {
    ActEntry,
    JournalEntry,
    JournalOperation,
    PodEntry,
} from "../../../../provider/lifecycle/journal/journalOperation";

/** Entries of a journal, at seconds after its beginning. */
const act = (at: number, what: ActEntry["do"], target: string, more: Partial<ActEntry> = {}): ActEntry => ({
    is: "act",
    at: at * 1000,
    do: what,
    words: what,
    step: "step",
    target,
    seen: [],
    ...more,
});
const pod = (at: number, name: string, phase: PodEntry["phase"], isReady?: true): PodEntry => ({
    is: "pod",
    at: at * 1000,
    pod: name,
    phase,
    ...(isReady ? { isReady } : {}),
});
const operation = (id: string, ended: number, entries: JournalEntry[], more: Partial<JournalOperation> = {}) => ({
    id,
    what: "roll out basic-tikv",
    holder: "ana@laptop",
    began: 0,
    ended: ended * 1000,
    outcome: "done" as const,
    pods: [],
    entries: [...entries].sort((one, other) => one.at - other.at),
    ...more,
});

/** One restart: 600 leaders leave in 10 s, Ready after 4 s, Up after 3 s, 400 of them return in 20 s, and 3 s of other work. */
const restart = (name: string, at: number): JournalEntry[] => [
    act(at, "raise-limits", name, { leaders: 600 }),
    act(at + 1, "begin-eviction", name, { leaders: 600 }),
    act(at + 11, "delete-pod", name, { leaders: 0 }),
    pod(at + 11, name, "down"),
    pod(at + 15, name, "down", true),
    pod(at + 18, name, "leaders-back", true),
    act(at + 18, "end-eviction", name, { leaders: 0 }),
    act(at + 38, "forget-eviction", name, { leaders: 400 }),
];
const tikv = "basic-tikv-2";
/** Two restarts: the return of the leaders of the last one is not waited for. */
const both = [...restart(tikv, 0), ...restart("basic-tikv-1", 40)];
const whole = operation("20260101T100000.000Z-a-1", 80, both);
const rates = (...records: JournalOperation[]) => estimateFrom(records, "basic", "tikv");
const value = (one: Observed) => (one.known ? one.value : one.why);

describe("the starts of new pods on record", () => {
    const down = (at: number, why: string, isReady?: true): PodEntry => ({ ...pod(at, tikv, "down", isReady), why });
    const well = pod(12, tikv, "up", true);
    const started = (entries: JournalEntry[], more: Partial<JournalOperation> = {}) =>
        value(rates(operation("1", 20, entries, more)).started);
    const none = "the journal of this cluster's updates does not show a start";

    it("last from when the pod is first seen until it is well", () => {
        assert.equal(started([down(2, "it does not exist"), down(3, "it is not Ready"), well]), 10);
        assert.equal(started([down(4, "it is not Ready"), down(9, "it has not registered a store", true), well]), 8);
    });

    it("are none of a pod that was there before, was restarted, is not well yet, or whose beginning was dropped", () => {
        const [first, ...others] = [down(2, "it does not exist"), well];
        assert.equal(started([down(2, "store 12 is Down"), well]), none);
        assert.equal(started([act(1, "delete-pod", tikv), first, ...others]), none);
        assert.equal(started([first]), none);
        assert.equal(started([first, { ...well, pod: "basic-tidb-0" }]), none);
        assert.equal(started([first, ...others], { dropped: 3 }), none);
    });
});

describe("the growths of volumes on record", () => {
    const waits = (at: number, until: number | undefined, step: string, target: string): JournalEntry => ({
        is: "wait",
        at: at * 1000,
        ...(until === undefined ? {} : { until: until * 1000 }),
        step,
        target,
        why: "…",
    });
    const grow = (at: number, target: string, more: Partial<ActEntry> = {}) =>
        act(at, "grow-claims", target, { step: "volume-grown", ...more });
    const set = "basic-tikv";
    /** Two pods, in 10 s and 22 s, and 2 s until the controller has seen the new StatefulSet. An action ends the wait before it. */
    const entries = [
        grow(1, "basic-tikv-0"),
        waits(2, 11, "volume-grown", "basic-tikv-0"),
        grow(11, "basic-tikv-1"),
        pod(12, "basic-tikv-1", "down"),
        waits(13, 33, "volume-grown", "basic-tikv-1"),
        act(33, "remake-stateful-set", set, { step: "statefulset-recreated" }),
        waits(33, 35, "statefulset-observed", set),
    ];
    const grown = (of: JournalEntry[], more: Partial<JournalOperation> = {}) => {
        const found = rates(operation("1", 35, of, more));
        return [found.grown, found.recreated].map(value);
    };
    const none = "the journal of this cluster's updates does not show a growth of volumes";
    const noSet = "the journal of this cluster's updates does not show a StatefulSet that was created again";

    it("last from the request of a pod's sizes until the operation goes on, and those of the StatefulSet until its controller has seen it", () => {
        assert.deepEqual(grown(entries), [16, 2]);
        const scaled = [...entries, waits(35, 60, "pod-created", "basic-tikv-2")];
        assert.deepEqual(grown(scaled, { ended: 60_000 }), [16, 2]);
    });

    it("are one if a size is requested again, or if nothing was to be waited for", () => {
        const again = [
            grow(1, tikv),
            waits(2, 5, "volume-grown", tikv),
            grow(5, tikv),
            waits(6, 31, "volume-grown", tikv),
        ];
        assert.deepEqual(grown(again), [34, noSet]);
        assert.deepEqual(grown([grow(30, tikv)]), [5, noSet]);
    });

    it("are none of a growth that did not end, failed, or is of another member", () => {
        const lasts = [grow(1, tikv), waits(2, undefined, "volume-grown", tikv)];
        assert.deepEqual(grown(lasts, { ended: undefined, outcome: undefined }), [none, noSet]);
        assert.deepEqual(grown(lasts, { outcome: "failed" }), [none, noSet]);
        assert.deepEqual(grown([grow(1, tikv, { failed: "no" })]), [none, noSet]);
        assert.deepEqual(grown([grow(1, "basic-tidb-0")]), [none, noSet]);
        const failed = entries.map((one) => (one.is === "act" ? { ...one, failed: "no" } : one));
        assert.deepEqual(grown(failed), [none, noSet]);
    });

    it("are not counted once more with a removal in the same operation", () => {
        const removal = [act(35, "remove-store", tikv, { regions: 1_000 }), act(55, "release-claims", tikv)];
        const found = rates(operation("1", 59, [...entries, ...removal]));
        assert.equal(value(found.restRemoval), 4);
    });

    it("have the whole time of a StatefulSet that a killed run had deleted", () => {
        assert.deepEqual(grown(entries.slice(-2)), [none, 35]);
    });
});

describe("the rates of a cluster", () => {
    it("are what its journal shows of a restart", () => {
        const found = rates(whole);
        assert.deepEqual(
            [found.evicted, found.returned, found.ready, found.well, found.restRestart].map(value),
            [60, 20, 4, 3, 3],
        );
        assert.deepEqual(found.evicted.known && found.evicted.operations, [whole.id]);
    });

    it("are not known where the journal shows nothing: no other cluster's stand in for them", () => {
        for (const records of [[], [operation("1", 9, [])], [operation("1", 40, restart("basic-tidb-0", 0))]]) {
            const found = rates(...records);
            assert.deepEqual(
                Object.values(found).map(({ known }) => known),
                Object.values(found).map(() => false),
            );
        }
        const { drained } = rates(whole);
        assert.equal(value(drained), "the journal of this cluster's updates does not show the drain of a store");
    });

    it("count the leaders of a batch together: PD's limits are of all its stores", () => {
        const [first, second] = [
            [3, 2],
            [1, 0],
        ].map((pods) => pods.map((ordinal) => `basic-tikv-${ordinal}`));
        const batches = [...first.flatMap((name) => restart(name, 0)), ...second.flatMap((name) => restart(name, 40))];
        const found = rates(operation("1", 80, batches));
        assert.deepEqual([found.evicted, found.returned, found.ready, found.restRestart].map(value), [120, 40, 4, 3]);
    });

    it("count no leaders of the last store as returned: they may return for as long as they like", () => {
        const [alone, soon] = [restart(tikv, 0), restart(tikv, 0).slice(0, -1)];
        assert.equal(rates(operation("1", 40, alone)).returned.known, false);
        const last = [...soon, act(20, "forget-eviction", tikv, { leaders: 12 })];
        const found = rates(whole, operation("2", 21, last));
        assert.equal(value(found.returned), 20);
        assert.deepEqual([found.returned.known && found.returned.operations], [[whole.id]]);
    });

    it("divide what is left of an operation among the restarts that come one after the other", () => {
        const found = rates(operation("1", 90, [...restart("basic-tikv-2", 0), ...restart("basic-tikv-1", 45)]));
        assert.equal(value(found.restRestart), (90 - 2 * 37) / 2);
    });

    it("come from no count that nobody could know, and then not from the rest either", () => {
        const uncounted = restart(tikv, 0).map((one) =>
            one.is === "act" && one.do === "begin-eviction" ? { ...one, leaders: undefined } : one,
        );
        const found = rates(operation("1", 40, uncounted));
        assert.deepEqual([found.evicted.known, found.restRestart.known, found.ready.known], [false, false, true]);
    });

    it("leave out the pod that is still listed as Ready right after its deletion", () => {
        const found = rates(operation("1", 40, [pod(11, tikv, "evicting", true), ...restart(tikv, 0)]));
        assert.equal(value(found.ready), 4);
    });

    it("are of the new pod, also if it is Ready when it is first seen, and not of what the old one was meanwhile", () => {
        const [raised, begun, deleted, , , back, ...after] = restart(tikv, 0);
        const fresh = (at: number) => ({ ...pod(at, tikv, "down", true), isNew: true as const });
        const unseen = rates(operation("1", 40, [raised, begun, deleted, fresh(15), back, ...after]));
        assert.deepEqual([unseen.ready, unseen.well, unseen.restRestart].map(value), [4, 3, 3]);
        const old = [pod(12, tikv, "down"), pod(13, tikv, "evicting", true)];
        const listed = rates(operation("1", 40, [raised, begun, deleted, ...old, fresh(15), back, ...after]));
        assert.deepEqual([listed.ready, listed.well].map(value), [4, 3]);
    });

    it("come from no failed action", () => {
        const failed = restart(tikv, 0).map((one) => (one.is === "act" ? { ...one, failed: "no" } : one));
        assert.ok(Object.values(rates(operation("1", 40, failed))).every(({ known }) => !known));
    });

    it("take the rest only of operations that ended well and are whole, without waits for people and other runs", () => {
        for (const more of [{ ended: undefined, outcome: undefined }, { outcome: "failed" as const }, { dropped: 2 }]) {
            const { evicted, restRestart } = rates(operation("1", 40, restart(tikv, 0), more));
            assert.deepEqual([evicted.known, restRestart.known], [true, false]);
        }
        const waits = ["approval", "lock"].map((step, index): JournalEntry => ({
            is: "wait",
            at: 40_000 + index * 100_000,
            until: 140_000 + index * 100_000,
            step,
            target: "basic",
            why: "…",
        }));
        const waited = rates(operation("1", 240, [...restart(tikv, 0), ...waits]));
        assert.equal(value(waited.restRestart), 3);
    });

    it("count no more leaders as returned than are waited for", () => {
        const more = both.map((one) =>
            one.is === "act" && one.do === "forget-eviction" ? { ...one, leaders: 550 } : one,
        );
        assert.equal(value(rates(operation("1", 80, more)).returned), 20);
    });

    it("come from the five newest operations that show them", () => {
        const slow = operation("0", 80, [
            act(0, "begin-eviction", tikv, { leaders: 600 }),
            act(60, "delete-pod", tikv, { leaders: 0 }),
        ]);
        const newer = [1, 2, 3, 4, 5].map((began) => ({ ...whole, id: String(began), began }));
        const { evicted } = rates(...newer, slow);
        assert.deepEqual([value(evicted), evicted.known && evicted.operations.length], [60, 5]);
        assert.equal(value(rates(...newer.slice(1), slow).evicted), (4 * 1200 + 600) / (4 * 20 + 60));
    });

    it("have the regions of a removed store a second, and what a removal takes beside that", () => {
        const removal = operation("1", 24, [
            act(0, "remove-store", tikv, { regions: 1_000 }),
            act(20, "release-claims", tikv),
        ]);
        const found = rates(removal);
        assert.deepEqual([found.drained, found.restRemoval].map(value), [50, 4]);
        const takenBack = operation("1", 24, [
            act(0, "remove-store", tikv, { regions: 1_000 }),
            act(20, "bring-store-back", tikv, { regions: 900 }),
        ]);
        assert.equal(rates(takenBack).drained.known, false);
        const killed = operation("1", 24, [act(0, "remove-store", tikv, { regions: 1_000 })], {
            ended: undefined,
            outcome: undefined,
        });
        assert.equal(rates(killed).drained.known, false);
    });
});
