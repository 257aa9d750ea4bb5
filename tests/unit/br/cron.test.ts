import assert from "node:assert/strict";
import { type CronTimes, parseCron } from "../../../components/br/schedule/cron";
import { repeats } from "../../support/repeats";

const times = (text: string): CronTimes => {
    const cron = parseCron(text);
    assert.ok("minutes" in cron, `${text}: ${JSON.stringify(cron)}`);
    return cron;
};

/** The expectations are those of github.com/robfig/cron/v3's documentation and parser, which Kubernetes uses. */
describe("a schedule in the form of cron", () => {
    for (const [text, field, values] of [
        ["0 2 * * *", "hours", [2]],
        ["*/20 * * * *", "minutes", [0, 20, 40]],
        ["5/20 * * * *", "minutes", [5, 25, 45]],
        ["1-10/4 * * * *", "minutes", [1, 5, 9]],
        ["0 0 1,15,28-30 * *", "days", [1, 15, 28, 29, 30]],
        ["0 0 ? jan,DEC *", "months", [1, 12]],
        ["0 0 * * Mon-Fri", "weekdays", [1, 2, 3, 4, 5]],
        ["  0   12\t* * 0 ", "weekdays", [0]],
        ["@weekly", "weekdays", [0]],
        ["@midnight", "hours", [0]],
    ] as const) {
        it(`${text}: ${field} ${values.join(", ")}`, () => {
            assert.deepEqual([...times(text)[field]], values);
        });
    }

    it("knows which field of days leaves the choice to the other", () => {
        const any = (text: string) => [times(text).isAnyDay, times(text).isAnyWeekday];
        assert.deepEqual(any("0 0 * * *"), [true, true]);
        assert.deepEqual(any("0 0 1 * ?"), [false, true]);
        // A star with a step is a list of days.
        assert.deepEqual(any("0 0 */2 * 1"), [false, false]);
    });

    it("@every has a Go duration", () => {
        assert.deepEqual(parseCron("@every 1h30m"), { everySeconds: 5400 });
        for (const text of ["@every", "@every 5", "@every 100ms", "@every -1h"]) {
            assert.ok("expected" in parseCron(text), text);
        }
    });

    for (const [text, expected] of [
        ["", ""],
        ["0 2 * *", ""],
        ["0 0 2 * * *", ""],
        ["@reboot", ""],
        ["60 * * * *", "field 1"],
        ["0 24 * * *", "field 2"],
        ["0 0 0 * *", "field 3"],
        ["0 0 * 13 *", "field 4"],
        ["0 0 * * 7", "field 5"],
        ["0 0 * * 5-1", "field 5"],
        ["*/0 * * * *", "field 1"],
        ["1-2-3 * * * *", "field 1"],
        ["1/2/3 * * * *", "field 1"],
        ["a * * * *", "field 1"],
        ["-5 * * * *", "field 1"],
        ["mon * * * *", "field 1"],
        ["TZ=Europe/Berlin 0 2 * * *", "`timeZone`"],
        ["CRON_TZ=UTC 0 2 * * *", "`timeZone`"],
        ["0 0 30 2 *", ""],
        ["0 0 31 4,6 *", ""],
    ] as const) {
        it(`refuses ${JSON.stringify(text)}`, () => {
            const cron = parseCron(text);
            assert.ok("expected" in cron, JSON.stringify(cron));
            repeats(cron.expected, expected);
        });
    }

    it("takes a day that only some months have, and one that a day of the week makes due", () => {
        times("0 0 29 2 *");
        times("0 0 31 * *");
        times("0 0 31 2 1");
    });
});
