/** One line of the report. */
export interface Figure {
    /** What was measured. */
    name: string;
    measured: number;
    /** `ratio`: so many times the other side; `ms`, `s`: a time. */
    unit: "ratio" | "ms" | "s";
    /** What must not be exceeded, in the same unit. Without it, the figure is for information. */
    target?: number;
    /** What it was made from: the times of both sides, the number of repetitions. */
    detail: string;
}

const digits = { ratio: 2, ms: 2, s: 1 } as const;
const signs = { ratio: "×", ms: " ms", s: " s" } as const;

/** Whether a figure misses its target. What was not measured (NaN) does too. */
export function isMissed(figure: Figure): boolean {
    return figure.target !== undefined && !(figure.measured <= figure.target);
}

/** The figures as a table: name, measured, target, verdict, what it was made from. */
export function figureTable(figures: readonly Figure[]): string {
    const rows = [
        ["FIGURE", "MEASURED", "TARGET", "", "FROM"],
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
