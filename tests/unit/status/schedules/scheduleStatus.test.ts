import assert from "node:assert/strict";
import { scheduleStatus, type SeenSchedule } from "../../../../status/schedules/scheduleStatus";
import { textStatus } from "../../../../status/textStatus";
import { healthy, now, statusOf } from "../seenCluster";

const hour = 3_600_000;
/** It is 2026-11-22T17:30:00Z: the schedule was due at 02:00 of that day. */
const ok = (more: Partial<SeenSchedule> = {}): SeenSchedule => ({
    name: "nightly",
    namespace: "tidb",
    cronJob: "backup-nightly",
    schedule: "0 2 * * *",
    timeZone: "Etc/UTC",
    isPaused: false,
    createdAt: now - 1000 * hour,
    lastScheduledAt: Date.parse("2026-11-22T02:00:00Z"),
    lastSucceededAt: Date.parse("2026-11-22T02:10:00Z"),
    newest: { job: "backup-nightly-1", is: "complete", words: "" },
    ...more,
});
const problems = (more: Partial<SeenSchedule>) => scheduleStatus(ok(more), now).problems;

describe("the status of a backup schedule", () => {
    it("says when the last success was, and when the next run is due", () => {
        const { lastSuccess, next, running, problems: none } = scheduleStatus(ok(), now);
        assert.deepEqual([lastSuccess, next], ["2026-11-22T02:10:00.000Z", "2026-11-23T02:00:00.000Z"]);
        assert.deepEqual([running, none], [null, []]);
    });

    it("warns of a run that failed, with the last words of its container", () => {
        assert.deepEqual(
            problems({ newest: { job: "backup-nightly-2", is: "failed", words: "it failed: no space" } }),
            ["its last run failed: Job backup-nightly-2: it failed: no space"],
        );
    });

    it("warns of a last success that is too old: nothing has succeeded since the time before the last one", () => {
        const yesterday = Date.parse("2026-11-21T02:10:00Z");
        assert.deepEqual(problems({ lastSucceededAt: yesterday }), []);
        assert.deepEqual(problems({ lastSucceededAt: yesterday - 24 * hour }), [
            "no backup has succeeded since 2026-11-20T02:10:00.000Z, and backups were due at 2026-11-21T02:00:00.000Z and 2026-11-22T02:00:00.000Z: look at CronJob tidb/backup-nightly and its Jobs",
        ]);
    });

    it("warns of a schedule that has never succeeded, but not of a new one", () => {
        const never = { lastSucceededAt: undefined, lastScheduledAt: undefined, newest: undefined };
        assert.match(problems(never).join(), /^no backup has succeeded since it was created, and backups were due/);
        assert.deepEqual(problems({ ...never, createdAt: now - 20 * hour }), []);
    });

    it("does not call a paused schedule too old, and says no next time", () => {
        const { next, problems: found } = scheduleStatus(ok({ isPaused: true, lastSucceededAt: 0 }), now);
        assert.deepEqual([next, found], [null, []]);
    });

    it("warns of a clock that was set back: Kubernetes starts nothing before the last time has come again", () => {
        const lastScheduledAt = now + 5 * hour;
        assert.match(
            problems({ lastScheduledAt }).join(),
            /^its last run was scheduled for 2026-11-22T22:30:00\.000Z, which is yet to come: a clock was set back/,
        );
        assert.deepEqual(problems({ lastScheduledAt: now + 30_000 }), []);
    });

    it("says nothing about times of a schedule that it cannot read", () => {
        const { next, problems: found } = scheduleStatus(ok({ schedule: "TZ=UTC 0 2 * * *", lastSucceededAt: 0 }), now);
        assert.deepEqual([next, found], [null, []]);
    });

    it("is a table and notes of the status of its cluster", () => {
        const running = { job: "backup-nightly-3", is: "running", words: "container backup runs" } as const;
        const value = [ok({ newest: running }), ok({ name: "weekly", schedule: "@weekly", lastSucceededAt: 0 })];
        const status = statusOf(healthy({ schedules: { known: true, value } }));
        const text = textStatus(status);
        assert.match(text, /\nBACKUP SCHEDULE +SCHEDULE +LAST SUCCESS +NEXT +STATE\n/);
        assert.match(text, /\nnightly +0 2 \* \* \* \(Etc\/UTC\) .* Job backup-nightly-3: container backup runs\n/);
        assert.match(text, / {2}note: backup schedule weekly: no backup has succeeded since 1970/);
        assert.match(text, /\nweekly .*see the notes\n/);
    });

    it("that is not known is said, never shown as none", () => {
        const status = statusOf(healthy({ schedules: { known: false, why: "no answer", isForbidden: false } }));
        assert.deepEqual(status.notKnown, ["the backup schedules: no answer"]);
        assert.match(textStatus(status), /not known: the backup schedules: no answer/);
    });

    it("that the user may not see is said, and does not count as not known", () => {
        const status = statusOf(healthy({ schedules: { known: false, why: "forbidden", isForbidden: true } }));
        assert.deepEqual(status.notKnown, []);
        assert.match(textStatus(status), /\nbackup schedules: not shown: forbidden\n/);
    });
});
