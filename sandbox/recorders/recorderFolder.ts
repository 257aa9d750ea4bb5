import * as fs from "node:fs";
import * as path from "node:path";
import { randomUUID } from "node:crypto";
import type { BrFault } from "./br/faults";

/** The variable that names the folder of a recorder, with its settings and its calls. */
export const recorderVariable = "PULUMI_TIDB_RECORDER";

/** How a recorder behaves. */
export interface RecorderSettings {
    /** The version that it says it has. */
    version: string;
    fault: BrFault | undefined;
}

/** A call of a recorder. */
export interface RecordedCall {
    /** The arguments after the command's name. */
    readonly args: readonly string[];
    /** The names of the variables with which storages and BR are set up. Their values may be secrets. */
    readonly variables: readonly string[];
    /** Undefined while it runs, and if it was killed. */
    readonly exitCode: number | undefined;
}

/** The version of a recorder that was told none. */
export const defaultVersion = "v8.5.4";

const settingsFile = "settings.json";
const callsFile = "calls.jsonl";
const notedVariables = /^(AWS|AZURE|GOOGLE|BR|RCLONE)_/;

/** The settings in a recorder's folder. */
export function readSettings(folder: string | undefined): RecorderSettings {
    const file = folder && path.join(folder, settingsFile);
    const written =
        file && fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as Partial<RecorderSettings>) : {};
    return { version: written.version ?? defaultVersion, fault: written.fault };
}

/** Changes the settings. A command that runs already keeps what it has read. */
export function writeSettings(folder: string, settings: RecorderSettings): void {
    const partial = path.join(folder, `${settingsFile}.${randomUUID()}`);
    fs.writeFileSync(partial, JSON.stringify(settings));
    fs.renameSync(partial, path.join(folder, settingsFile));
}

/** Notes that a call has begun. Returns what notes its end. */
export function beginCall(
    folder: string | undefined,
    args: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
): (exitCode: number) => void {
    if (folder === undefined) {
        return () => undefined;
    }
    const id = randomUUID();
    const note = (line: object): void => fs.appendFileSync(path.join(folder, callsFile), `${JSON.stringify(line)}\n`);
    note({
        id,
        args,
        variables: Object.keys(environment)
            .filter((name) => notedVariables.test(name))
            .sort(),
    });
    return (exitCode) => note({ id, exitCode });
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
