import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settleMilliseconds } from "../../components/discovery/server/protocol";
import { pdStartScript } from "../../components/pd/startScript";
import { createAuthority, issue, secretData } from "../support/certificates/certificates";
import {
    loopbackNetwork,
    startApi,
    startDiscovery,
    until,
    type ApiStandIn,
    type DiscoveryProcess,
} from "../unit/discovery/serverProcess";
import { createPod, findProgram, type Pod, type ScriptRun } from "./startScripts/scriptRun";

const pdServer = process.env.PULUMI_TIDB_PD_SERVER ?? findProgram("pd-server");
const note = pdServer ? "" : " (NOT RUN: no pd-server on the PATH or in PULUMI_TIDB_PD_SERVER)";

/**
 * Runs the real pd-server with the script's arguments. A pod's names and addresses become addresses of the loopback
 * interface, one for each pod, since the pods here have no DNS and no network of their own.
 */
const program = `#!/bin/sh
PATH=/usr/bin:/bin
number=\${HOSTNAME##*-}
for argument in "$@"; do
    shift
    set -- "$@" "$(printf '%s' "$argument" | sed \\
        -e "s/basic-pd-\\([0-9]*\\)\\.basic-pd-peer\\.tidb\\.svc/$NETWORK.1\\1/g" \\
        -e "s/0\\.0\\.0\\.0/$NETWORK.1$number/" \\
        -e "s|/etc/pd/pd.toml|$POD_FOLDER/pd.toml|")"
done
printf '%s\\n' "$@" >"$POD_FOLDER/starts.$(date +%s%N).done"
exec "$PD_SERVER" "$@" --log-file="$POD_FOLDER/pd.log"
`;

grow("http", "");
grow("https", ", over mutual TLS");

