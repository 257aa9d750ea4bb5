import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { statusChanges } from "../../../status/statusChanges";
import { healthy, now, type Seen, statusOf, waitingRun as waiting } from "./seenCluster";

const later = { ...waiting, id: "b", began: now - 1_000, ended: now, outcome: "done" } as const;

const seenWith = (operations: readonly JournalOperation[], more: Partial<Seen> = {}) =>
    statusOf(healthy({ ...more, journal: known(operations, "the journal", now) }));
const lockOf = (holder: string): Partial<Seen> => ({ lease: { lock: { holder, renewedAt: now } } });

describe("a run that waits without the lock", () => {
    it("is shown with what it waits for, since when, and when it was last heard of", () => {
        const status = seenWith([waiting]);
        assert.deepEqual(status.waiting, [
            {
                of: "roll out basic-tikv",
                for: "basic-tikv-2: Job b1",
                by: "ana@laptop, process 4711 (3f9a1c)",
                since: "2026-11-22T17:24:00.000Z",
                heardAt: "2026-11-22T17:29:10.000Z",
            },
        ]);
        const { changes } = statusChanges(statusChanges(undefined, seenWith([])).facts, status);
        assert.deepEqual(changes, [
            "waits without the lock: roll out basic-tikv, by ana@laptop, process 4711 (3f9a1c)",
        ]);
        assert.deepEqual(status.remarks, [], "nothing says that it was interrupted");
    });

    for (const [title, operations, more] of [
        ["was last heard of three minutes ago: it may be dead", [{ ...waiting, writtenAt: now - 180_000 }]],
        ["was heard of in the future: its clock proves nothing", [{ ...waiting, writtenAt: now + 180_000 }]],
        ["was written by a version that does not note when", [{ ...waiting, writtenAt: undefined }]],
        ["has ended", [{ ...waiting, ended: now, outcome: "done" }]],
        ["was taken up by a later run", [waiting, later]],
        ["waits for nothing", [{ ...waiting, entries: waiting.entries.slice(0, 1) }]],
        ["holds the lock, which says more", [waiting], lockOf(waiting.holder)],
        [
            "waits for approval, which the Lease notes",
            [{ ...waiting, entries: [{ ...waiting.entries[1], step: "approval" }] }],
        ],
    ] as [string, JournalOperation[], Partial<Seen>?][]) {
        it(`is not shown if it ${title}`, () => {
            assert.deepEqual(seenWith(operations, more).waiting, []);
        });
    }

    it("is not shown with an earlier wait once it waits for approval, which the Lease has at once", () => {
        const of = (what: string) => {
            const wait = { digest: "3f9c2a11d0e7", of: what, lets: "all", by: waiting.holder, since: now, at: now };
            return seenWith([waiting], { lease: { approvalWaits: { ana: wait } } }).waiting.length;
        };
        assert.deepEqual([of(waiting.what), of("roll out basic-pd")], [0, 1]);
    });

    it("is shown beside another run that holds the lock", () => {
        assert.equal(seenWith([waiting], lockOf("ben@build")).waiting.length, 1);
    });
});
