import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";

/** What the played servers play. */
export interface ServersOptions {
    readonly stores: number;
    /** PD gives each answer again to the same question, so its own time does not count. */
    readonly repeats: boolean;
}

/** A request that PD answered. */
export interface LoggedRequest {
    /** Method and path, without numbers. */
    readonly question: string;
    /** Bytes that PD wrote to the socket. */
    readonly bytes: number;
}

/** How the servers are reached. */
export interface Served {
    readonly kubeconfig: string;
    readonly leaseUid: string;
}

/** What the servers do before they report: stop or start a store, or nothing. */
export type Wish = "stop-store" | "start-store" | "report";

/** A played cluster, whose servers run in a process of their own. */
export interface PlayedCluster extends Served {
    /** @returns all requests to PD so far. The servers answer none while they write the report, which is long. */
    ask(wish: Wish): Promise<LoggedRequest[]>;
    stop(): void;
}

/** Starts the servers. */
export async function startPlayedCluster(options: ServersOptions): Promise<PlayedCluster> {
    const servers = fork(path.join(__dirname, "servers.ts"), [JSON.stringify(options)], {
        execArgv: ["--require", "tsx/cjs"],
        stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const [served] = (await answerOf(servers)) as [Served];
    const ask = async (wish: Wish): Promise<LoggedRequest[]> => {
        servers.send(wish);
        return ((await answerOf(servers)) as [LoggedRequest[]])[0];
    };
    return { ...served, ask, stop: () => servers.disconnect() };
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
