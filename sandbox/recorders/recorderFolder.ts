import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";

/** The variable that names the folder of a recorder, with its fault and its calls. */
export const recorderVariable = "PULUMI_TIDB_RECORDER";

/** How a call ends. "Half way" is after the first file was written, and before the last. */
export type RecorderFault =
    /** With an exit code, 1 by default, and these words on standard error: at once, or half way. */
    | { readonly kind: "fails"; readonly words: string; readonly exitCode?: number; readonly halfWay?: boolean }
    /** Killed half way, as by the kernel. */
    | { readonly kind: "killed" }
    /** It stops half way until a file is gone. */
    | { readonly kind: "held"; readonly by: string };

/** A call of a recorder. */
export interface RecordedCall {
    /** The arguments after the command's name. */
    readonly args: readonly string[];
    /** The names of the variables that configure storages and BR. Their values may be secrets. */
    readonly variables: readonly string[];
    /** Undefined while it runs, and if it was killed. */
    readonly exitCode: number | undefined;
}

const faultFile = "fault.json";
const callsFile = "calls.jsonl";
const recordedVariables = /^(AWS|AZURE|GOOGLE|BR|RCLONE)_/;

/** The fault in a recorder's folder. */
export function readFault(folder: string): RecorderFault | undefined {
    const file = path.join(folder, faultFile);
    return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as RecorderFault) : undefined;
}

/** Sets the fault of the next calls. A call that runs keeps the one that it has read. */
export function writeFault(folder: string, fault: RecorderFault | undefined): void {
    const file = path.join(folder, faultFile);
    if (fault === undefined) {
        fs.rmSync(file, { force: true });
        return;
    }
    const partial = `${file}.${randomUUID()}`;
    fs.writeFileSync(partial, JSON.stringify(fault));
    fs.renameSync(partial, file);
}

/** Records the begin of a call. @returns records its end */
export function beginCall(folder: string, args: readonly string[]): (exitCode: number) => void {
    const id = randomUUID();
    const write = (line: object): void => fs.appendFileSync(path.join(folder, callsFile), `${JSON.stringify(line)}\n`);
    const variables = Object.keys(process.env).filter((name) => recordedVariables.test(name));
    write({ id, args, variables: variables.sort() });
    return (exitCode) => write({ id, exitCode });
}

/** All calls, in the order in which they began. */
export function readCalls(folder: string): RecordedCall[] {
    const file = path.join(folder, callsFile);
    const lines = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trimEnd().split("\n") : [];
    const calls = new Map<string, RecordedCall>();
    for (const line of lines) {
        const { id, ...part } = JSON.parse(line) as { id: string } & Partial<RecordedCall>;
        calls.set(id, { exitCode: undefined, args: [], variables: [], ...calls.get(id), ...part });
    }
    return [...calls.values()];
}
