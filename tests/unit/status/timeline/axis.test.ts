import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { assembleTimeline } from "../../../../status/timeline/assembleTimeline";
import { marksOf } from "../../../../status/timeline/axis";
import { htmlTimeline } from "../../../../status/timeline/htmlTimeline";
import { clock, lasted } from "../../../../status/timeline/timelineWords";
import { elementsOf, parseHtml, textOf } from "../../../support/parseHtml";
import { halfPast, journalWith, resumed } from "./seenJournal";

describe("the axis of a timeline", () => {
    it("has two to eight marks", () => {
        for (const seconds of [0.5, 1.2, 3, 40, 90, 600, 4_000, 30_000, 200_000]) {
            const { length } = marksOf({ from: halfPast + 23, to: halfPast + seconds * 1_000 });
            assert.ok(length >= 2 && length <= 8, `${length} marks in ${seconds} s`);
        }
    });

    const axes: [seconds: number, labels: string[]][] = [
        [0.4, ["17:30:00.0Z", "17:30:00.1Z", "17:30:00.2Z", "17:30:00.3Z"]],
        [9, ["17:30:00Z", "17:30:02Z", "17:30:04Z", "17:30:06Z", "17:30:08Z"]],
        [200, ["17:30:00Z", "17:30:30Z", "17:31:00Z", "17:31:30Z", "17:32:00Z", "17:32:30Z", "17:33:00Z"]],
        [1_000, ["17:30Z", "17:35Z", "17:40Z", "17:45Z"]],
        [36_000, ["18:00Z", "20:00Z", "22:00Z", "11-23 00:00Z", "02:00Z"]],
    ];
    for (const [seconds, labels] of axes) {
        it(`labels the marks of ${seconds} s with times as exact as their distance, and a new day with its date`, () => {
            const marks = marksOf({ from: halfPast, to: halfPast + seconds * 1_000 });
            assert.deepEqual(
                marks.map(({ label }) => label),
                labels,
            );
        });
    }
});

describe("the times of a timeline", () => {
    it("has tenths of a second in the times of a short operation, the day in those of a long one, and both days in a title over midnight", () => {
        const title = (operation: JournalOperation) =>
            elementsOf(parseHtml(htmlTimeline(assembleTimeline(journalWith([operation])))))
                .filter(({ name }) => name === "h2")
                .map(textOf);
        const began = halfPast + 240;
        assert.deepEqual(title({ ...resumed, began, ended: began + 4_160, entries: [] }), [
            "2026-11-22 17:30:00.2Z to 17:30:04.4Z (4.2 s)",
        ]);
        assert.deepEqual(title({ ...resumed, began, ended: began + 25_200_000, entries: [] }), [
            "2026-11-22 17:30:00Z to 2026-11-23 00:30:00Z (7 h)",
        ]);
        assert.deepEqual(
            [undefined, 19_999, 20_000, 86_400_000, 86_400_001].map((within) => clock(began, within)),
            ["17:30:00Z", "17:30:00.2Z", "17:30:00Z", "17:30:00Z", "11-22 17:30:00Z"],
        );
    });

    it("tells lengths of time by their two largest units", () => {
        const lengths = [400, 9_940, 9_950, 119_400, 120_000, 250_300, 3_599_400, 3_600_000, 25_245_000, 86_399_000];
        assert.deepEqual(lengths.map(lasted), [
            "0.4 s",
            "9.9 s",
            "10 s",
            "119 s",
            "2 min",
            "4 min 10 s",
            "59 min 59 s",
            "1 h",
            "7 h 1 min",
            "24 h",
        ]);
    });
});
