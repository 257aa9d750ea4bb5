import * as assert from "node:assert/strict";
import { clockTime } from "../../../provider/gates/clockTime";

describe("the time until which a wait lasts", () => {
    const at = (day: number, hour: number, minute: number, month = 11): number =>
        new Date(2026, month - 1, day, hour, minute, 5).getTime();

    const rows: [string, number, number, string][] = [
        ["today", at(22, 15, 29), at(22, 0, 0), "15:29:05"],
        ["in the last minute of the day", at(22, 23, 59), at(22, 0, 0), "23:59:05"],
        ["after midnight", at(23, 0, 10), at(22, 23, 50), "2026-11-23 00:10:05"],
        ["at the same time of another day", at(24, 15, 29), at(22, 15, 29), "2026-11-24 15:29:05"],
        ["on the same day of another month", at(22, 15, 29, 12), at(22, 15, 29), "2026-12-22 15:29:05"],
        ["in January", new Date(2027, 0, 2, 3, 4, 5).getTime(), at(22, 0, 0), "2027-01-02 03:04:05"],
    ];
    for (const [when, until, now, expected] of rows) {
        it(`is ${expected} ${when}`, () => assert.equal(clockTime(until, now), expected));
    }
});