function grow(scheme: "http" | "https", title: string): void {
    describe(`real pd-server processes with start scripts and discovery${title}${note}`, function () {
        this.timeout(180_000);
        const network = loopbackNetwork();
        const script = pdStartScript({ clusterName: "basic", scheme });
        const certificates = mkdtempSync(join(tmpdir(), "pulumi-tidb-certificates-"));
        let tls: { ca?: string; cert?: string; key?: string } = {};
        const pods: Pod[] = [];
        const runs: (ScriptRun | undefined)[] = [];
        let api: ApiStandIn;
        let discovery: DiscoveryProcess | undefined;

        before(async function () {
            if (!pdServer) {
                return this.skip();
            }
            api = await startApi(3);
            if (scheme === "https") {
                const authority = await createAuthority("tidb");
                const addresses = Array.from({ length: 5 }, (_, ordinal) => `${network}.1${ordinal}`);
                // etcd checks the address that a peer calls from, too: on loopback that is 127.0.0.1.
                const own = await issue(authority, [
                    "basic-pd.tidb",
                    "*.basic-pd-peer.tidb.svc",
                    "127.0.0.1",
                    ...addresses,
                ]);
                tls = { ca: authority.cert, ...own };
                for (const [file, text] of Object.entries(secretData(authority, own))) {
                    writeFileSync(join(certificates, file), text);
                }
            }
            await startOurs();
        });
        after(async () => {
            if (pdServer) {
                await Promise.all(pods.map((_, ordinal) => stop(ordinal, "SIGKILL")));
                pods.forEach((pod) => pod.remove());
                await discovery?.stop();
                api.stop();
            }
            rmSync(certificates, { recursive: true, force: true });
        });

        /** Asks a member by its address. */
        function ask(ordinal: number, path: string, method = "GET"): Promise<{ status: number; body: string }> {
            const url = `${scheme}://${network}.1${ordinal}:2379${path}`;
            return new Promise((resolve, reject) => {
                const client = scheme === "https" ? https : http;
                const request = client.request(url, { method, agent: false, timeout: 5_000, ...tls }, (response) => {
                    let body = "";
                    response.on("data", (chunk: Buffer) => (body += chunk.toString()));
                    response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
                });
                request.on("timeout", () => request.destroy(new Error(`${url}: no answer`)));
                request.on("error", reject).end();
            });
        }

        async function startOurs(): Promise<void> {
            const members = Array.from({ length: 5 }, (_, ordinal) => [
                `basic-pd-${ordinal}.`,
                `${network}.1${ordinal}`,
            ]);
            const hosts = { ...Object.fromEntries(members), "basic-pd.": `${network}.10` };
            discovery = await startDiscovery(api, hosts, settleMilliseconds, {
                tls: scheme === "https",
                certificates,
            });
        }

        function start(ordinal: number): void {
            if (!pods[ordinal]) {
                pods[ordinal] = createPod(`basic-pd-${ordinal}`, program);
                writeFileSync(join(pods[ordinal].folder, "pd.toml"), scheme === "https" ? security(certificates) : "");
            }
            runs[ordinal] = pods[ordinal].run(script, {
                discovery: discovery?.address,
                environment: { NETWORK: network, PD_SERVER: pdServer ?? "" },
            });
        }

        async function stop(ordinal: number, signal: NodeJS.Signals): Promise<void> {
            const run = runs[ordinal];
            runs[ordinal] = undefined;
            run?.kill(signal);
            await run?.done;
        }

        /** Starts members, and starts those again that end by themselves, as Kubernetes does; until PD lists `count` healthy ones. */
        async function bring(ordinals: readonly number[], count: number): Promise<{ id: string; names: string[] }> {
            ordinals.forEach(start);
            for (const ordinal of ordinals) {
                const follow = (run: ScriptRun | undefined) =>
                    void run?.done.then(() => {
                        if (runs[ordinal] === run) {
                            start(ordinal);
                            follow(runs[ordinal]);
                        }
                    });
                follow(runs[ordinal]);
            }
            const answers = new Map<string, string>();
            const names = () => [...answers.values()].sort();
            await until(
                `PD has ${count} healthy members`,
                async () => {
                    answers.clear();
                    for (const number of pods.keys()) {
                        const asked = ask(number, "/pd/api/v1/health");
                        const { status, body } = await asked.catch(() => ({ status: 0, body: "" }));
                        const healthy = status === 200 ? (JSON.parse(body) as { name: string; health: boolean }[]) : [];
                        answers.set(
                            `${number}`,
                            healthy
                                .filter((one) => one.health)
                                .map((one) => one.name)
                                .sort()
                                .join(),
                        );
                    }
                    return names().every((one) => one !== "" && one.split(",").length === count && one === names()[0]);
                },
                () => `${names().join("\n")}\n${discovery?.log() ?? ""}\n${pods.map(lastLog).join("\n")}`,
                90,
            );
            let ids = new Set<string>();
            await until(
                "the members answer with one cluster",
                async () => {
                    // A member that has just started answers with its members before it answers with its cluster.
                    const cluster = await Promise.all(
                        [...pods.keys()].map(async (number) => (await ask(number, "/pd/api/v1/cluster")).body),
                    );
                    ids = new Set(cluster.map((body) => body.match(/"id":\s*([0-9]+)/)?.[1] ?? body));
                    return ids.size === 1 && /^\d+$/.test([...ids][0]);
                },
                () => [...ids].join(),
                30,
            );
            return { id: [...ids][0], names: names()[0].split(",") };
        }

        function lastLog(pod: Pod): string {
            try {
                return `${pod.name}: ${readFileSync(join(pod.folder, "pd.log"), "utf8").split("\n").slice(-4).join("\n")}`;
            } catch {
                return `${pod.name}: no log`;
            }
        }

        const named = (count: number) => Array.from({ length: count }, (_, ordinal) => `basic-pd-${ordinal}`);
        let id: string;

        it("form one cluster if three start at once", async () => {
            const cluster = await bring([0, 1, 2], 3);
            id = cluster.id;
            assert.deepEqual(cluster.names, named(3));
            const formed = pods.filter((pod) =>
                pod.starts().some((words) => words.at(-1)?.startsWith("--initial-cluster=")),
            );
            assert.deepEqual(
                formed.map((pod) => pod.name),
                ["basic-pd-0"],
            );
        });

        it("restart into the same cluster, without discovery", async () => {
            await Promise.all([0, 1, 2].map((ordinal) => stop(ordinal, "SIGTERM")));
            await discovery?.stop();
            discovery = undefined;
            assert.deepEqual(await bring([0, 1, 2], 3), { id, names: named(3) });
        });

        it("grow to five, with a discovery that has just started", async () => {
            await startOurs();
            api.replicas = 5;
            assert.deepEqual(await bring([3, 4], 5), { id, names: named(5) });
        });

        it("include a member that lost its data once PD has removed the old one", async () => {
            await stop(4, "SIGKILL");
            rmSync(pods[4].data, { recursive: true });
            const removed = await ask(0, "/pd/api/v1/members/name/basic-pd-4", "DELETE");
            assert.equal(removed.status, 200, removed.body);
            assert.deepEqual(await bring([4], 5), { id, names: named(5) });
            assert.match(
                pods[4]
                    .starts()
                    .at(-1)
                    ?.find((word) => word.startsWith("--join=")) ?? "",
                /:2379/,
            );
        });
    });
}

/** What PD's configuration says about its certificate, as the ConfigMap of a cluster with TLS does. */
function security(folder: string): string {
    const files = { "cacert-path": "ca.crt", "cert-path": "tls.crt", "key-path": "tls.key" };
    const lines = Object.entries(files).map(([key, file]) => `${key} = "${join(folder, file)}"`);
    return ["[security]", ...lines, ""].join("\n");
}
