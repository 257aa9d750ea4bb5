import { median } from "./statistics";

/** One line of the report. */
export interface Figure {
    /** What was measured. */
    name: string;
    measured: number;
    /** `ratio`: a multiple of the time of the other side; `MB`: 1,000,000 bytes. */
    unit: "ratio" | "ms" | "s" | "MB";
    /** The maximum, in the same unit. */
    target: number;
    /** The measurements behind the figure: the times of both sides, the number of repetitions. */
    detail: string;
}

const digits = { ratio: 2, ms: 2, s: 1, MB: 2 } as const;
const signs = { ratio: "×", ms: " ms", s: " s", MB: " MB" } as const;

/** @returns the figure of repeated measurements of a time, in milliseconds. */
export function medianTime(name: string, target: number, all: readonly number[]): Figure {
    const detail = `median of ${all.length}; the slowest took ${Math.max(...all).toFixed(1)} ms`;
    return { name, measured: median(all), unit: "ms", target, detail };
}

/** Whether a figure misses its target. A figure that was not measured (NaN) also does. */
export function isMissed(figure: Figure): boolean {
    return !(figure.measured <= figure.target);
}

/** Returns the figures as a table: name, measured value, target, verdict, detail. */
export function figureTable(figures: readonly Figure[]): string {
    const rows = [
        ["FIGURE", "MEASURED", "TARGET", "", "DETAIL"],
        ...figures.map((figure) => [
            figure.name,
            shownValue(figure.measured, figure.unit),
            `≤ ${shownValue(figure.target, figure.unit)}`,
            isMissed(figure) ? "MISSED" : "met",
            figure.detail,
        ]),
    ];
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at])).join("  ");
    return rows.map((row) => line(row).trimEnd()).join("\n");
}

function shownValue(value: number, unit: Figure["unit"]): string {
    return `${value.toFixed(digits[unit])}${signs[unit]}`;
}
