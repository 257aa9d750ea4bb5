import { stringify } from "yaml";
import { components, topology } from "../../topology/members";
import { exampleOf } from "./examples";
import { type Definitions, hasFields, referredName, referredNames, type Schema } from "./schema";

const clusterTypes = ["TidbClusterManifest", "ManifestMetadata", "TidbClusterSpec"];

const generated = "<!-- Made by `npm run docs` from the comments in the sources. Change those. -->";

/** One field of a type, in words. */
export interface FieldWords {
    readonly type: string;
    readonly field: string;
    readonly meaning: string;
    /** `required`, or what holds where the field is left out; empty where the comment does not say. */
    readonly fallback: string;
    readonly example: unknown;
}

/** Every field of every type, in words. */
export function fieldsOf(definitions: Definitions): FieldWords[] {
    return Object.entries(definitions).flatMap(([type, { properties = {}, required = [] }]) =>
        Object.entries(properties).map(([field, schema]) => {
            const { meaning, fallback } = splitDefault(schema.description ?? "");
            const isRequired = required.includes(field) || /\brequired\b/i.test(meaning);
            const example = exampleOf(type, field, schema, definitions);
            return { type, field, meaning, fallback: isRequired ? "required" : fallback, example };
        }),
    );
}

/** What has a page of its own, by its field of `spec`: the type of what is said about it. */
type MemberTypes = Readonly<Record<string, string>>;

function membersIn(definitions: Definitions): MemberTypes {
    const { properties = {} } = definitions.TidbClusterSpec;
    const withField = components.filter((component) => topology[component].partOf === undefined);
    const fields = [...withField.flatMap((field) => (field === "pd" ? [field, "pdms"] : [field])), "discovery"];
    return Object.fromEntries(fields.map((field) => [field, referredNames(properties[field])[0]]));
}

/** The reference of a manifest: file name to Markdown. */
export function referencePages(definitions: Definitions): Record<string, string> {
    const members = membersIn(definitions);
    const pageOf = placesOf(members, definitions);
    const common = commonFields(members, definitions);
    const context = { definitions, pageOf, words: fieldsOf(definitions) };
    const typesOn = (page: string) =>
        Object.keys(definitions).filter((name) => pageOf[name] === page && hasFields(definitions[name]));
    const memberPages = Object.entries(members).map(([field, type]) => {
        const own = Object.keys(definitions[type].properties ?? {}).filter((name) => !common.includes(name));
        const others = typesOn(`${field}.md`).filter((name) => name !== type);
        const list = field === "pdms" ? "Each item of the list `spec.pdms`" : `The fields of \`spec.${field}\``;
        const rest = `${list}. Those that every member has are on [a page of their own](common.md).`;
        return [
            `${field}.md`,
            [
                `# spec.${field}`,
                rest,
                section(type, own, context),
                ...others.map((name) => section(name, all, context)),
            ],
        ] as const;
    });
    const pages: (readonly [string, readonly string[]])[] = [
        ["README.md", index(Object.keys(members))],
        ["cluster.md", ["# The cluster", ...typesOn("cluster.md").map((name) => section(name, all, context))]],
        [
            "common.md",
            [
                "# Fields of every member",
                "Each member's spec has these, beside those on its own page. Where a member says nothing, the cluster's setting holds.",
                section(members.tikv, common, context, "Every member"),
            ],
        ],
        ...memberPages,
        [
            "types.md",
            ["# Types that several fields have", ...typesOn("types.md").map((name) => section(name, all, context))],
        ],
    ];
    return Object.fromEntries(pages.map(([file, parts]) => [file, `${[generated, ...parts].join("\n\n")}\n`]));
}

const all = undefined;

interface Context {
    readonly definitions: Definitions;
    readonly pageOf: Readonly<Record<string, string>>;
    readonly words: readonly FieldWords[];
}

function index(names: readonly string[]): string[] {
    return [
        "# Reference",
        "Every field of a `TidbCluster` manifest, and of `spec` in a program. The names are those of tidb-operator's `v1alpha1`.",
        [
            "- [program.md](program.md): what a program gives to `TidbCluster` beside the spec, and what it gets",
            "- [cluster.md](cluster.md): metadata, and `spec` itself",
            "- [common.md](common.md): what every member has",
            ...names.map((name) => `- [${name}.md](${name}.md): \`spec.${name}\``),
            "- [types.md](types.md): types that several fields have",
        ].join("\n"),
    ];
}

