import * as ts from "typescript";
import { options, path, root } from "./typeErrors";

/**
 * Asks TypeScript's language service for what an editor shows when the mouse rests on a word.
 *
 * @param text a program that users write; the word is the one after the mark `/*?*\/`
 * @returns the documentation of the word; empty if there is none
 */
export function documentationIn(text: string): string {
    const file = path("hover.ts");
    const host: ts.LanguageServiceHost = {
        getCompilationSettings: () => options,
        getScriptFileNames: () => [file],
        getScriptVersion: () => "1",
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
    const mark = "/*?*/";
    const at = text.indexOf(mark) + mark.length;
    const found = ts.createLanguageService(host).getQuickInfoAtPosition(file, at);
    return ts.displayPartsToString(found?.documentation);
}
