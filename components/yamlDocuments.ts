import type { Document, DocumentOptions, Node, ParseOptions, SchemaOptions, Tags } from "yaml";
import { ManifestError, type SpecProblem, textError } from "./problem";
import { shown } from "./validation/path";
import { yamlWords } from "./yamlWords";

/** The most duplicate keys that are reported for a text. */
const maxDuplicates = 5;

/**
 * Reads the documents of a YAML or JSON text as kubectl does (YAML 1.1: `0644` is octal, `yes` is true). Empty documents are
 * left out.
 *
 * @param source Source of the text, for messages: the name of a file.
 * @throws ManifestError if the text is not valid YAML (with line and column).
 */
export function yamlDocuments(text: string, source: string): unknown[] {
    const { LineCounter, parseAllDocuments } = yaml();
    const lines = new LineCounter();
    const documents = parseAllDocuments(text, { ...yamlOptions, lineCounter: lines }) as Document.Parsed[];
    const lineOf: LineOf = (offset) => lines.linePos(offset);
    const problems = problemsOf(documents, lineOf);
    if (problems.length > 0) {
        throw new ManifestError(problems, source);
    }
    return documents.map((document) => plainValue(document, source)).filter((value) => value !== null);
}

/** kubectl's YAML has no dates, no binary data and no base-60 numbers. */
const unwanted = /timestamp|binary|omap|pairs|set$/;
const yamlOptions: ParseOptions & DocumentOptions & SchemaOptions & { version: "1.1" } = {
    version: "1.1",
    prettyErrors: false,
    // The library compares every pair of keys of a map, which takes minutes for 100,000 keys. See `duplicateKeys`.
    uniqueKeys: false,
    // Without it, the library prints warnings about keys that are lists.
    logLevel: "error",
    customTags: (tags: Tags): Tags =>
        tags.filter((tag) => typeof tag === "string" || (!unwanted.test(tag.tag) && tag.format !== "TIME")),
};

/** Returns where an offset in the text is. */
type LineOf = (offset: number) => { line: number; col: number };

/** One mistake makes the library report several errors, and makes keys look like duplicates: only the first error is sure. */
function problemsOf(documents: readonly Document.Parsed[], lineOf: LineOf): SpecProblem[] {
    const errors = documents.flatMap((document) => document.errors).sort((one, other) => one.pos[0] - other.pos[0]);
    if (errors.length === 0) {
        return documents.flatMap((document) => duplicateKeys(document, lineOf)).slice(0, maxDuplicates);
    }
    const [{ pos, code, message }, ...others] = errors;
    const words = yamlWords(message, code);
    const count = others.length === 1 ? "1 more error" : `${others.length} more errors`;
    const rest = `${words.endsWith(".") ? "" : "."} Found ${count} after it, which may come from the same mistake`;
    return [yamlProblem(others.length === 0 ? words : `${words}${rest}`, lineOf(pos[0]))];
}

function duplicateKeys(document: Document.Parsed, lineOf: LineOf): SpecProblem[] {
    const { isScalar, visit } = yaml();
    const problems: SpecProblem[] = [];
    visit(document, {
        Map: (_, { items }) => {
            const seen = new Map<unknown, number>();
            for (const { key } of items) {
                const value = isScalar(key) ? key.value : key;
                const at = (key as Node).range?.[0] ?? 0;
                const first = seen.get(value);
                if (first !== undefined && value !== "<<") {
                    const message = `the key ${shown(value)} is in line ${lineOf(first).line} already. Keep one of the two`;
                    problems.push(yamlProblem(message, lineOf(at)));
                }
                seen.set(value, first ?? at);
            }
        },
    });
    return problems;
}

function plainValue(document: Document.Parsed, source: string): unknown {
    try {
        return document.toJS() as unknown;
    } catch (error) {
        // An unknown alias, or so many of them that a small text expands to a huge manifest.
        throw new ManifestError([textProblem(`invalid YAML: ${yamlWords((error as Error).message)}`)], source);
    }
}

function yamlProblem(message: string, { line, col }: ReturnType<LineOf>): SpecProblem {
    return textProblem(`line ${line}, column ${col}: invalid YAML: ${message}`);
}

function textProblem(message: string): SpecProblem {
    return textError("", "invalid YAML", "YAML", message);
}

/** The YAML library, loaded when a manifest is first read. Programs that define the cluster in TypeScript do not need it. */
function yaml(): typeof import("yaml") {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require("yaml") as typeof import("yaml");
}
