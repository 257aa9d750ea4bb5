import type { Chart } from "./charts";

/** A mark of an axis of time. */
export interface Mark {
    /** In milliseconds since 1970. */
    readonly at: number;
    /** The time of day in UTC, as exact as the distance between marks, with the date where a new day has begun: `11-23 00:00Z`. */
    readonly label: string;
}

/** Distances between the marks of an axis, in seconds. */
const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
/** An axis has at most this many marks, unless it lasts for more days. */
const mostMarks = 8;

/** Returns the marks of the axis of a chart. */
export function marksOf({ from, to }: Pick<Chart, "from" | "to">): Mark[] {
    const step = 1_000 * (steps.find((one) => (to - from) / 1_000 / one <= mostMarks) ?? steps[steps.length - 1]);
    const marks: Mark[] = [];
    for (let at = Math.ceil(from / step) * step; at < to && marks.length <= 10 * mostMarks; at += step) {
        marks.push({ at, label: labelOf(at, marks.at(-1)?.at ?? from, step) });
    }
    return marks;
}

function labelOf(at: number, before: number, step: number): string {
    const [day, time] = new Date(at).toISOString().split("T");
    const isNewDay = !new Date(before).toISOString().startsWith(day);
    const length = step < 1_000 ? "00:00:00.0".length : step < 60_000 ? "00:00:00".length : "00:00".length;
    return `${isNewDay ? `${day.slice(5)} ` : ""}${time.slice(0, length)}Z`;
}
