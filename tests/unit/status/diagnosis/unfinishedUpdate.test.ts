import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { assembleDiagnosis } from "../../../../status/diagnosis/assembleDiagnosis";
import { textDiagnosis } from "../../../../status/diagnosis/textDiagnosis";
import { healthy, now, type Seen, statusOf } from "../seenCluster";

const diagnose = (more: Partial<Seen>) =>
    assembleDiagnosis(statusOf(healthy(more)), { pods: [], certificates: [], unread: [] }, false);
const shown = (more: Partial<Seen>) => diagnose(more).problems.map(({ pods, cause, fix }) => [pods, cause, fix]);
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
const unfinishedOrChanged =
    "an update is unfinished, or somebody has changed the template, and no update is known to be at work";
const previewFirst = "look at `pulumi preview`, then run `pulumi up`: it restarts what the preview shows";
const unpause = "remove `spec.paused` from the program";
const goesOn = "run `pulumi up` again: it goes on. If the operation asks for something, do that first";
const wasStopped = "the last operation, roll out basic-ticdc, was stopped at 2026-11-22 17:30:00 UTC";
const wasKilled =
    "the last operation, roll out basic-ticdc, has not ended: it began at 2026-11-22 17:28:50 UTC, was last heard of at 2026-11-22 17:29:55 UTC, and does not renew its lock; if no `pulumi up` runs, it was interrupted";
const stop = "to end the run instead: npx pulumi-tidb stop basic --namespace tidb";
const versions: Partial<Seen> = { statefulSets: { tidb: { image: "pingcap/tidb:v8.5.4" } } };
const versionWords = "members run different versions: v8.5.3 (PD, TiKV), v8.5.4 (TiDB)";

