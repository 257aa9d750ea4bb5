import assert from "node:assert/strict";
import { planLogBackup } from "../../../../provider/lifecycle/logBackup/planLogBackup";
import type {
    LogBackupBefore,
    LogBackupTarget,
    LogState,
    LogTask,
} from "../../../../provider/lifecycle/logBackup/target";
import { tsoAt } from "../../../../topology/timestamps";
import { codesOf, repeats } from "../../../support/repeats";

const now = Date.UTC(2026, 0, 2, 12);
const at = (hour: number) => tsoAt(Date.UTC(2026, 0, 2, hour));
const task = (more: Partial<LogTask> = {}): LogTask => ({
    name: "b1",
    storage: "s3://backups/log",
    checkpointTs: at(11),
    paused: false,
    errors: [],
    ...more,
});
const target = (more: Partial<LogBackupTarget> = {}): LogBackupTarget => ({
    task: "b1",
    storage: "s3://backups/log",
    wanted: "running",
    truncateUntil: "",
    of: "db/basic",
    attempt: 1,
    ...more,
});
const plan = (tasks: LogTask[], more: Partial<LogBackupTarget> = {}, before: LogBackupBefore = {}) =>
    planLogBackup(tasks, target(more), before, now);

describe("the plan of a log backup", () => {
    for (const [there, wanted, steps] of [
        [[], "running", ["start"]],
        [[task()], "running", []],
        [[task({ paused: true })], "running", ["resume"]],
        [[task()], "paused", ["pause"]],
        [[task({ paused: true })], "paused", []],
        [[], "stopped", []],
        [[task()], "stopped", ["stop"]],
        [[task({ paused: true })], "stopped", ["stop"]],
    ] as [LogTask[], LogState, string[]][]) {
        const is = there.length === 0 ? "missing" : there[0].paused ? "paused" : "running";
        it(`from ${is} to ${wanted}: ${steps.join() || "nothing"}`, () => {
            assert.deepEqual(plan(there, { wanted }), { steps, warnings: [] });
        });
    }

    it("of a task that is gone is no start, and no state that somebody here has reached", () => {
        for (const wanted of ["running", "paused"] as const) {
            const { steps, problem, refused } = plan([], { wanted }, { wanted, attempt: 1 });
            assert.deepEqual([steps, refused], [[], undefined]);
            assert.equal(problem?.code, "log-backup-gone");
            repeats(problem?.next, "raise `attempt` from 1 to 2");
        }
        const stopped = plan([], { wanted: "stopped" }, { wanted: "running", attempt: 1 });
        assert.deepEqual([stopped.steps, codesOf(stopped.warnings)], [[], ["log-backup-gone"]]);
    });

    it("of a task that is gone starts it once that is asked for", () => {
        const { steps, warnings } = plan([], { attempt: 2 }, { wanted: "running", attempt: 1 });
        assert.deepEqual(steps, ["start"]);
        assert.equal(warnings.length, 1);
    });

    it("of a task that this program has stopped starts it again", () => {
        assert.deepEqual(plan([], {}, { wanted: "stopped", attempt: 1 }), { steps: ["start"], warnings: [] });
    });

    for (const [what, other] of [
        ["bucket", { storage: "s3://theirs/log" }],
        ["prefix", { storage: "s3://backups/log2" }],
        ["kind", { storage: "gcs://backups/log" }],
        ["endpoint", { endpoint: "http://other:9000" }],
        ["unknown kind", { storage: "" }],
    ] as [string, Partial<LogTask>][]) {
        it(`refuses a task of its name that writes to another ${what}, whatever is asked for`, () => {
            for (const wanted of ["running", "paused", "stopped"] as const) {
                const { steps, problem, refused } = plan([task(other)], { wanted, endpoint: "http://minio:9000" });
                assert.deepEqual([steps, refused], [[], true]);
                assert.equal(problem?.code, "log-backup-elsewhere");
            }
        });
    }

    it("knows its own storage with a slash at the end, and without an endpoint that BR is told otherwise", () => {
        const own = task({ storage: "gcs://backups/log", endpoint: "http://fake/" });
        assert.deepEqual(plan([own], { storage: "gcs://backups/log/" }).steps, []);
        assert.deepEqual(plan([own], { storage: "gcs://backups/log/", endpoint: "http://fake" }).steps, []);
    });

    it("does not stop or truncate a task if only one of the two names an endpoint that is not AWS's", () => {
        const truncateUntil = "2026-01-02 10:00:00Z";
        for (const [one, other] of [
            ["http://minio:9000", undefined],
            [undefined, "http://minio:9000"],
            ["https://s3.amazonaws.com.example", undefined],
        ]) {
            for (const asked of [{ wanted: "stopped" }, { truncateUntil }] as Partial<LogBackupTarget>[]) {
                const { steps, problem, refused } = plan([task({ endpoint: one })], { ...asked, endpoint: other });
                assert.deepEqual([steps, refused], [[], true]);
                assert.equal(problem?.code, "log-storage-unknown");
            }
            assert.deepEqual(plan([task({ endpoint: one })], { wanted: "paused", endpoint: other }).steps, ["pause"]);
        }
        const ofAws = task({ endpoint: "https://s3.us-east-1.amazonaws.com/" });
        assert.deepEqual(plan([ofAws], { wanted: "stopped" }).steps, ["stop"]);
    });

    it("tells the storage accounts of Azure apart, if both are named", () => {
        const azure = "azure://backups/log/";
        const there = task({ storage: azure, account: "theirs" });
        const { problem, refused } = plan([there], { storage: azure, account: "ours" });
        assert.equal(refused, true);
        assert.equal(problem?.code, "log-backup-elsewhere");
        repeats(problem?.seen, azure, "theirs", "ours");
        for (const account of ["theirs", undefined]) {
            assert.deepEqual(plan([there], { storage: azure, account, wanted: "stopped" }).steps, ["stop"]);
        }
    });

    it("refuses to start beside another task, of which BR has one at most", () => {
        const { problem, refused } = plan([task({ name: "other", storage: "s3://theirs/log" })]);
        assert.equal(refused, true);
        assert.equal(problem?.code, "log-backup-of-another-name");
        repeats(problem?.seen, "other", "s3://theirs/log");
    });

    it("refuses to pause what was never started", () => {
        const { steps, problem, refused } = plan([], { wanted: "paused" });
        assert.deepEqual([steps, refused], [[], true]);
        assert.equal(problem?.code, "log-backup-not-started");
    });

    it("says what TiKV failed with", () => {
        const { steps, warnings } = plan([task({ paused: true, errors: ["no space"] })]);
        assert.deepEqual([steps, codesOf(warnings)], [["resume"], ["log-backup-error"]]);
        repeats(warnings, "no space");
    });

    describe("with a time to truncate until", () => {
        const until = "2026-01-02 10:00:00Z";
        it("truncates after the state is reached, once for each time", () => {
            assert.deepEqual(plan([], { truncateUntil: until }).steps, ["start", "truncate"]);
            assert.deepEqual(plan([task()], { truncateUntil: until }).steps, ["truncate"]);
            assert.deepEqual(plan([task()], { truncateUntil: until }, { truncateUntil: until }).steps, []);
            assert.deepEqual(plan([task()], { truncateUntil: String(at(10)) }, { truncateUntil: until }).steps, []);
            assert.deepEqual(plan([task()], { truncateUntil: String(at(9)) }, { truncateUntil: until }).steps, []);
            assert.deepEqual(plan([task()], { truncateUntil: String(at(11)) }, { truncateUntil: until }).steps, [
                "truncate",
            ]);
        });

        it("refuses a time after the checkpoint, after which the log has nothing yet", () => {
            const { steps, problem, refused } = plan([task()], { truncateUntil: "2026-01-02 11:00:01Z" });
            assert.deepEqual([steps, refused], [[], true]);
            assert.equal(problem?.code, "log-truncated-too-far");
            repeats(problem?.seen, "11:00:01 UTC", "2026-01-02 11:00:00 UTC");
        });

        it("truncates before the stop, which makes PD forget the checkpoint", () => {
            assert.deepEqual(plan([task()], { wanted: "stopped", truncateUntil: until }).steps, ["truncate", "stop"]);
            const { refused } = plan([task()], { wanted: "stopped", truncateUntil: "2026-01-02 11:00:01Z" });
            assert.equal(refused, true);
        });

        it("refuses to truncate the log of a task that PD does not have: it may be another cluster's", () => {
            for (const before of [{}, { wanted: "running" }, { wanted: "stopped" }] as LogBackupBefore[]) {
                const { steps, problem, refused } = plan([], { wanted: "stopped", truncateUntil: until }, before);
                assert.deepEqual([steps, refused], [[], true]);
                assert.equal(problem?.code, "log-checkpoint-unknown");
            }
            assert.deepEqual(plan([], { wanted: "stopped", truncateUntil: until }, { truncateUntil: until }).steps, []);
        });

        it("refuses to truncate a log that another task writes", () => {
            const other = task({ name: "other", storage: "s3://backups/log/" });
            for (const there of [[other], [task(), other]]) {
                const { steps, problem, refused } = plan(there, { wanted: "stopped", truncateUntil: until });
                assert.deepEqual([steps, refused], [[], true]);
                assert.equal(problem?.code, "log-storage-shared");
                repeats(problem?.seen, "other");
            }
        });

        it("refuses a time to come, also where PD has no checkpoint", () => {
            const { problem, refused } = plan([], { wanted: "stopped", truncateUntil: "2026-01-02 12:00:01Z" });
            assert.equal(refused, true);
            assert.equal(problem?.code, "log-truncated-too-far");
            repeats(problem?.seen, "2026-01-02 12:00:00 UTC");
        });
    });
});
