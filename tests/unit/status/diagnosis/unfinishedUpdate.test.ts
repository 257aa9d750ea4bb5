import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { assembleDiagnosis } from "../../../../status/diagnosis/assembleDiagnosis";
import { textDiagnosis } from "../../../../status/diagnosis/textDiagnosis";
import { pinnedWords } from "../../../support/pinned";
import { healthy, now, type Seen, statusOf } from "../seenCluster";
import { messagesOf } from "../../../support/repeats";

const diagnose = (more: Partial<Seen>) =>
    assembleDiagnosis(statusOf(healthy(more)), { pods: [], certificates: [], unread: [] }, false);
const inShort = (more: Partial<Seen>) => diagnose(more).problems.map(({ reason, pods }) => [reason, pods]);
const ready = (more: Partial<Seen>) =>
    statusOf(healthy(more)).conditions.map(({ status, message }) => [status, message]);

const members = { pd: 3, tikv: 3, tidb: 2, ticdc: 1 };
const run = "ana@laptop, process 4711 (3f9a1c)";
const operation: JournalOperation = {
    ...{ id: "a", what: "roll out basic-ticdc", holder: run, began: now - 70_000, writtenAt: now - 5_000 },
    ...{ pods: [], entries: [] },
};
const journal = (more: Partial<JournalOperation> = {}) => known([{ ...operation, ...more }], "the journal", now);
const stopped = journal({ outcome: "stopped", ended: now });
const lock = { holder: run, operation: "roll out basic-ticdc", renewedAt: now };
const overdue = { ...lock, renewedAt: now - 60_000 };
const atWork: Partial<Seen> = { lease: { lock } };
const killed: Partial<Seen> = { lease: { lock: overdue }, journal: journal() };
const stale: Partial<Seen> = { members, pods: { "basic-ticdc-0": { revision: "old" } } };
const done: Partial<Seen> = { journal: journal({ outcome: "done", ended: now - 30_000 }) };
const paused: Partial<Seen> = { lease: { isPaused: true } };
const controller = "controller root@basic-controller-7d9f, process 1 (77c0de)";
const moves: JournalOperation = {
    ...operation,
    id: "b",
    what: "move basic-tikv away",
    holder: controller,
    began: now - 20_000,
};
const draining: Partial<Seen> = { lease: { lock: { holder: controller, operation: moves.what, renewedAt: now } } };
const sweeping = { lock: { holder: `sweep ${run}`, operation: "sweep basic", renewedAt: now } };
/** What the controller does after this journal. */
const after = (before: NonNullable<Seen["journal"]>, more: Partial<JournalOperation>) =>
    known([...(before.known ? before.value : []), { ...moves, ...more }], "the journal", now);
const endedAfter = (before: NonNullable<Seen["journal"]>) => after(before, { outcome: "stopped", ended: now });
const waitsAfter = (before: NonNullable<Seen["journal"]>) =>
    after(before, { entries: [{ is: "wait", at: now - 15_000, step: "lock", target: "basic-tikv", why: "a budget" }] });
