import * as fs from "node:fs";
import * as path from "node:path";
import { makeFolder } from "../controlPlane/makeFolder";
import { type RecorderFault, type RecordedCall, readCalls, recorderVariable, writeFault } from "./recorderFolder";

/** An executable in the place of `rclone`, for Jobs of the sandbox, and its calls. */
export interface RcloneRecorder {
    /** The path of the executable. */
    readonly file: string;
    /** All calls, in the order in which they began. */
    calls(): RecordedCall[];
}

/** An executable in the place of `br`, for Jobs of the sandbox, and its calls. */
export interface BrRecorder extends RcloneRecorder {
    /** The path of an executable in the place of `tikv-ctl`, for compactions of log backups. It shares the calls and faults of `br`. */
    readonly tikvCtl: string;
    /** How the next calls end. Undefined: as they should. */
    setFault(fault: RecorderFault | undefined): void;
}

/** Writes the executables `br` and `tikv-ctl` into a folder that holds nothing else. */
export function writeBrRecorder(folder: string): BrRecorder {
    return {
        file: writeProgram(folder, "br"),
        tikvCtl: writeProgram(folder, "tikv-ctl"),
        calls: () => readCalls(folder),
        setFault: (fault) => writeFault(folder, fault),
    };
}

/** Writes the executable `rclone` into a folder that holds nothing else. It lists and deletes in folders and buckets. */
export function writeRcloneRecorder(folder: string): RcloneRecorder {
    return { file: writeProgram(folder, "rclone"), calls: () => readCalls(folder) };
}

/** @param name of the command, and of its file in this folder. */
function writeProgram(folder: string, name: string): string {
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
