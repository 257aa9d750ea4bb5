import type { Document, DocumentOptions, ErrorCode, Node, ParseOptions, SchemaOptions, Tags, YAMLError } from "yaml";
import { ManifestError, type SpecProblem, textError } from "./problem";
import { shown } from "./validation/path";
import { yamlWords } from "./yamlWords";

/** The most errors that are reported for a text. */
const maxProblems = 10;

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
    const broken = problemsOf(documents, lineOf);
    const [first] = documents.flatMap(({ errors }) => errors);
    const template =
        first !== undefined
            ? templateProblem(text, lineOf(first.pos[0]).line)
            : documents.some(hasMapAsKey)
              ? templateProblem(text)
              : undefined;
    const problems = template === undefined ? broken : [template];
    if (problems.length > 0) {
        throw new ManifestError(problems, source);
    }
    return documents.map((document) => plainValue(document, source)).filter((value) => value !== null);
}

/** Where a template's action begins, as Go and Jinja write it. */
const quoted = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const action = /\{\{-?\s*["$.(/\w]|\{%/;

/**
 * @param broken the line where the text is no YAML, or the one after. Default: it is YAML.
 * @returns the error about a template, which is not YAML before it is rendered; undefined if the text is none. Annotations may have
 * templates of others in quotes.
 */
function templateProblem(text: string, broken?: number): SpecProblem | undefined {
    const isNear = (at: number) => broken === undefined || at === broken - 1 || at === broken - 2;
    const line = text.split("\n").findIndex((one, at) => isNear(at) && action.test(one.replace(quoted, ""))) + 1;
    return line === 0
        ? undefined
        : textError(
              "",
              "a template",
              "YAML",
              `line ${line}: this is a template, which is not YAML yet; render it first: helm template . | pulumi-tidb render -`,
          );
}

/** Without quotes, `{{ name }}` is a map whose key is a map. */
function hasMapAsKey(document: Document.Parsed): boolean {
    const { isMap, visit } = yaml();
    let has = false;
    visit(document, {
        Pair: (_, { key }) => {
            has ||= isMap(key);
        },
    });
    return has;
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

/**
 * One mistake makes the library report several errors: those after it in the same line are left out, and those in later lines
 * say so. Such a document may seem to have duplicate keys and unknown aliases: they are not looked for.
 */
function problemsOf(documents: readonly Document.Parsed[], lineOf: LineOf): SpecProblem[] {
    const broken = documents.filter(({ errors }) => errors.length > 0);
    const problems =
        broken.length > 0
            ? broken.flatMap(({ errors }) => errorsByLine(errors, lineOf))
            : documents.flatMap((document) => [
                  ...duplicateKeys(document, lineOf),
                  ...unknownAliases(document, lineOf),
              ]);
    const more = problems.length - maxProblems;
    const rest = `${more} more ${more === 1 ? "error follows" : "errors follow"}`;
    return problems
        .slice(0, maxProblems)
        .map((problem, index) =>
            more > 0 && index === maxProblems - 1 ? { ...problem, message: `${problem.message} (${rest})` } : problem,
        );
}

/** Errors that no other error causes, and that cause no other. */
const lonely: readonly ErrorCode[] = ["BAD_SCALAR_START", "TAB_AS_INDENT"];

function errorsByLine(errors: readonly YAMLError[], lineOf: LineOf): SpecProblem[] {
    const lines = new Map<number, YAMLError>();
    for (const error of [...errors].sort((one, other) => one.pos[0] - other.pos[0])) {
        const { line } = lineOf(error.pos[0]);
        lines.set(line, lines.get(line) ?? error);
    }
    const mayCause = [...lines].find(([, { code }]) => !lonely.includes(code))?.[0];
    return [...lines].map(([line, { message, code, pos }]) => {
        const words = yamlWords(message, code);
        const end = words.endsWith(".") ? "" : ".";
        const follows = mayCause !== undefined && line > mayCause && !lonely.includes(code);
        return yamlProblem(
            `${words}${follows ? `${end} It may come from the mistake in line ${mayCause}` : ""}`,
            lineOf(pos[0]),
        );
    });
}

/** Aliases (`*name`) without an anchor (`&name`) before them. The library finds them too, but does not say where. */
function unknownAliases(document: Document.Parsed, lineOf: LineOf): SpecProblem[] {
    const { visit } = yaml();
    const anchors = new Set<string>();
    const problems: SpecProblem[] = [];
    visit(document, {
        Alias: (_, { source, range }) => {
            if (!anchors.has(source)) {
                const message = `the alias *${source} has no anchor &${source} before it`;
                problems.push(yamlProblem(message, lineOf(range?.[0] ?? 0)));
            }
        },
        Value: (_, { anchor }) => void (anchor !== undefined && anchors.add(anchor)),
    });
    return problems;
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
