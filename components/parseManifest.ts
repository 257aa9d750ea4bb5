import type { Document, DocumentOptions, Node, ParseOptions, SchemaOptions, Tags } from "yaml";
import { kindProblems } from "./checkManifest";
import { isMap } from "./plainMap";
import { ManifestError, specError, type SpecProblem } from "./problem";
import type { TidbClusterManifest } from "./spec";

/** Most problems of a text that are told: one that is no YAML at all has one on every line. */
const mostProblems = 5;

/**
 * Reads a manifest from YAML or JSON, as kubectl reads it (YAML 1.1: `0644` is octal, `yes` is true).
 *
 * @param source Where the text came from, for messages: a file's name.
 * @throws ManifestError where it is no YAML (with line and column), or not exactly one TidbCluster.
 */
export function parseManifest(text: string, source: string): TidbClusterManifest {
    const { LineCounter, parseAllDocuments } = yaml();
    const lines = new LineCounter();
    const documents = parseAllDocuments(text, { ...yamlOptions, lineCounter: lines }) as Document.Parsed[];
    const broken = documents
        .flatMap((document) => [...document.errors.map(asBroken), ...repeatedKeys(document)])
        .slice(0, mostProblems)
        .map(({ at, why }) => yamlProblem(why, lines.linePos(at)));
    if (broken.length > 0) {
        throw new ManifestError(broken, source);
    }
    const values = documents.map((document) => plainValue(document, source)).filter((value) => value !== null);
    if (values.length !== 1) {
        throw new ManifestError([countProblem(values)], source);
    }
    const problems = kindProblems(values[0]);
    if (problems.length > 0) {
        throw new ManifestError(problems, source);
    }
    return values[0] as TidbClusterManifest;
}

/** kubectl's YAML has no dates, no binary data and no numbers to the base of 60. */
const unwanted = /timestamp|binary|omap|pairs|set$/;
const yamlOptions: ParseOptions & DocumentOptions & SchemaOptions & { version: "1.1" } = {
    version: "1.1",
    prettyErrors: false,
    // The library compares each key of a map with each other one, which takes minutes for a map of 100,000.
    uniqueKeys: false,
    // What it would print of keys that are lists.
    logLevel: "error",
    customTags: (tags: Tags): Tags =>
        tags.filter((tag) => typeof tag === "string" || (!unwanted.test(tag.tag) && tag.format !== "TIME")),
};

/** Where a text is no YAML, and why. */
interface Broken {
    readonly at: number;
    readonly why: string;
}

function asBroken({ pos, message }: { pos: [number, number]; message: string }): Broken {
    return { at: pos[0], why: message };
}

function repeatedKeys(document: Document.Parsed): Broken[] {
    const { isScalar, visit } = yaml();
    const broken: Broken[] = [];
    visit(document, {
        Map: (_, { items }) => {
            const seen = new Set<unknown>();
            for (const { key } of items) {
                const value = isScalar(key) ? key.value : key;
                if (seen.has(value) && value !== "<<") {
                    broken.push({ at: (key as Node).range?.[0] ?? 0, why: "Map keys must be unique" });
                }
                seen.add(value);
            }
        },
    });
    return broken;
}

function plainValue(document: Document.Parsed, source: string): unknown {
    try {
        return document.toJS() as unknown;
    } catch (error) {
        // More aliases than the library follows: a text that is small and means something huge.
        throw new ManifestError(
            [specError("", (error as Error).message, "a manifest without so many aliases")],
            source,
        );
    }
}

function yamlProblem(why: string, { line, col }: { line: number; col: number }): SpecProblem {
    // The library reads maps and lists in one another by calls in one another.
    const isDeep = why.startsWith("Maximum call stack");
    return isDeep
        ? specError("", `hundreds of maps or lists in one another at line ${line}, column ${col}`, "a manifest")
        : specError("", `text that is no YAML at line ${line}, column ${col} (${why})`, "YAML");
}

function countProblem(values: readonly unknown[]): SpecProblem {
    const kinds = values.map((value) => (isMap(value) ? String(value.kind ?? "an object without kind") : "a value"));
    return values.length === 0
        ? specError("", "no document", "one TidbCluster")
        : specError(
              "",
              `${values.length} documents (${kinds.join(", ")})`,
              "one TidbCluster",
              "give each its own file",
          );
}

/** The YAML library, loaded when a manifest is first read: programs that state the cluster in TypeScript need none. */
function yaml(): typeof import("yaml") {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require("yaml") as typeof import("yaml");
}
