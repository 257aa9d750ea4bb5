import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { generate } from "selfsigned";
import {
    discoveryServerEnvironment,
    discoveryServerFiles,
    type DiscoveryServerOptions,
} from "../../../components/discovery/serverFiles";

/** Stands in for the API server: one StatefulSet, whose replicas can be set. */
export interface ApiStandIn {
    readonly port: number;
    readonly certificate: string;
    replicas: number;
    /** Status of the answer. */
    status: number;
    readonly paths: Set<string>;
    stop(): void;
}

export async function startApi(replicas: number): Promise<ApiStandIn> {
    const altNames = [{ type: 7 as const, ip: "127.0.0.1" }];
    const pems = await generate([{ name: "commonName", value: "kubernetes" }], {
        extensions: [{ name: "subjectAltName", altNames }],
    });
    const state = { replicas, status: 200, paths: new Set<string>() };
    const server = https.createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
        state.paths.add(`${request.method} ${request.url} ${request.headers.authorization}`);
        response.writeHead(state.status).end(JSON.stringify({ spec: { replicas: state.replicas } }));
    });
    await listen(server, 0, "127.0.0.1");
    return Object.assign(state, {
        port: (server.address() as AddressInfo).port,
        certificate: pems.cert,
        stop: () => void server.close(),
    });
}

/** The discovery server as it runs in its pod: `node main.js` in a folder with the ConfigMap's files. */
export interface DiscoveryProcess {
    /** Where it listens: host and port. */
    readonly address: string;
    readonly dashboard: string;
    readonly log: () => string;
    /** Ends it, as Kubernetes does; resolves with its exit code. */
    stop(): Promise<number | null>;
}

/** Names that the pod resolves, by their beginning, and what they stand for. */
export type Hosts = Record<string, string>;

/** What differs from a plain cluster, and the folder with what the pod has in `/var/lib/pd-tls` and `/var/lib/discovery-tls`. */
export type DiscoveredCluster = Partial<DiscoveryServerOptions> & { certificates?: string };

/** `settleMilliseconds`: how long members wait for one that has just joined; a real PD needs its 5 s, a stand-in does not. */
export async function startDiscovery(
    api: ApiStandIn,
    hosts: Hosts,
    settleMilliseconds = 100,
    cluster: DiscoveredCluster = {},
): Promise<DiscoveryProcess> {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-discovery-"));
    const account = join(folder, "account");
    mkdirSync(account);
    writeFileSync(join(account, "token"), "the-token\n");
    writeFileSync(join(account, "ca.crt"), api.certificate);
    writeFileSync(join(folder, "hosts.cjs"), hostsHook);
    const [port, dashboardPort] = await twoFreePorts();
    for (const [name, text] of Object.entries(discoveryServerFiles())) {
        const moved = text
            .replace("/var/run/secrets/kubernetes.io/serviceaccount", account)
            .replace(/\/var\/lib\/(pd|discovery)-tls/, cluster.certificates ?? "/var/lib/none")
            .replace("settleMilliseconds = 5_500", `settleMilliseconds = ${settleMilliseconds}`)
            .replace("= 10261", `= ${port}`)
            .replace("= 10262", `= ${dashboardPort}`);
        writeFileSync(join(folder, name), moved);
    }
    const environment = discoveryServerEnvironment({ clusterName: "basic", ...cluster });
    const child = spawn(process.execPath, ["--require", join(folder, "hosts.cjs"), join(folder, "main.js")], {
        env: {
            ...Object.fromEntries(environment.map(({ name, value }) => [name, value])),
            MY_POD_NAMESPACE: "tidb",
            KUBERNETES_SERVICE_HOST: "127.0.0.1",
            KUBERNETES_SERVICE_PORT_HTTPS: String(api.port),
            HOSTS: JSON.stringify(hosts),
        },
        stdio: ["ignore", "pipe", "pipe"],
    });
    let log = "";
    child.stdout.on("data", (chunk: Buffer) => (log += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    await until(
        "discovery listens",
        () => log.split("listening on port").length === 3 || isOver(child),
        () => log,
    );
    return {
        address: `127.0.0.1:${port}`,
        dashboard: `127.0.0.1:${dashboardPort}`,
        log: () => log,
        async stop() {
            child.kill("SIGTERM");
            const code = await ended;
            rmSync(folder, { recursive: true, force: true });
            return code;
        },
    };
}

function isOver(child: ChildProcess): boolean {
    return child.exitCode !== null;
}

/** Replaces the resolver: names of HOSTS by their beginning, nothing else is known. */
const hostsHook = `
const hosts = Object.entries(JSON.parse(process.env.HOSTS));
require("node:dns").lookup = (name, options, done) => {
    const found = hosts.find(([start]) => name.startsWith(start));
    if (!found) return process.nextTick(done, Object.assign(new Error("getaddrinfo ENOTFOUND " + name), { code: "ENOTFOUND" }));
    const family = require("node:net").isIP(found[1]);
    process.nextTick(() => options.all ? done(null, [{ address: found[1], family }]) : done(null, found[1], family));
};
`;

/** A network of this process on the loopback interface: the host with a number has the address `<network>.1<number>`. */
export function loopbackNetwork(): string {
    return `127.${20 + (process.pid % 200)}.${1 + Math.floor(Math.random() * 250)}`;
}

export async function listen(server: http.Server | https.Server, port: number, host: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
        server.on("error", reject);
        server.listen(port, host, () => resolve());
    });
}

export async function get(url: string, method = "GET"): Promise<{ status: number; body: string }> {
    const response = await fetch(url, { method, signal: AbortSignal.timeout(5_000), redirect: "manual" });
    return { status: response.status, body: await response.text() };
}

/** Waits until something holds. */
export async function until(
    what: string,
    holds: () => boolean | Promise<boolean>,
    details: () => string = () => "",
    seconds = 20,
): Promise<void> {
    const end = Date.now() + seconds * 1_000;
    while (!(await holds())) {
        if (Date.now() > end) {
            throw new Error(`after ${seconds} s it is still not so that ${what}\n${details()}`);
        }
        await pause(50);
    }
}

/** Two ports that nobody listens on. Both are held until both are known, because a port that was let go may be given out again. */
async function twoFreePorts(): Promise<[number, number]> {
    const servers = [http.createServer(), http.createServer()];
    await Promise.all(servers.map((server) => listen(server, 0, "127.0.0.1")));
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    return [ports[0], ports[1]];
}
