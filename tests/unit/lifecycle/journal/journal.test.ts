import * as assert from "node:assert/strict";
import { mostBytes, mostOperations, operationsToDrop } from "../../../../provider/lifecycle/journal/journalBounds";
import type { ActEntry, JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { operationId, operationText, readOperation } from "../../../../provider/lifecycle/journal/journalText";
import { actionEvents, endEvent } from "../../../../provider/lifecycle/journal/objectEvents";
import { journalPlan } from "../../../../provider/lifecycle/journal/planDigest";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import { now, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

const operation: JournalOperation = {
    id: "1",
    what: "roll out basic-tikv",
    holder: "ana@laptop, process 4711 (3f9a1c)",
    began: now,
    pods: [],
    entries: [],
};

describe("the bounds of the journal", () => {
    const sizes = (count: number, bytes: number) =>
        new Map(Array.from({ length: count }, (_, index) => [String(index).padStart(3, "0"), bytes]));

    it("drop nothing that fits", () => {
        assert.deepEqual(operationsToDrop(sizes(mostOperations, 10), "049"), []);
    });

    it("drop the oldest operations if there are too many, or too many bytes", () => {
        assert.deepEqual(operationsToDrop(sizes(mostOperations + 2, 10), "051"), ["000", "001"]);
        assert.deepEqual(operationsToDrop(sizes(5, mostBytes / 4), "004"), ["000"]);
    });

    it("never drop the operation that is written, although an older clock may have begun it", () => {
        assert.deepEqual(operationsToDrop(sizes(6, mostBytes / 4), "000"), ["001", "002"]);
    });

    it("let one operation be long, without its oldest entries: a restart of 20,000 pods", () => {
        const entries: ActEntry[] = Array.from({ length: 80_000 }, (_, index) => ({
            is: "act",
            at: now + index * 997,
            do: "delete-pod",
            words: `restart basic-tikv-${index}, which holds ${(index * 7919) % 9973} leaders`,
            step: "pod-restarted",
            target: `basic-tikv-${index}`,
            seen: [`store ${index}`],
        }));
        const text = operationText({ ...operation, entries });
        assert.ok(text.length < mostBytes, `${text.length} bytes`);
        const kept = readOperation(text);
        assert.deepEqual(kept.entries.at(-1), entries.at(-1));
        assert.equal(kept.entries.length + (kept.dropped ?? 0), entries.length);
    });
});

describe("an operation in the journal", () => {
    it("is read as it was written", () => {
        const plan = journalPlan(["restart basic-tikv-2"]);
        const whole: JournalOperation = {
            ...operation,
            plan,
            ended: now + 5,
            outcome: "failed",
            why: "PD <ist> weg",
            dropped: 3,
        };
        assert.deepEqual(readOperation(operationText(whole)), whole);
    });

    it("that somebody else wrote is refused", () => {
        assert.throws(() => readOperation("AAAA"), /header/);
        assert.throws(() => readOperation(operationText({} as JournalOperation)), /expected an operation/);
    });

    it("has an id that sorts by time and is a key of a ConfigMap", () => {
        const ids = [operationId(now, operation.holder, 2), operationId(now + 1, operation.holder, 1)];
        assert.deepEqual([...ids].sort(), ids);
        assert.match(ids[0], /^[-._a-zA-Z0-9]+-3f9a1c-2$/);
    });
});

describe("the plan of an operation", () => {
    it("has another digest if any line differs, and none if there is no step", () => {
        const lines = Array.from({ length: 30 }, (_, index) => `restart basic-tikv-${index}`);
        const [plan, other] = [journalPlan(lines), journalPlan([...lines.slice(0, -1), "restart basic-tikv-1"])];
        assert.deepEqual([plan?.of, plan?.lines.length, plan?.digest.length], [30, 12, 12]);
        assert.notEqual(plan?.digest, other?.digest);
        assert.equal(journalPlan([]), undefined);
    });
});

describe("the Events of an action", () => {
    const { observation } = observed("tikv", {});
    const entry = (words: string): ActEntry => ({
        is: "act",
        at: now,
        do: "delete-pod",
        words,
        step: "pod-restarted",
        target: "basic-tikv-3",
        held: ["other-stores-up", "leaders-evicted"],
        seen: ["stores Up 4 of 4"],
    });
    const objects = (action: Action) =>
        actionEvents(action, entry("…"), observation).map(
            ({ reason, object: { kind, name, uid } }) => `${reason} ${kind} ${name} ${uid}`,
        );

    for (const [title, action, expected] of [
        [
            "are on the pod that goes, and on its StatefulSet, because the next pod is another object",
            { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" },
            ["DeletePod Pod basic-tikv-3 uid-3", "DeletePod StatefulSet basic-tikv set-tikv"],
        ],
        [
            "are on the pod whose store is evicted",
            { do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 500 },
            ["BeginEviction Pod basic-tikv-3 uid-3"],
        ],
        [
            "are on the claims that are released",
            { do: "release-claims", pod: "basic-tikv-3", claims: [{ name: "tikv-basic-tikv-3", uid: "7" }] },
            ["ReleaseClaims PersistentVolumeClaim tikv-basic-tikv-3 7"],
        ],
        [
            "are on a StatefulSet that is deleted",
            { do: "delete-stateful-set", name: "basic-tikv", uid: "9" },
            ["DeleteStatefulSet StatefulSet basic-tikv 9"],
        ],
        ["are none for our own records", { do: "forget-eviction", storeId: 13 }, []],
    ] as [string, Action, string[]][]) {
        it(title, () => assert.deepEqual(objects(action), expected));
    }

    it("say why it was safe and what was seen, in at most 1,024 bytes", () => {
        const action = { do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 500 } as const;
        const note = (words: string) => actionEvents(action, entry(words), observation)[0].note;
        assert.equal(
            note("evict 500 leaders"),
            "evict 500 leaders. Held: other-stores-up, leaders-evicted. Seen: stores Up 4 of 4",
        );
        assert.ok(Buffer.byteLength(note("ä".repeat(2_000))) <= 1_024);
    });

    it("of an operation that fails are on the pod concerned, and otherwise on the Lease", () => {
        const problem = { step: "pod-available", target: "basic-tikv-3", seen: "it is not Ready", next: "look" };
        const { object, reason, isWarning, note } = endEvent("roll out basic-tikv", problem, "failed", observation);
        assert.deepEqual([object.kind, object.uid, reason, isWarning], ["Pod", "uid-3", "OperationFailed", true]);
        repeats(note, "roll out basic-tikv", ...["pod-available", problem.seen, problem.next]);
        const stopped = endEvent("roll out", { ...problem, target: undefined }, "stopped", observation);
        assert.deepEqual(
            [stopped.object.kind, stopped.object.name, stopped.reason, stopped.isWarning],
            ["Lease", "basic-pulumi-tidb", "OperationStopped", false],
        );
    });
});
