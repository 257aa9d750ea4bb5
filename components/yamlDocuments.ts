import type { Document, DocumentOptions, Node, ParseOptions, SchemaOptions, Tags } from "yaml";
import { ManifestError, type SpecProblem, textError } from "./problem";
import { shown } from "./validation/path";
import { yamlWords } from "./yamlWords";

/** The most errors that are reported for a text: a text that is not YAML at all has an error on every line. */
const maxErrors = 5;

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
    const errors = documents
        .flatMap((document) => [...document.errors.map(yamlError), ...duplicateKeys(document)])
        .slice(0, maxErrors)
        .map((error) => yamlProblem(error, lines.linePos(error.at)));
    if (errors.length > 0) {
        throw new ManifestError(errors, source);
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

/** An error in the YAML, and its offset in the text. */
interface YamlError {
    readonly at: number;
    readonly message: string;
}

function yamlError({ pos, code, message }: { pos: [number, number]; code: string; message: string }): YamlError {
    return { at: pos[0], message: yamlWords(message, code) };
}

function duplicateKeys(document: Document.Parsed): YamlError[] {
    const { isScalar, visit } = yaml();
    const errors: YamlError[] = [];
    visit(document, {
        Map: (_, { items }) => {
            const seen = new Set<unknown>();
            for (const { key } of items) {
                const value = isScalar(key) ? key.value : key;
                if (seen.has(value) && value !== "<<") {
                    const message = `the key ${shown(value)} is a duplicate`;
                    errors.push({ at: (key as Node).range?.[0] ?? 0, message });
                }
                seen.add(value);
            }
        },
    });
    return errors;
}

function plainValue(document: Document.Parsed, source: string): unknown {
    try {
        return document.toJS() as unknown;
    } catch (error) {
        // An unknown alias, or so many of them that a small text expands to a huge manifest.
        throw new ManifestError([textProblem(`invalid YAML: ${yamlWords((error as Error).message)}`)], source);
    }
}

function yamlProblem({ message }: YamlError, { line, col }: { line: number; col: number }): SpecProblem {
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