const wait = { digest: "3f9c2a11d0e7", of: "roll out basic-ticdc", lets: "all", by: run, since: now, at: now };
const waits: Partial<Seen> = { lease: { approvalWaits: { ana: wait } } };
const versions: Partial<Seen> = { statefulSets: { tidb: { image: "pingcap/tidb:v8.5.4" } } };
describe("an update that was interrupted", () => {
    const words = (more: Partial<Seen>) => () => textDiagnosis(diagnose(more));

    describe("with pods on an older revision", () => {
        const cases: Record<string, [Partial<Seen>, reason?: "UpdateWaits"]> = {
            "was stopped": [{ journal: stopped }],
            "was killed with its lock": [killed],
            "is on no record": [{}],
            "ended, and a client has edited the template": [done],
            "is paused": [paused],
            "was stopped, and is paused": [{ ...paused, journal: stopped }],
            "was stopped, and the controller works": [{ ...draining, journal: stopped }],
            "was stopped, and a sweep works": [{ lease: sweeping, journal: stopped }],
            "was stopped, and the controller waits": [{ journal: waitsAfter(stopped) }],
            "was stopped, and the controller has worked": [{ journal: endedAfter(stopped) }],
            "ended, and the controller's last move was stopped": [{ journal: endedAfter(done.journal!) }],
            runs: [atWork, "UpdateWaits"],
        };
        for (const [title, [more, reason = "UpdateEnded"]] of Object.entries(cases)) {
            it(`is a problem of them, if it ${title}, also where TiDB Operator's condition is Ready`, () => {
                const seen = { ...stale, ...more };
                assert.deepEqual(inShort(seen), [[reason, ["basic-ticdc-0"]]]);
                const { findings, remarks, isPaused } = diagnose(seen);
                assert.deepEqual([findings, remarks.length], [[], isPaused ? 1 : 0], "nothing is said twice");
                assert.deepEqual(ready(seen)[0][0], "True");
            });
        }
        pinnedWords("diagnose-interrupted", {
            ...Object.fromEntries(
                Object.entries(cases).map(([title, [more]]) => [
                    `a pod is on an older revision: the update ${title}`,
                    words({ ...stale, ...more }),
                ]),
            ),
            ...Object.fromEntries(
                ["is on no record", "was stopped", "was killed with its lock", "was stopped, and is paused"].map(
                    (title) => [
                        `the status notes that the update ${title}`,
                        () => messagesOf(statusOf(healthy({ ...stale, ...cases[title][0] })).remarks),
                    ],
                ),
            ),
            "members have different versions": words(versions),
            "members have different versions, and the update was stopped": words({ ...versions, journal: stopped }),
            "members have different versions, and the cluster is paused": words({ ...versions, ...paused }),
            "members have different versions, and the stopped update is paused": words({
                ...{ ...versions, ...paused },
                journal: stopped,
            }),
            "a run waits for approval, and nothing else is wrong": words(waits),
            "a run waits for approval that keeps a pod on an older revision": words({ ...stale, ...waits }),
        });

        it("is one problem of all of them, and what else is wrong with them stays", () => {
            const pods = { "basic-tikv-0": { revision: "old" }, "basic-tikv-1": { revision: "old", ready: false } };
            const found = diagnose({ pods, stores: { "basic-tikv-0": { state: "Down" } } });
            assert.deepEqual(
                found.problems.map((one) => one.pods),
                [["basic-tikv-0", "basic-tikv-1"]],
            );
            assert.deepEqual(found.findings, ["basic-tikv-0: store 10 is Down", "basic-tikv-1 is not ready"]);
        });

        it("is a note of a status, if no run is known to be at work", () => {
            const remarks = (more: Partial<Seen>) => statusOf(healthy({ ...stale, ...more })).remarks.length;
            assert.equal(remarks({}), 1);
            assert.equal(remarks(atWork), 0);
            assert.equal(remarks(draining), 1, "the controller carries out no update");
            assert.equal(remarks(paused), 1, "an update would change nothing");
            assert.deepEqual([remarks({ journal: stopped }), remarks(killed)], [1, 1]);
        });
    });

    describe("between two members", () => {
        it("is a problem, if the last operation did not reach its end", () => {
            assert.deepEqual(inShort({ ...versions, journal: stopped }), [["UpdateEnded", []]]);
            assert.deepEqual(diagnose({ ...versions, journal: stopped }).remarks, []);
        });

        it("may be one, if nothing shows how it ended: the program may ask for these versions", () => {
            const found = diagnose(versions);
            assert.deepEqual([found.problems, found.isWell, found.mayBeUnfinished], [[], true, true]);
        });

        it("is none that the controller has left", () => {
            assert.deepEqual(ready({ journal: endedAfter(done.journal!) }), ready({}));
            assert.equal(diagnose({ journal: endedAfter(done.journal!) }).mayBeUnfinished, false);
        });

        it("is none while a run is at work", () => {
            assert.deepEqual(diagnose({ ...versions, ...atWork }).problems, []);
            for (const run of [atWork, waits]) {
                assert.equal(diagnose({ ...versions, ...run }).mayBeUnfinished, false);
            }
        });
    });

    it("is named by the condition, which stays as TiDB Operator's", () => {
        const [[, well]] = ready({});
        const but = (more: Partial<Seen>) => ready(more).map(([status, message]) => [status, message !== well]);
        assert.deepEqual(but({ journal: stopped }), [["True", true]]);
        assert.deepEqual(ready({ ...killed, ...versions })[0][0], "True");
        const early: Partial<Seen> = { lease: { lock: overdue } };
        assert.deepEqual(but(early), [["True", true]]);
        assert.equal(diagnose(early).mayBeUnfinished, true, "a run that was killed early has written no journal");
        assert.deepEqual(but(versions), [["True", true]]);
        assert.deepEqual(but({ ...versions, ...atWork }), [["True", false]]);
        assert.deepEqual(but({ journal: journal({ outcome: "done", ended: now }) }), [["True", false]]);
    });
});

describe("a run that waits for approval", () => {
    it("is named with the command, also if nothing else is wrong", () => {
        assert.deepEqual(inShort(waits), [["UpdateWaits", []]]);
        assert.equal(diagnose(waits).isWell, false);
    });

    it("is named once, beside the pods that it keeps on an older revision", () => {
        assert.deepEqual(inShort({ ...stale, ...waits }), [["UpdateWaits", ["basic-ticdc-0"]]]);
    });
});
