import * as ts from "typescript";
import { options, path, root } from "./typeErrors";

const file = path("hover.ts");
let text = "";
let version = 0;
const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : "1"),
    getScriptSnapshot: (name) => {
        const content = name === file ? text : ts.sys.readFile(name);
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? text : ts.sys.readFile(name)),
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
    realpath: ts.sys.realpath,
};
/** One for all questions, because Pulumi's types of Kubernetes are large. */
let service: ts.LanguageService | undefined;

/**
 * Asks TypeScript's language service for what an editor shows when the mouse rests on a word.
 *
 * @param program what users write; the word is the one after the mark `/*?*\/`
 * @returns the documentation of the word; empty if there is none
 */
export function documentationIn(program: string): string {
    [text, version] = [program, version + 1];
    service ??= ts.createLanguageService(host);
    const mark = "/*?*/";
    const found = service.getQuickInfoAtPosition(file, text.indexOf(mark) + mark.length);
    return ts.displayPartsToString(found?.documentation);
}
