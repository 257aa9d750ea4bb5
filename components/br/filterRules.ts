import { specError, type SpecProblem } from "../problem";
import { shown } from "../validation/path";

/** @returns an error for each rule in the list at this path that is none, and if they all exclude. */
export function filterProblems(path: string, filters: readonly string[] = []): SpecProblem[] {
    return [
        ...filters.flatMap((filter, index) =>
            isTableFilter(filter)
                ? []
                : [
                      specError(
                          `${path}[${index}]`,
                          shown(filter),
                          "a rule of the form database.table, such as shop.* or !shop.tmp_*",
                      ),
                  ],
        ),
        ...(filters.length > 0 && filters.every((filter) => filter.startsWith("!"))
            ? [specError(path, "only rules that exclude", "a rule before them that includes, such as *.*")]
            : []),
    ];
}

/** Quoted names and regular expressions may have dots too: they are left to the tool. A rule may import a file, which no Job has. */
function isTableFilter(filter: string): boolean {
    const rule = filter.replace(/^!/, "");
    return /^["`/]/.test(rule) || /^[^.\s@]+\..+$/.test(rule);
}
