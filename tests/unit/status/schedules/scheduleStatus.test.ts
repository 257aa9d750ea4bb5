import assert from "node:assert/strict";
import { scheduleStatus, type SeenSchedule } from "../../../../status/schedules/scheduleStatus";
import { pinnedWords } from "../../../support/pinned";
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
const never = { lastSucceededAt: undefined, lastScheduledAt: undefined, newest: undefined };
const problems = (more: Partial<SeenSchedule>) => scheduleStatus(ok(more), now).problems;

describe("the status of a backup schedule", () => {
    it("says when the last success was, and when the next run is due", () => {
        const { lastSuccess, next, running, problems: none } = scheduleStatus(ok(), now);
        assert.deepEqual([lastSuccess, next], ["2026-11-22T02:10:00.000Z", "2026-11-23T02:00:00.000Z"]);
        assert.deepEqual([running, none], [null, []]);
    });

    it("warns of a run that failed", () => {
        assert.equal(problems({ newest: { job: "backup-nightly-2", is: "failed", words: "it failed" } }).length, 1);
    });

    it("warns of a last success that is too old: nothing has succeeded since the time before the last one", () => {
        const yesterday = Date.parse("2026-11-21T02:10:00Z");
        assert.deepEqual(problems({ lastSucceededAt: yesterday }), []);
        assert.equal(problems({ lastSucceededAt: yesterday - 24 * hour }).length, 1);
    });

    it("warns of a schedule that has never succeeded, but not of a new one", () => {
        assert.equal(problems(never).length, 1);
        assert.deepEqual(problems({ ...never, createdAt: now - 20 * hour }), []);
    });

    it("does not call a paused schedule too old, and says no next time", () => {
        const { next, problems: found } = scheduleStatus(ok({ isPaused: true, lastSucceededAt: 0 }), now);
        assert.deepEqual([next, found], [null, []]);
    });

    it("warns of a clock that was set back: Kubernetes starts nothing before the last time has come again", () => {
        assert.equal(problems({ lastScheduledAt: now + 5 * hour }).length, 1);
        assert.deepEqual(problems({ lastScheduledAt: now + 30_000 }), []);
    });

    it("says nothing about times of a schedule that it cannot read", () => {
        const { next, problems: found } = scheduleStatus(ok({ schedule: "TZ=UTC 0 2 * * *", lastSucceededAt: 0 }), now);
        assert.deepEqual([next, found], [null, []]);
    });

    pinnedWords("schedules", {
        "its last run failed": () =>
            problems({ newest: { job: "backup-nightly-2", is: "failed", words: "it failed: no space" } }).join("\n"),
        "its last success is too old": () =>
            problems({ lastSucceededAt: Date.parse("2026-11-20T02:10:00Z") }).join("\n"),
        "it has never succeeded": () => problems(never).join("\n"),
        "a clock was set back": () => problems({ lastScheduledAt: now + 5 * hour }).join("\n"),
    });

    it("that is not known is said, never shown as none, unless the user may not see it", () => {
        const notKnown = (isForbidden: boolean) =>
            statusOf(healthy({ schedules: { known: false, why: "no answer", isForbidden } })).notKnown;
        assert.deepEqual([notKnown(false).length, notKnown(true)], [1, []]);
    });
});
