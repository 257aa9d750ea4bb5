import * as ts from "typescript";
import { brotliCompressSync } from "node:zlib";
import type { MappedCode } from "./minify";
import { type Replacement, replaced } from "./replaced";
import { directive, isValue, spaced } from "./sharedTexts";

/** Texts of that length or more go: scripts, schemas, and messages. The sources have them all in plain text. */
const long = 28;

/** The function of the package that returns a long text. Nothing else may have its name. */
const reader = "$text";

/** The file, beside the package's JavaScript, with its long texts: a list, compressed. */
export const longTextsFile = "texts.json.br";

/**
 * Takes long texts out of a script, into a file that is read when the first of them is needed. Compressed, they take a third of the
 * room.
 * @param script strict code, whose top level is a scope of its own.
 * @returns the script with its map, and the content of the file; undefined if no text is long.
 * @throws if something in the script has the name of the function that reads them
 */
export function withoutLongTexts(script: MappedCode): MappedCode & { readonly texts?: Buffer } {
    const { code } = script;
    const file = ts.createSourceFile("script.js", code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
    const texts: string[] = [];
    const replacements: Replacement[] = [];
    const ofFunctions = new Set<ts.Node>();
    const visit = (node: ts.Node): void => {
        if (ts.isTaggedTemplateExpression(node)) {
            partsOf(node).forEach((part) => ofFunctions.add(part));
        }
        if (ts.isIdentifier(node) && node.text === reader) {
            throw new Error(`found the name ${reader} in the script, expected nothing of that name`);
        }
        ts.forEachChild(node, (child) => {
            if (isText(child) && child.text.length >= long && !ofFunctions.has(child) && isReplaceable(child, node)) {
                replacements.push(...inPlaceOf(child, code, file, texts.push(child.text) - 1));
            }
            visit(child);
        });
    };
    visit(file);
    if (texts.length === 0) {
        return script;
    }
    const read = `JSON.parse(require("node:zlib").brotliDecompressSync(require("node:fs").readFileSync(__dirname+"/${longTextsFile}")))`;
    const declaration = `const ${reader}=(t=>i=>(t??=${read})[i])();`;
    return {
        ...replaced(script, [{ at: directive.length, length: 0, by: declaration }, ...replacements]),
        texts: brotliCompressSync(JSON.stringify(texts)),
    };
}

type Text = ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail;

function isText(node: ts.Node): node is Text {
    return (
        ts.isStringLiteral(node) ||
        ts.isNoSubstitutionTemplateLiteral(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddle(node) ||
        ts.isTemplateTail(node)
    );
}

function isReplaceable(text: Text, parent: ts.Node): boolean {
    return !ts.isStringLiteral(text) || isValue(text, parent);
}

/** The texts of a template that a function takes: it treats them in another way than the values between them, such as `html`. */
function partsOf({ template }: ts.TaggedTemplateExpression): ts.Node[] {
    return ts.isTemplateExpression(template)
        ? [template.head, ...template.templateSpans.map(({ literal }) => literal)]
        : [template];
}

/** @returns what puts a call in the place of a text. Its line breaks stay, because the source map counts lines. */
function inPlaceOf(text: Text, code: string, file: ts.SourceFile, index: number): Replacement[] {
    const [from, until] = [text.getStart(file), text.getEnd()];
    const call = `${reader}(${index})`;
    const [first, ...others] = linesOf(code, from, until);
    const [begins, ends] = [code[from] === "}", code.endsWith("${", until)];
    if (!begins && !ends) {
        const all = { ...first, by: spaced(call, code, from, until) };
        return [all, ...others.map((line) => ({ ...line, by: "" }))];
    }
    // Of a template only the text between its expressions goes.
    const opening = `${begins ? "}" : "`"}\${${call}`;
    const closing = `}${ends ? "${" : "`"}`;
    const last = others.length - 1;
    return [
        { ...first, by: last < 0 ? opening + closing : opening },
        ...others.map((line, at) => ({ ...line, by: at === last ? closing : "" })),
    ];
}

/** The lines of a part of the code, without their breaks. */
function linesOf(code: string, from: number, until: number): { at: number; length: number }[] {
    let at = from;
    return code
        .slice(from, until)
        .split("\n")
        .map(({ length }) => {
            const line = { at, length };
            at += length + 1;
            return line;
        });
}
