import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { createPdClient, type PdClient, type PdEndpoint } from "../../../provider/pd";
import type { Issued } from "../../support/certificates/certificates";

/** Where a real PD is found: by `PULUMI_TIDB_PD_SERVER`, else on PATH. Undefined where there is none. */
export function findPdServer(): string | undefined {
    const named = process.env.PULUMI_TIDB_PD_SERVER;
    if (named) {
        return named;
    }
    const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => folder !== "");
    return folders.map((folder) => path.join(folder, "pd-server")).find(isExecutable);
}

/** Defines tests that need a real PD. Where there is none, a skipped test of this title says so. */
export function withPdServer(title: string, define: (command: string) => void): void {
    const command = findPdServer();
    if (command !== undefined) {
        return define(command);
    }
    describe(title, () => {
        it.skip("not run: no pd-server found on PATH, nor by PULUMI_TIDB_PD_SERVER");
    });
}

function isExecutable(file: string): boolean {
    try {
        accessSync(file, constants.X_OK);
        return true;
    } catch {
        return false;
    }
}

/** A running PD of its own. */
export interface RealPd {
    readonly client: PdClient;
    readonly endpoints: readonly PdEndpoint[];
    /** Writes other certificates where the members read theirs, as a kubelet does when their Secret changes. */
    renew(tls: RealPdTls): void;
    /** Ends one member, without a goodbye. */
    stopMember(name: string): Promise<void>;
    /** Starts a member that was ended, with the data that it had. */
    startMember(name: string): void;
    /** Starts a member on an empty volume, which joins the first ones. From then on the volume's name stands for it. */
    joinMember(name: string, volume: string): Promise<void>;
    /** The code with which a member has ended by itself; undefined while it runs, or if it was ended. */
    exitCodeOf(volume: string): number | undefined;
    /** Where a member serves clients. */
    urlOf(volume: string): string;
    /** What a member has written to its log. */
    logOf(volume: string): string;
    /** Ends all of it and removes its data. */
    close(): Promise<void>;
}

/** Certificates for a PD that talks mutual TLS, as PEM text. */
export interface RealPdTls {
    readonly ca: string;
    readonly member: Issued;
    readonly client: Issued;
    /** The name that the client calls a member by. */
    serverName(member: string): string;
}

/** Starts PD members on loopback, called `<prefix>-0` and so on, and waits until one of them leads. */
export async function startPd(command: string, count: number, tls?: RealPdTls, prefix = "pd"): Promise<RealPd> {
    const scheme = tls ? "https" : "http";
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-pd-"));
    const ports = await findPorts(2 * count);
    const members = Array.from({ length: count }, (_, index) => ({
        name: `${prefix}-${index}`,
        url: `${scheme}://127.0.0.1:${ports[index]}`,
        peerUrl: `${scheme}://127.0.0.1:${ports[count + index]}`,
    }));
    const initialCluster = members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",");
    const urls = members.map(({ url }) => url).join(",");
    const volumes = new Map(
        members.map((member) => [member.name, { ...member, from: { "initial-cluster": initialCluster } as object }]),
    );
    const certificateOptions = tls ? writeCertificates(folder, tls) : {};
    const processes = new Map<string, ChildProcess>();
    const startProblems: string[] = [];
    const killAll = () => processes.forEach((member) => member.kill("SIGKILL"));
    process.once("exit", killAll); // A test run that is interrupted leaves no PD behind.
    const logFile = (volume: string) => path.join(folder, `${volume}.log`);
    const startMember = (volume: string) => {
        const { name, url, peerUrl, from } = volumes.get(volume)!;
        const options = {
            name,
            "data-dir": path.join(folder, volume),
            "log-file": logFile(volume),
            "client-urls": url,
            "peer-urls": peerUrl,
            ...from,
            ...certificateOptions,
        };
        const words = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
        const started = spawn(command, words, { stdio: "ignore" });
        started.once("error", (error) => startProblems.push(error.message));
        started.once("exit", (code) => startProblems.push(`${name} exited with ${code}`));
        processes.set(volume, started);
    };
    const joinMember = async (name: string, volume: string) => {
        const [client, peer] = (await findPorts(2)).map((port) => `${scheme}://127.0.0.1:${port}`);
        volumes.set(volume, { name, url: client, peerUrl: peer, from: { join: urls } });
        startMember(volume);
    };
    members.forEach(({ name }) => startMember(name));
    const endpoints = members.map(({ name, url }) => ({ name, url, servername: tls?.serverName(name) }));
    const client = createPdClient({ endpoints, tls: tls && { ca: tls.ca, ...tls.client } });
    const stopMember = async (name: string) => {
        const member = processes.get(name);
        if (member?.pid !== undefined && member.exitCode === null && member.signalCode === null) {
            member.kill("SIGKILL");
            await once(member, "exit");
        }
    };
    const close = async () => {
        client.close();
        process.off("exit", killAll);
        await Promise.all([...processes.keys()].map(stopMember));
        rmSync(folder, { recursive: true, force: true });
    };
    try {
        await untilHealthy(client, count, startProblems);
    } catch (error) {
        const problems = [String(error), ...startProblems].join("; ");
        await close();
        throw new Error(`${command} did not become healthy: ${problems}`);
    }
    return {
        client,
        endpoints,
        renew: (next) => writeCertificates(folder, next),
        stopMember,
        startMember,
        joinMember,
        exitCodeOf: (volume) => processes.get(volume)?.exitCode ?? undefined,
        urlOf: (volume) => volumes.get(volume)!.url,
        logOf: (volume) => readFileSync(logFile(volume), "utf8"),
        close,
    };
}

/** @returns the options that name the files. */
function writeCertificates(folder: string, { ca, member }: RealPdTls): Record<string, string> {
    const texts = { cacert: ca, cert: member.cert, key: member.key };
    return Object.fromEntries(
        Object.entries(texts).map(([option, text]) => {
            const file = path.join(folder, `${option}.pem`);
            writeFileSync(file, text);
            return [option, file];
        }),
    );
}

async function untilHealthy(client: PdClient, count: number, startProblems: readonly string[]): Promise<void> {
    let last: unknown = "nothing seen";
    for (const until = Date.now() + 30_000; Date.now() < until && startProblems.length === 0;) {
        try {
            const health = await client.health();
            const { leader } = await client.members();
            if (leader && health.length === count && health.every(({ healthy }) => healthy)) {
                return;
            }
            last = `leader ${leader?.name}, ${JSON.stringify(health)}`;
        } catch (error) {
            last = error;
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw last;
}

/** Ports that are free now: all are held at once, so that no two are the same. */
async function findPorts(count: number): Promise<number[]> {
    const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
    await Promise.all(servers.map((server) => once(server, "listening")));
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    return ports;
}
