/** One thing that is wrong, or doubtful, in a manifest. */
export interface SpecProblem {
    /** Path of the field: `spec.tikv.requests.storage`, `spec.pd.env[0].name`. Empty for the text as a whole. */
    field: string;
    /** What was found there. */
    found: string;
    /** What was expected. */
    expected: string;
    /** The whole sentence, as it is shown. */
    message: string;
    /** An error stops everything; a warning is shown. */
    severity: "error" | "warning";
}

/** A manifest that cannot be used. Its message lists every error, one on a line. */
export class ManifestError extends Error {
    override readonly name = "ManifestError";

    constructor(
        /** Everything that was found, warnings too. */
        readonly problems: SpecProblem[],
        /** Where the manifest came from: a file's name, `<standard input>`, or the cluster's name. */
        readonly source: string,
    ) {
        const errors = problems.filter((problem) => problem.severity === "error");
        const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
        super(`${visible(source)}: ${count}\n${errors.map((problem) => `  - ${problem.message}`).join("\n")}`);
    }
}

/**
 * States an error of a field in one sentence.
 *
 * @param next What follows from it, or what to do.
 * @param operatorField The path by which tidb-operator reports it, where that is another one.
 */
export function specError(
    field: string,
    found: string,
    expected: string,
    next?: string,
    operatorField?: string,
): SpecProblem {
    const where = field === "" ? "" : `${field}: `;
    const then = next === undefined ? "" : `; ${next}`;
    const other = operatorField === undefined ? "" : ` (tidb-operator: ${operatorField})`;
    return {
        field,
        found,
        expected,
        message: visible(`${where}found ${found}, expected ${expected}${then}${other}`),
        severity: "error",
    };
}

/** States a warning about a field in one sentence. */
export function specWarning(field: string, found: string, expected: string, next?: string): SpecProblem {
    return { ...specError(field, found, expected, next), severity: "warning" };
}

/** Text of one line that says what it says: line breaks, and what nobody could see or what turns a line around, as escapes. */
export function visible(text: string): string {
    return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
        character === "\u200d" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
