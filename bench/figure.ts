/** One line of the report. */
export interface Figure {
    /** What was measured. */
    name: string;
    measured: number;
    /** `ratio`: a multiple of the time of the other side; `ms`, `s`: a time; `MB`: 1,000,000 bytes; `/min`: a rate; `cores`: CPU time in each second. */
    unit: "ratio" | "ms" | "s" | "MB" | "/min" | "cores";
    /** The maximum, in the same unit. A figure without a target is for information. */
    target?: number;
    /** The measurements behind the figure: the times of both sides, the number of repetitions. */
    detail: string;
}

const digits = { ratio: 2, ms: 2, s: 1, MB: 2, "/min": 0, cores: 2 } as const;
const signs = { ratio: "×", ms: " ms", s: " s", MB: " MB", "/min": " /min", cores: " cores" } as const;

/** Whether a figure misses its target. A figure that was not measured (NaN) also does. */
export function isMissed(figure: Figure): boolean {
    return figure.target !== undefined && !(figure.measured <= figure.target);
}

/** Returns the figures as a table: name, measured value, target, verdict, detail. */
export function figureTable(figures: readonly Figure[]): string {
    const rows = [
        ["FIGURE", "MEASURED", "TARGET", "", "DETAIL"],
        ...figures.map((figure) => [
            figure.name,
            shownValue(figure.measured, figure.unit),
            figure.target === undefined ? "-" : `≤ ${shownValue(figure.target, figure.unit)}`,
            figure.target === undefined ? "" : isMissed(figure) ? "MISSED" : "met",
            figure.detail,
        ]),
    ];
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    return rows
        .map((row) =>
            row
                .map((cell, column) => cell.padEnd(widths[column]))
                .join("  ")
                .trimEnd(),
        )
        .join("\n");
}

function shownValue(value: number, unit: Figure["unit"]): string {
    return `${value.toFixed(digits[unit])}${signs[unit]}`;
}
