import assert from "node:assert/strict";
import { parseCron } from "../../../../components/br/schedule/cron";
import { dueTimes } from "../../../../status/schedules/dueTimes";

const at = (text: string): number => Date.parse(text);
function due(
    schedule: string,
    now: string,
    timeZone = "Etc/UTC",
    since = "2026-01-01T00:00:00Z",
): (string | undefined)[] {
    const cron = parseCron(schedule);
    assert.ok(!("expected" in cron));
    const { before, last, next } = dueTimes(cron, timeZone, at(now), at(since));
    return [before, last, next].map((one) =>
        one === undefined ? undefined : new Date(one).toISOString().slice(0, 16),
    );
}

describe("when a schedule is due", () => {
    for (const [schedule, now, expected] of [
        ["0 2 * * *", "2026-03-10T01:59:59Z", ["2026-03-08T02:00", "2026-03-09T02:00", "2026-03-10T02:00"]],
        ["0 2 * * *", "2026-03-10T02:00:00Z", ["2026-03-09T02:00", "2026-03-10T02:00", "2026-03-11T02:00"]],
        ["*/20 * * * *", "2026-03-10T00:05:00Z", ["2026-03-09T23:40", "2026-03-10T00:00", "2026-03-10T00:20"]],
        ["0 3 * * mon-fri", "2026-03-08T12:00:00Z", ["2026-03-05T03:00", "2026-03-06T03:00", "2026-03-09T03:00"]],
        ["0 0 29 2 *", "2026-03-08T12:00:00Z", ["2020-02-29T00:00", "2024-02-29T00:00", "2028-02-29T00:00"]],
        // The 1st of a month, and each Monday.
        ["0 0 1 * 1", "2026-05-01T12:00:00Z", ["2026-04-27T00:00", "2026-05-01T00:00", "2026-05-04T00:00"]],
        ["@every 12h", "2026-01-02T13:00:00Z", ["2026-01-02T00:00", "2026-01-02T12:00", "2026-01-03T00:00"]],
    ] as const) {
        it(`${schedule} at ${now}`, () => {
            assert.deepEqual(due(schedule, now), expected);
        });
    }

    it("goes by the clocks of the time zone, in summer and in winter", () => {
        assert.deepEqual(due("0 2 * * *", "2026-01-10T12:00:00Z", "Europe/Berlin")[1], "2026-01-10T01:00");
        assert.deepEqual(due("0 2 * * *", "2026-07-10T12:00:00Z", "Europe/Berlin")[1], "2026-07-10T00:00");
        assert.deepEqual(due("30 0 * * *", "2026-07-10T23:00:00Z", "Asia/Kolkata")[2], "2026-07-11T19:00");
    });
});
