import { specError, type SpecProblem } from "../problem";
import { shown } from "../validation/path";

/** Which further arguments of a tool are refused, and what is expected instead. */
export type RefusedOption = readonly [RegExp, string];

/** @returns an error for each argument in the options at this path that is refused. */
export function optionProblems(
    path: string,
    options: readonly string[],
    refused: readonly RefusedOption[],
): SpecProblem[] {
    return options.flatMap((option, index) =>
        refused
            .filter(([pattern]) => pattern.test(option))
            .map(([, expected]) => specError(`${path}[${index}]`, shown(option), expected)),
    );
}
