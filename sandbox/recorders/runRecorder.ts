import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArguments, type ParsedCall, type ProgramFlags } from "./parseArguments";
import { beginCall, readFault, recorderVariable } from "./recorderFolder";

/** Ends a call with these words and this exit code. */
export class Refusal extends Error {
    constructor(
        message: string,
        readonly exitCode = 1,
    ) {
        super(message);
    }
}

/** What a recorder does for a call, whose command and flags the program has. `halfWay` plays the fault; the signal ends a hold. */
export type Work = (call: ParsedCall, halfWay: (signal?: AbortSignal) => Promise<void>) => Promise<void>;

const pollMilliseconds = 100;

/** The exit code of a command that the program has and the recorder does not carry out. */
export const notRecordedCode = 70;

/** Records the call of this process, checks its arguments, carries it out, and plays the fault that is set. */
export async function runRecorder(program: string, flags: ProgramFlags, work: Work): Promise<void> {
    const folder = process.env[recorderVariable];
    if (folder === undefined) {
        throw new Error(`${recorderVariable} is not set: start the recorder by the file that writeBrRecorder writes`);
    }
    const args = process.argv.slice(2);
    const fault = readFault(folder);
    const end = beginCall(folder, args);
    const fail = (isDue: boolean): void => {
        if (fault?.kind === "fails" && isDue) {
            throw new Refusal(fault.words, fault.exitCode);
        }
    };
    try {
        const call = parseArguments(program, flags, args);
        fail(fault?.kind === "fails" && !fault.halfWay);
        await work(call, async (signal) => {
            if (fault?.kind === "killed") {
                process.kill(process.pid, "SIGKILL");
            }
            while (fault?.kind === "held" && !signal?.aborted && fs.existsSync(fault.by)) {
                await sleep(pollMilliseconds);
            }
            fail(true);
        });
        end(0);
    } catch (error) {
        const { message } = error as Error;
        // Written at once, so that the last words of a process that is killed are there too.
        fs.writeSync(2, `Error: ${message}\n`);
        if (program === "br") {
            logAsBr("ERROR", `[main.go:45] ["br failed"] [error=${JSON.stringify(message)}]`);
        }
        process.exitCode = error instanceof Refusal ? error.exitCode : 1;
        end(process.exitCode);
    }
}

/** Writes a line of BR's log where BR does: to standard output, if the variable is set. Otherwise it goes to a file, here nowhere. */
export function logAsBr(level: "INFO" | "ERROR", line: string): void {
    if (process.env.BR_LOG_TO_TERM !== undefined) {
        const at = new Date().toISOString().replaceAll("-", "/").replace("T", " ").replace("Z", "");
        fs.writeSync(1, `[${at} +00:00] [${level}] ${line}\n`);
    }
}
