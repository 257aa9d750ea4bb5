import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import type { ObjectEvent } from "../../../provider/lifecycle/journal/objectEvents";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import { journalPlan } from "../../../provider/lifecycle/journal/planDigest";
import { type Faults, record, run } from "../../support/gates/recordedPorts";
import { evicting, now } from "../../support/lifecycle/observations";
import { repeats } from "../../support/repeats";
import { GateError } from "../../../provider/gates/gateError";

const evict: Move = {
    kind: "act",
    action: { do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 500 },
    step: "leaders-evicted",
    target: "basic-tikv-3",
    held: ["other-stores-up"],
};
const waits: Move = {
    kind: "wait",
    step: "store-up",
    target: "basic-tikv-3",
    waitingFor: "store 13 is Down",
    since: now,
};
const times = (count: number, move: Move) => Array.from({ length: count }, () => move);

/** A run, and what it wrote into the journal: each version of its operation, and the Events. */
async function journalOf(moves: Move[], faults: Faults = {}) {
    const ports = record(faults);
    const kept: JournalOperation[] = [];
    const told: ObjectEvent[] = [];
    let written = 0;
    ports.plan = journalPlan(["restart basic-tikv-3"]);
    ports.journal = {
        holder: "ana@laptop",
        newId: () => "1",
        keep: (operation) => void kept.push(operation),
        tell: (events) => void told.push(...events),
        written: () => Promise.resolve(void (written += 1)),
    };
    const { error, taken } = await run(ports, moves);
    return { kept, told: told.map(({ reason }) => reason), written, error, taken, last: kept.at(-1), ports };
}

describe("the record that an operation writes", () => {
    it("is written at each action and at the end, with who did it, and under which plan", async () => {
        const { kept, told, written, last } = await journalOf([evict, ...times(3, waits)]);
        assert.deepEqual(
            kept.map(({ entries, outcome }) => [...entries.map(({ is }) => is), outcome]),
            [
                ["act", undefined],
                ["act", "pod", "done"],
            ],
        );
        assert.deepEqual(
            [last?.what, last?.holder, last?.plan?.lines, written],
            ["roll out basic-tikv", "ana@laptop", ["restart basic-tikv-3"], 1],
        );
        assert.deepEqual(told, ["BeginEviction"]);
    });

    it("is none if there was nothing to do: an update without changes writes nothing", async () => {
        const { kept, written } = await journalOf([waits]);
        assert.deepEqual([kept, written], [[], 0]);
    });

    it("has a wait of two seconds also of an operation that took no lock", async () => {
        const { last } = await journalOf(times(20, waits));
        assert.equal(last?.outcome, "done");
        assert.deepEqual(
            last.entries.map(({ is }) => is),
            ["wait"],
        );
    });

    it("is written once a minute during a long wait, so a reader knows that the run lives, and not at each look", async () => {
        const { kept } = await journalOf([evict, ...times(200, waits)]);
        const begins = kept.at(-1)?.entries.find(({ is }) => is === "wait")?.at ?? 0;
        const during = kept.slice(1, -1).map(({ writtenAt = 0 }) => Math.floor((writtenAt - begins) / 60_000));
        assert.ok(during.length >= 2, `${during.length}`);
        assert.deepEqual(
            during,
            during.map((_, index) => index + 1),
        );
        assert.deepEqual(
            kept.map(({ outcome }) => outcome),
            [...during.map(() => undefined), undefined, "done"],
        );
    });

    it("is written after ten seconds of a wait before the lock: nothing else shows such a run", async () => {
        const { kept } = await journalOf(times(120, waits));
        const [first, second] = kept.map(({ writtenAt = 0, entries }) => writtenAt - (entries[0]?.at ?? 0));
        assert.ok(first >= 10_000 && first < 20_000, `${first}`);
        assert.ok(second - first >= 60_000, `${second}`);
    });

    it("is written as soon, and as often, if what it waits for changes all the time", async () => {
        const moves = [...Array(120).keys()].map((turn) => ({
            ...waits,
            target: `basic-tikv-${Math.floor(turn / 4)}`,
        }));
        const { kept } = await journalOf(moves);
        const [first, second] = kept.map(({ writtenAt = 0, began }) => writtenAt - began);
        assert.ok(first >= 10_000 && first < 20_000, `${first}`);
        assert.ok(second - first >= 60_000 && second - first < 80_000, `${second}`);
    });

    it("says why an operation failed, and what was done to clean up", async () => {
        const fails: Extract<Move, { kind: "fail" }> = {
            kind: "fail",
            problem: { code: "store-up", step: "store-up", target: "basic-tikv-3", seen: "Down", next: "look" },
        };
        const { last, told } = await journalOf([evict, fails], { observe: { records: evicting(3) } });
        assert.equal(last?.outcome, "failed");
        assert.equal(last.why, new GateError(fails.problem).message);
        assert.deepEqual(told.slice(0, 1), ["BeginEviction"]);
        assert.equal(told.at(-1), "OperationFailed");
    });

    it("says that an operation was asked to stop", async () => {
        const { last, told } = await journalOf([evict, evict, evict], { stopAfter: 1 });
        assert.deepEqual([last?.outcome, told.at(-1)], ["stopped", "OperationStopped"]);
    });

    it("has an action that failed, with its error", async () => {
        const { last } = await journalOf([evict], { failOn: "begin-eviction" });
        const [entry] = last?.entries ?? [];
        repeats(entry.is === "act" && entry.failed, "PD answers 500");
    });

    it("changes nothing if it cannot be written, and a fault in it is a warning", async () => {
        const moves = [evict, ...times(3, waits)];
        const expected = await run(record(), moves);
        const ports = record();
        ports.journal = {
            holder: "",
            newId: () => "1",
            keep: () => {
                throw new Error("a fault");
            },
            tell: () => undefined,
            written: () => Promise.resolve(),
        };
        const { error, taken } = await run(ports, moves);
        assert.equal(error, undefined);
        assert.deepEqual(
            taken.filter((one) => !one.startsWith("warn")),
            expected.taken,
        );
        assert.deepEqual(taken.filter((one) => one.startsWith("warn")).length, 1);
    });
});