describe("an update that was interrupted", () => {
    describe("with pods on an older revision", () => {
        for (const [title, more, cause, fix] of [
            ["was stopped", { journal: stopped }, wasStopped, goesOn],
            ["was killed with its lock", killed, wasKilled, goesOn],
            ["is on no record", {}, unfinishedOrChanged, `if no \`pulumi up\` runs, ${previewFirst}`],
            [
                "ended, and somebody has edited the template",
                done,
                unfinishedOrChanged,
                `if no \`pulumi up\` runs, ${previewFirst}`,
            ],
            ["is paused", paused, unfinishedOrChanged, `${unpause}, ${previewFirst}`],
            [
                "was stopped, and is paused",
                { ...paused, journal: stopped },
                wasStopped,
                `${unpause}, then run \`pulumi up\`: it goes on. If the operation asks for something, do that first`,
            ],
            ["was stopped, and the controller works", { ...draining, journal: stopped }, wasStopped, goesOn],
            ["was stopped, and a sweep works", { lease: sweeping, journal: stopped }, wasStopped, goesOn],
            ["was stopped, and the controller waits", { journal: waitsAfter(stopped) }, wasStopped, goesOn],
            ["was stopped, and the controller has worked", { journal: endedAfter(stopped) }, wasStopped, goesOn],
            [
                "ended, and the controller's last move was stopped",
                { journal: endedAfter(done.journal!) },
                unfinishedOrChanged,
                `if no \`pulumi up\` runs, ${previewFirst}`,
            ],
            [
                "runs",
                atWork,
                `the update has not come that far: roll out basic-ticdc (run by ${run})`,
                `wait for the run; ${stop}`,
            ],
        ] as [string, Partial<Seen>, string, string][]) {
            it(`is a problem of them, if it ${title}, also where TiDB Operator's condition is Ready`, () => {
                const seen = { ...stale, ...more };
                assert.deepEqual(shown(seen), [[["basic-ticdc-0"], `on an older revision; ${cause}`, fix]]);
                const { findings, remarks, isPaused } = diagnose(seen);
                const others = remarks.filter((one) => !isPaused || !one.startsWith("the program pauses the cluster"));
                assert.deepEqual([findings, others], [[], []], "nothing is said twice");
                assert.deepEqual(ready(seen)[0][0], "True");
            });
        }

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
            const note =
                "basic-ticdc-0 runs an older revision: an update is unfinished, or somebody has changed the template. If no `pulumi up` runs, look at `pulumi preview`, then run `pulumi up`: it restarts what the preview shows";
            const remarks = (more: Partial<Seen>) => statusOf(healthy({ ...stale, ...more })).remarks;
            assert.deepEqual(remarks({}), [note]);
            assert.deepEqual(remarks(atWork), []);
            assert.deepEqual(remarks(draining), [note], "the controller carries out no update");
            assert.deepEqual(remarks({ lease: { isPaused: true } }).slice(1), [], "an update would change nothing");
            assert.match(
                remarks({
                    ...paused,
                    journal: journal({ outcome: "stopped", ended: now, why: "x. Next: run `pulumi up`" }),
                }).join(),
                /To go on, remove `spec\.paused` from the program, then run `pulumi up`; `npx/,
            );
            assert.match(remarks({ journal: stopped }).join(), /^the last operation, .*`pulumi up` goes on with it/);
            assert.match(remarks(killed).join(), /^the last operation, .*does not renew its lock.*`pulumi up` goes on/);
        });
    });

    describe("between two members", () => {
        it("is a problem, if the last operation did not reach its end", () => {
            assert.deepEqual(shown({ ...versions, journal: stopped }), [
                [[], `${versionWords}; ${wasStopped}`, goesOn],
            ]);
            assert.deepEqual(diagnose({ ...versions, journal: stopped }).remarks, []);
        });

        it("may be one, if nothing shows how it ended: the program may ask for these versions", () => {
            const found = diagnose(versions);
            assert.deepEqual([found.problems, found.isWell, found.mayBeUnfinished], [[], true, true]);
            assert.match(
                textDiagnosis(found),
                /: nothing is wrong, but an update may be unfinished: run `pulumi up` again, unless one has ended well since then\n[^]*note: members run different versions/,
            );
        });

        it("goes on only without `spec.paused`", () => {
            const found = diagnose({ ...versions, ...paused });
            assert.match(
                textDiagnosis(found),
                /: nothing is wrong, but an update may be unfinished: remove `spec\.paused` from the program, then run `pulumi up`\n[^]*note: members run different versions: [^:]*: an update has not ended: remove `spec\.paused`/,
            );
            assert.match(shown({ ...versions, ...paused, journal: stopped })[0][2] as string, /^remove `spec\.paused`/);
        });

        it("is none that the controller has left", () => {
            assert.deepEqual(ready({ journal: endedAfter(done.journal!) }), ready({}));
            assert.equal(diagnose({ journal: endedAfter(done.journal!) }).mayBeUnfinished, false);
        });

        it("is none while a run is at work", () => {
            const found = diagnose({ ...versions, ...atWork });
            assert.deepEqual([found.problems, found.mayBeUnfinished], [[], false]);
        });
    });

    it("is named by the condition, which stays as TiDB Operator's", () => {
        const well = "every pod, member and store is as wanted";
        assert.deepEqual(ready({ journal: stopped }), [
            ["True", `${well}, but the last operation did not reach its end (see the notes)`],
        ]);
        assert.deepEqual(ready({ ...killed, ...versions })[0][0], "True");
        const early: Partial<Seen> = { lease: { lock: overdue } };
        assert.deepEqual(ready(early), [
            ["True", `${well}, but the run that holds the lock may be dead (see the operation)`],
        ]);
        assert.equal(diagnose(early).mayBeUnfinished, true, "a run that was killed early has written no journal");
        assert.deepEqual(ready(versions), [["True", `${well}, but members have different versions (see the notes)`]]);
        assert.deepEqual(ready({ ...versions, ...atWork }), [["True", well]]);
        assert.deepEqual(ready({ journal: journal({ outcome: "done", ended: now }) }), [["True", well]]);
    });
});

describe("a run that waits for approval", () => {
    const wait = { digest: "3f9c2a11d0e7", of: "roll out basic-ticdc", lets: "all", by: run, since: now, at: now };
    const waits: Partial<Seen> = { lease: { approvalWaits: { ana: wait } } };
    const cause = `roll out basic-ticdc waits for approval of 3f9c2a11d0e7: all (run by ${run})`;
    const fix = `run \`npx pulumi-tidb approve basic 3f9c2a11d0e7 --namespace tidb\`; ${stop}`;

    it("is named with the command, also if nothing else is wrong", () => {
        assert.deepEqual(shown(waits), [[[], cause, fix]]);
        assert.equal(diagnose(waits).isWell, false);
    });

    it("is named once, beside the pods that it keeps on an older revision", () => {
        assert.deepEqual(shown({ ...stale, ...waits }), [[["basic-ticdc-0"], `on an older revision; ${cause}`, fix]]);
    });
});
