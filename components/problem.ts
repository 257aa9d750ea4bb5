/** An error or a warning about a manifest. */
export interface SpecProblem {
    /** Path of the field: `spec.tikv.requests.storage`, `spec.pd.env[0].name`. Empty for the text as a whole. */
    field: string;
    /** What was found in the field. */
    found: string;
    /** What was expected. */
    expected: string;
    /** The whole message, as it is shown. */
    message: string;
    /** A manifest with an error is refused. A warning is only shown. */
    severity: "error" | "warning";
    /** What a plan is told that the warning puts at risk, in short. Default: nothing. */
    risk?: string;
    /** Of an unknown field: path of the known one that it most likely stands for. Default: none. */
    meant?: string;
}

/**
 * A manifest with errors. The message lists every error, one per line. In a Pulumi program this is a `pulumi.RunError`
 * (`pulumi.RunError.isInstance` is true): Pulumi prints the message without a stack trace.
 */
export class ManifestError extends Error {
    override readonly name = "ManifestError";
    /**
     * Marks a `pulumi.RunError`, also for another copy of Pulumi's SDK. The class itself would load the SDK with gRPC, which
     * `pulumi-tidb render` does not need.
     */
    readonly __pulumiRunError = true;

    /** All errors and warnings. */
    readonly problems: readonly SpecProblem[];

    constructor(
        problems: readonly SpecProblem[],
        /** Where the manifest came from: a file's name, `<standard input>`, or the cluster's name. */
        readonly source: string,
    ) {
        const all = withMisspelt(problems);
        const errors = all.filter((problem) => problem.severity === "error");
        const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
        const message = `${visible(source)}: ${count}\n${errors.map((problem) => `  - ${problem.message}`).join("\n")}`;
        super(message);
        // Pulumi's SDK writes `error serializing property …` before it, for each input of its own that depends on the manifest.
        Object.defineProperty(this, "message", { get: () => message, set: () => undefined });
        this.problems = all;
    }
}

/** @returns one error for a required field under another name, in place of one for either. */
function withMisspelt(problems: readonly SpecProblem[]): SpecProblem[] {
    const isMissing = ({ field, found, severity }: SpecProblem, meant: string) =>
        severity === "error" &&
        found === "nothing" &&
        /^[.[]|^$/.test(field.slice(meant.length)) &&
        field.startsWith(meant);
    const meants = problems
        .flatMap(({ meant = [] }) => meant)
        .filter((meant) => problems.some((one) => isMissing(one, meant)));
    return problems
        .filter((one) => !meants.some((meant) => isMissing(one, meant)))
        .map((one) => {
            if (one.meant === undefined || !meants.includes(one.meant)) {
                return one;
            }
            const words = `${one.field} is not a known field, and ${one.expected} is missing; did you mean ${one.expected}?`;
            return { ...one, severity: "error", message: visible(words) };
        });
}

/**
 * Creates an error about a field.
 *
 * @param next The consequence, or what to do next.
 * @param operatorField The path that tidb-operator reports, if it differs.
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

/** Creates an error about a text that cannot be parsed, with its whole message. An empty `field` means the whole manifest. */
export function textError(field: string, found: string, expected: string, message: string): SpecProblem {
    const where = field === "" ? "" : `${field}: `;
    return { field, found, expected, message: visible(`${where}${message}`), severity: "error" };
}

/**
 * Creates a warning about a field.
 *
 * @param risk What a plan counts as a risk. A warning after which pods do not start, the update fails, or data or checks are missing
 * has one: otherwise the plan would say "no risk found" next to it. Default: none.
 */
export function specWarning(field: string, found: string, expected: string, next?: string, risk?: string): SpecProblem {
    return { ...specError(field, found, expected, next), severity: "warning", ...(risk ? { risk } : {}) };
}

/** Creates a warning about a value that the user most likely means. @param does What it does. */
export function specNotice(field: string, value: string, does: string): SpecProblem {
    return { ...specWarning(field, value, value), message: visible(`${field} is ${value}: ${does}`) };
}

/** @returns text on one line, with line breaks, invisible characters and bidirectional controls as escapes. */
export function visible(text: string): string {
    return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
        character === "\u200d" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
