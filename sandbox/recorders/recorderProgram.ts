import * as fs from "node:fs";
import * as path from "node:path";
import { makeFolder } from "../controlPlane/makeFolder";
import { recorderVariable } from "./recorderFolder";

/** Writes the executable of a recorder into a folder of its own. @param name of the command and of its file in this folder. */
export function writeProgram(folder: string, name: string): string {
    makeFolder(folder);
    const fromSources = __filename.endsWith(".ts");
    const loader = fromSources ? ["--require", require.resolve("tsx/cjs")] : [];
    const program = path.join(__dirname, `${name}.${fromSources ? "ts" : "js"}`);
    const words = [process.execPath, ...loader, program].map(quoted).join(" ");
    const file = path.join(folder, name);
    fs.writeFileSync(file, `#!/bin/sh\n${recorderVariable}=${quoted(folder)} exec ${words} "$@"\n`, { mode: 0o755 });
    return file;
}

function quoted(word: string): string {
    return `'${word.replaceAll("'", `'\\''`)}'`;
}
