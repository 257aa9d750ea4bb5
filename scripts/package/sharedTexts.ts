import * as ts from "typescript";
import type { MappedCode } from "./minify";
import { type Replacement, replaced } from "./replaced";

/** Words of up to three letters that are no names. */
const keywords = new Set(["do", "if", "in", "for", "let", "new", "try", "var"]);

/** What a script begins with. */
export const directive = '"use strict";';

/**
 * Gives each text in quotes that stands often in a script a name, where that takes less room.
 * @param script strict code, whose top level is a scope of its own.
 * @throws if it does not begin with its directive
 */
export function shareTexts(script: MappedCode): MappedCode {
    const { code } = script;
    if (!code.startsWith(directive)) {
        throw new Error(`found a script that begins with ${code.slice(0, directive.length)}, expected ${directive}`);
    }
    const file = ts.createSourceFile("script.js", code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
    const places = new Map<string, number[]>();
    const names = new Set<string>();
    const visit = (node: ts.Node): void => {
        if (ts.isIdentifier(node)) {
            names.add(node.text);
        }
        ts.forEachChild(node, (child) => {
            if (ts.isStringLiteral(child) && isValue(child, node)) {
                const text = child.getText(file);
                places.set(text, [...(places.get(text) ?? []), child.getStart(file)]);
            }
            visit(child);
        });
    };
    visit(file);

    const free = freeNames(names);
    const constants: string[] = [];
    const replacements: Replacement[] = [];
    const byUses = [...places].sort(([one, of], [other, otherOf]) => room(other, otherOf) - room(one, of));
    let name = free.next().value;
    for (const [text, starts] of byUses) {
        const declared = `${name}=${text},`;
        if (room(text, starts) - starts.length * name.length > declared.length) {
            constants.push(declared);
            for (const at of starts) {
                replacements.push({ at, length: text.length, by: spaced(name, code, at, at + text.length) });
            }
            name = free.next().value;
        }
    }
    if (constants.length === 0) {
        return script;
    }
    const declaration = `const ${constants.join("").slice(0, -1)};`;
    return replaced(script, [{ at: directive.length, length: 0, by: declaration }, ...replacements]);
}

/** `case"a"` needs no space, and a name there does. */
export function spaced(name: string, code: string, from: number, until: number): string {
    const isWord = (at: number): boolean => /[\w$]/.test(code.charAt(at));
    return `${isWord(from - 1) ? " " : ""}${name}${isWord(until) ? " " : ""}`;
}

/** Whether a text is a value, and not a key, a directive, or the name of a module, which other bundlers look for. */
export function isValue(text: ts.StringLiteral, parent: ts.Node): boolean {
    if (ts.isCallExpression(parent)) {
        const { expression: called } = parent;
        return !(ts.isIdentifier(called) && called.text === "require") && called.kind !== ts.SyntaxKind.ImportKeyword;
    }
    const isName = "name" in parent && parent.name === text;
    return !isName && !ts.isExpressionStatement(parent);
}

/** The room that a text takes in all its places. */
function room(text: string, { length }: readonly number[]): number {
    return text.length * length;
}

/** Names that nothing has, the shortest first. */
function* freeNames(taken: ReadonlySet<string>): Generator<string, string> {
    const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_"];
    for (let names = letters; ; names = names.flatMap((name) => letters.map((letter) => name + letter))) {
        yield* names.filter((name) => !taken.has(name) && !keywords.has(name));
    }
}
