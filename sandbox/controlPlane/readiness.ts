import axios from "axios";
import * as https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { isPortInUse } from "./ports";
import type { ProgramEnd, RunningProgram } from "./programRunner";

const pollMilliseconds = 30;

/** A program of the control plane ended while the sandbox was starting. */
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

/** The sandbox did not get ready in time. */
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

/** Resolves with the first program that ends. Never resolves while all run. */
export function firstToEnd(programs: RunningProgram[]): Promise<ProgramEnd> {
    return Promise.race(programs.map((program) => program.ended));
}

/** What is waited for, and for how long. */
export interface WaitOptions {
    /** What is waited for, for messages: "the API server". */
    step: string;
    /** Programs that must stay alive meanwhile. */
    programs: RunningProgram[];
    /** Time at which to give up, as of Date.now(). */
    deadline: number;
    isReady: () => Promise<boolean>;
    timeout: (step: string) => Error;
}

/** Waits until `isReady` says so. Throws when a program ends before that, or when the time is up. */
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

/** Asks one server, over one connection. */
export interface Asker {
    /** Whether a GET of that path is answered with 200; no answer is a no. */
    isOk(path: string): Promise<boolean>;
    close(): void;
}

/** An asker for a server; the authority is PEM text, for an https one. */
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
                return false; // Nobody listens yet; the caller knows how long to go on asking.
            }
        },
        close: () => httpsAgent.destroy(),
    };
}
