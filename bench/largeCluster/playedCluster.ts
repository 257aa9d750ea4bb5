import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import type { Timings } from "pulumi-tidb-sandbox";
import type { LoggedRequest } from "./requestLog";

/** What the played servers play. */
export interface ServersOptions {
    readonly stores: number;
    readonly timings: Partial<Timings>;
}

/** How the servers are reached. */
export interface Served {
    readonly kubeconfig: string;
    readonly leaseUid: string;
}

/** All requests so far. */
export interface ServersReport {
    readonly requests: readonly LoggedRequest[];
}

/** What the servers are asked to do. */
export type Wish = { do: "report" } | Change;

/** What they change. */
type Change =
    /** PD repeats its answers, so its own time does not count. */
    { do: "repeat"; isOn: boolean } | { do: "stop-store"; ordinal: number } | { do: "start-store"; ordinal: number };

/** A played cluster, whose servers run in a process of their own. */
export interface PlayedCluster extends Served {
    /** A report is long, and writing it keeps the servers from answering meanwhile. */
    report(): Promise<ServersReport>;
    wish(change: Change): Promise<void>;
    stop(): void;
}

/** Starts the servers. */
export async function startPlayedCluster(options: ServersOptions): Promise<PlayedCluster> {
    const servers = startProcess("servers.ts", JSON.stringify(options));
    const [served] = (await answerOf(servers)) as [Served];
    const grant = async (wish: Wish) => {
        servers.send(wish);
        const [granted] = (await answerOf(servers)) as [{ report?: ServersReport }];
        return granted.report;
    };
    return {
        ...served,
        report: async () => (await grant({ do: "report" }))!,
        wish: async (change) => void (await grant(change)),
        stop: () => servers.disconnect(),
    };
}

/** Starts a file of this folder in a process of its own. */
function startProcess(file: string, argument: string, execArgv = ["--require", "tsx/cjs"]): ChildProcess {
    return fork(path.join(__dirname, file), [argument], { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

/** @returns the next message of a process. @throws Error if it ends instead, or has ended. */
export async function answerOf(process: ChildProcess): Promise<unknown[]> {
    const end = (): Error => new Error(`the process ended with ${String(process.exitCode ?? process.signalCode)}`);
    if (process.exitCode !== null || process.signalCode !== null) {
        throw end();
    }
    const stop = new AbortController();
    const { signal } = stop;
    const ended = once(process, "exit", { signal }).then(() => {
        throw end();
    });
    ended.catch(() => undefined); // The race reports it, unless the message came first.
    return Promise.race([once(process, "message", { signal }), ended]).finally(() => stop.abort());
}
