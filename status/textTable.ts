/** Returns lines in which the cells of each column begin at the same place. Empty columns are left out; without rows there is no line. */
export function textTable(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
    if (rows.length === 0) {
        return [];
    }
    const shown = heading.map((_, column) => rows.some((row) => row[column] !== ""));
    const cells = [heading, ...rows].map((row) => row.filter((_, column) => shown[column]));
    const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => [...row[column]].length)));
    return cells.map((row) =>
        row
            .map((cell, column) => cell + " ".repeat(widths[column] - [...cell].length))
            .join("  ")
            .trimEnd(),
    );
}
