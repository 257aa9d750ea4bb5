import axios from "axios";
import * as https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { isPortInUse } from "./ports";
import type { ProgramEnd, RunningProgram } from "./programRunner";

const pollMilliseconds = 30;

/** Thrown when a program of the control plane ends while the sandbox is starting. */
export class ProgramEndedError extends Error {
    readonly portInUse: boolean;

    constructor(readonly end: ProgramEnd) {
        super(
            `${end.name} ended while the sandbox was starting (${end.how}); its last lines:\n` +
                end.lastLines.map((line) => `    ${line}`).join("\n"),
        );
        this.name = "ProgramEndedError";
        this.portInUse = isPortInUse(end.lastLines);
    }
}

/** Thrown when the sandbox is not ready in time. */
export class BootTimeoutError extends Error {
    constructor(step: string, milliseconds: number, folder: string, lastLines: string[]) {
        super(
            `the sandbox was not ready within ${milliseconds / 1000} s: still waiting for ${step}. ` +
                `The machine may be overloaded; try again. The last lines in ${folder}:\n` +
                lastLines.map((line) => `    ${line}`).join("\n"),
        );
        this.name = "BootTimeoutError";
    }
}

/** Resolves with the first program that ends. Never resolves while all programs run. */
export function firstToEnd(programs: RunningProgram[]): Promise<ProgramEnd> {
    return Promise.race(programs.map((program) => program.ended));
}

/** What to wait for, and how long. */
export interface WaitOptions {
    /** What is being waited for, as used in messages: "the API server". */
    step: string;
    /** Programs that must keep running during the wait. */
    programs: RunningProgram[];
    /** When to give up, compared with Date.now(). */
    deadline: number;
    isReady: () => Promise<boolean>;
    timeout: (step: string) => Error;
}

/** Waits until `isReady` returns true. Throws if a program ends first or the deadline passes. */
export async function waitUntil(options: WaitOptions): Promise<void> {
    for (;;) {
        const ended = options.programs.find((program) => program.end !== undefined)?.end;
        if (ended !== undefined) {
            throw new ProgramEndedError(ended);
        }
        if (await options.isReady()) {
            return;
        }
        if (Date.now() > options.deadline) {
            throw options.timeout(options.step);
        }
        await sleep(pollMilliseconds);
    }
}

/** Sends requests to one server over one connection. */
export interface Asker {
    /** Whether a GET of the path returns 200. False if the server does not answer. */
    isOk(path: string): Promise<boolean>;
    close(): void;
}

/** Creates an asker for a server. An https server also needs its certificate authority as PEM text. */
export function createAsker(server: string, token?: string, certificateAuthority?: string): Asker {
    const httpsAgent = new https.Agent({ ca: certificateAuthority, keepAlive: true });
    return {
        isOk: async (path) => {
            try {
                const answer = await axios.get(server + path, {
                    httpsAgent,
                    proxy: false,
                    timeout: 2000,
                    validateStatus: () => true,
                    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
                });
                return answer.status === 200;
            } catch {
                return false; // The server does not listen yet. The caller decides how long to keep asking.
            }
        },
        close: () => httpsAgent.destroy(),
    };
}