function section(type: string, fields: readonly string[] | undefined, context: Context, title = type): string {
    const { description = "", properties = {} } = context.definitions[type];
    const rows = context.words
        .filter((words) => words.type === type && (fields === undefined || fields.includes(words.field)))
        .map(({ field, meaning, fallback, example }) =>
            row([
                `\`${field}\``,
                typeWords(properties[field], context),
                fallback,
                meaning,
                `\`${flowYaml({ [field]: example })}\``,
            ]),
        );
    const head = [row(["field", "type", "default", "what it is", "example"]), "| --- | --- | --- | --- | --- |"];
    const text = title === type ? description : "";
    return [`## ${title}`, ...(text === "" ? [] : [text]), [...head, ...rows].join("\n")].join("\n\n");
}

function row(cells: readonly string[]): string {
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

function flowYaml(value: unknown): string {
    const text = stringify(value, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: true }).trim();
    return text.slice(1, -1).trim();
}

/** The comment's last sentence says the default. */
function splitDefault(description: string): { meaning: string; fallback: string } {
    const found = /\s*\bDefault: (.+?)(?:\.(?=\s|$)|$)/s.exec(description);
    return found === null
        ? { meaning: description, fallback: "" }
        : { meaning: description.replace(found[0], ""), fallback: found[1] };
}

function typeWords(schema: Schema, context: Context): string {
    const name = referredName(schema);
    if (name !== undefined) {
        return referenceWords(name, context);
    }
    const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (choices !== undefined) {
        return choices
            .filter((choice) => choice !== "")
            .map((choice) => `\`${String(choice)}\``)
            .join(", ");
    }
    if (schema.anyOf !== undefined) {
        return [...new Set(schema.anyOf.map((choice) => typeWords(choice, context)))].join(" or ");
    }
    if (schema.type === "array") {
        return `list of ${schema.items === undefined ? "values" : typeWords(schema.items, context)}`;
    }
    const range = schema.minimum === undefined ? "" : ` from ${schema.minimum} to ${schema.maximum ?? "any"}`;
    const types = [schema.type ?? "object"].flat().map((type) => kinds[type] ?? type);
    return `${types.join(" or ")}${range}`;
}

const kinds: Readonly<Record<string, string>> = {
    string: "text",
    boolean: "true or false",
    integer: "whole number",
    object: "map",
};

function referenceWords(name: string, context: Context): string {
    const definition = context.definitions[name];
    if (hasFields(definition)) {
        return `[${name}](${context.pageOf[name]}#${name.toLowerCase()})`;
    }
    if (name === "KubernetesFields") {
        return "map, of the Kubernetes type";
    }
    return name.startsWith("Record<") ? "map of text" : typeWords(definition, context);
}

/** Fields that all members have, with the same words. */
function commonFields(members: MemberTypes, definitions: Definitions): string[] {
    const specs = Object.values(members)
        .filter((type) => type !== "DiscoverySpec")
        .map((type) => definitions[type].properties ?? {});
    return Object.keys(specs[0]).filter((field) =>
        specs.every((spec) => JSON.stringify(spec[field]) === JSON.stringify(specs[0][field])),
    );
}

/** The page of each type: that of the one member that has it, else the page of types. */
function placesOf(members: MemberTypes, definitions: Definitions): Record<string, string> {
    const roots = Object.entries(members);
    const reached = roots.map(([field, type]) => [`${field}.md`, reachable(type, definitions)] as const);
    const memberTypes = Object.values(members);
    return Object.fromEntries(
        Object.keys(definitions).map((name) => {
            const pages = reached.filter(([, names]) => names.has(name)).map(([page]) => page);
            const own = memberTypes.indexOf(name);
            const page = own >= 0 ? reached[own][0] : pages.length === 1 ? pages[0] : "types.md";
            return [name, clusterTypes.includes(name) ? "cluster.md" : page];
        }),
    );
}

function reachable(type: string, definitions: Definitions, found = new Set<string>()): Set<string> {
    if (!found.has(type) && definitions[type] !== undefined) {
        found.add(type);
        referredNames(definitions[type]).forEach((name) => reachable(name, definitions, found));
    }
    return found;
}
