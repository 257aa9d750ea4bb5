import type { Document, ParseOptions, SchemaOptions, Tags, YAMLParseError } from "yaml";
import { kindProblems } from "./checkManifest";
import { ManifestError, specError, type SpecProblem } from "./problem";
import type { TidbClusterManifest } from "./spec";
import { isMap } from "./validation/path";

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
        .flatMap(({ errors }) => errors)
        .slice(0, mostProblems)
        .map((error) => yamlProblem(error, lines.linePos(error.pos[0])));
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
const yamlOptions: ParseOptions & SchemaOptions & { version: "1.1" } = {
    version: "1.1",
    prettyErrors: false,
    customTags: (tags: Tags): Tags =>
        tags.filter((tag) => typeof tag === "string" || (!unwanted.test(tag.tag) && tag.format !== "TIME")),
};

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

function yamlProblem(error: YAMLParseError, at: { line: number; col: number }): SpecProblem {
    return specError("", `text that is no YAML at line ${at.line}, column ${at.col} (${error.message})`, "YAML");
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
