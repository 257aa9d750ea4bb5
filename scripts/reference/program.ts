import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";

const root = join(__dirname, "..", "..");

/** What a program names: file, type, and what is said before its fields. */
const types: readonly (readonly [string, string, string])[] = [
    ["tidbCluster.ts", "TidbClusterArgs", "What `new TidbCluster(name, args, opts)` is given, with the `AccessArgs`."],
    ["access.ts", "AccessArgs", "How the gates reach the Kubernetes cluster."],
    ["operations.ts", "OperationsArgs", "`operations`: how the cluster is operated."],
    ["operations.ts", "TimeoutsArgs", "`operations.timeouts`: how long the gates wait before they fail."],
    ["tidbCluster.ts", "TidbCluster", "What a program gets."],
    ["memberResource.ts", "MemberResource", "What is in `members`."],
];

type Field = ts.PropertySignature | ts.PropertyDeclaration;

/** The page of what a program gives to `TidbCluster` beside the spec, and what it gets, from the comments in the sources. */
export function programPage(): string {
    return [
        "<!-- Made by `npm run docs` from the comments in the sources. Change those. -->",
        "# In a program",
        "The fields of `spec` are on [the other pages](README.md). `Input<T>` is a value or an Output of another resource.",
        ...types.map(([file, name, intro]) => section(join(root, "components", file), name, intro)),
        "",
    ].join("\n\n");
}

function section(file: string, name: string, intro: string): string {
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022, true);
    const declared = source.statements.find(
        (one): one is ts.InterfaceDeclaration | ts.ClassDeclaration =>
            (ts.isInterfaceDeclaration(one) || ts.isClassDeclaration(one)) && one.name?.text === name,
    );
    if (declared === undefined) {
        throw new Error(`${file}: found no ${name}: the reference names it`);
    }
    const rows = [...declared.members].filter(isField).map(fieldRow);
    return [`## ${name}`, intro, ["| field | type | what it is |", "| --- | --- | --- |", ...rows].join("\n")].join(
        "\n\n",
    );
}

function isField(node: ts.Node): node is Field {
    const isPrivate =
        ts.canHaveModifiers(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
    return (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) && isPrivate !== true;
}

function fieldRow(field: Field): string {
    const name = field.name.getText();
    const comments = ts.getJSDocCommentsAndTags(field).map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "");
    const words = comments.join(" ").replace(/\s+/g, " ");
    if (words === "") {
        throw new Error(`${field.getSourceFile().fileName}: ${name} has no comment: the reference is made of them`);
    }
    const type = field.type?.getText().replace(/\s+/g, " ").replaceAll("pulumi.", "") ?? "";
    return `| \`${name}\` | \`${shortened(type).replaceAll("|", "\\|")}\` | ${words.replaceAll("|", "\\|")} |`;
}

/** The type of an object that is written out where it is used is as long as its fields. */
function shortened(type: string): string {
    return type.startsWith("{") ? "{ … }" : type;
}
