import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import * as http from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pdStartScript } from "../../components/pd/startScript";
import { tikvStartScript } from "../../components/tikv/startScript";
import { createPod, type Pod, type ScriptRun } from "./startScripts/scriptRun";
import {
    get,
    listen,
    loopbackNetwork,
    startApi,
    startDiscovery,
    until,
    type ApiStandIn,
    type DiscoveryProcess,
} from "../unit/discovery/serverProcess";

const script = pdStartScript({ clusterName: "basic", scheme: "http" });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const host = (ordinal: number) => `basic-pd-${ordinal}.basic-pd-peer.tidb.svc`;
const form = `--initial-cluster=basic-pd-0=http://${host(0)}:2380`;

describe("discovery as a process, asked by the start scripts", () => {
    let api: ApiStandIn;
    let discovery: DiscoveryProcess;
    let pods: Pod[];
    let runs: ScriptRun[];
    let pd: http.Server | undefined;
    let network: string;

    beforeEach(async () => {
        network = loopbackNetwork();
        pods = [];
        runs = [];
        api = await startApi(3);
        discovery = await startDiscovery(api, { "basic-pd": `${network}.10` });
    });
    afterEach(async () => {
        runs.forEach((run) => run.kill("SIGKILL"));
        await Promise.all(runs.map((run) => run.done));
        pods.forEach((pod) => pod.remove());
        pd?.close();
        pd = undefined;
        api.stop();
        await discovery.stop();
    });

    /** Starts pods whose program lives on and says nothing. */
    function start(count: number, from = 0): void {
        for (let ordinal = from; ordinal < from + count; ordinal++) {
            pods[ordinal] ??= createPod(`basic-pd-${ordinal}`);
            const environment = { PROGRAM_SECONDS: "60" };
            runs.push(pods[ordinal].run(script, { discovery: discovery.address, environment }));
        }
    }

    /** A PD that lists the members whose programs have been started. */
    async function startPd(): Promise<void> {
        pd = http.createServer((request, response) => {
            const started = pods.filter((pod) => pod.starts().length > 0);
            const members = started.map(({ name }) => {
                const url = `http://${name}.basic-pd-peer.tidb.svc`;
                return { name, peer_urls: [`${url}:2380`], client_urls: [`${url}:2379`] };
            });
            const isUp = members.length > 0;
            const body = request.url?.startsWith("/dashboard")
                ? `dashboard ${request.url}`
                : JSON.stringify({ members });
            response.writeHead(isUp ? 200 : 503).end(isUp ? body : "not yet");
        });
        await listen(pd, 2379, `${network}.10`);
    }

    const firsts = () => pods.map((pod) => pod.starts()[0]?.at(-1));
    const allStarted = () => firsts().every((argument) => argument !== undefined);

    it("forms one cluster of five PD pods that ask at once", async function () {
        this.timeout(60_000);
        api.replicas = 5;
        await startPd();
        start(5);
        await until("all five have started", allStarted, discovery.log, 50);
        assert.equal(firsts()[0], form);
        for (const argument of firsts().slice(1)) {
            assert.ok(argument?.startsWith("--join=http://basic-pd-"), argument);
            assert.ok(argument?.includes(`http://${host(0)}:2379`), argument);
        }
        const path = "GET /apis/apps/v1/namespaces/tidb/statefulsets/basic-pd Bearer the-token";
        assert.deepEqual([...api.paths], [path]);
        assert.match(discovery.log(), /GET \/new\/\S+ -> 200 basic-pd-0: --initial-cluster=/);
    });

    it("forms nothing after a restart while the first member starts, and lets the others join it", async function () {
        this.timeout(60_000);
        start(3);
        await until("the first has started", () => firsts()[0] !== undefined, discovery.log);
        assert.equal(firsts()[0], form);
        runs.slice(1).forEach((run) => run.kill("SIGKILL"));
        await discovery.stop();
        discovery = await startDiscovery(api, { "basic-pd": `${network}.10` });
        start(2, 1);
        await until(
            "the others have asked",
            () => /basic-pd-1 waits/.test(discovery.log()) && /basic-pd-2 waits/.test(discovery.log()),
        );
        await pause(1_000);
        assert.deepEqual(firsts().slice(1), [undefined, undefined]);
        assert.match(discovery.log(), /not every member has asked yet: waiting for basic-pd-0/);
        await startPd();
        await until("the others have joined", allStarted, discovery.log);
        assert.deepEqual(
            firsts().map((argument) => argument?.startsWith("--join=")),
            [false, true, true],
        );
    });

    it("is not asked by a member with data; a member that lost its data joins", async () => {
        api.replicas = 1;
        start(1);
        await until("it has formed the cluster", allStarted, discovery.log);
        runs[0].kill("SIGKILL");
        await discovery.stop();
        const again = pods[0].run(script, { discovery: "127.0.0.1:1" });
        assert.equal((await again.done).code, 0);
        assert.equal(pods[0].starts()[1].at(-1), "--config=/etc/pd/pd.toml");
        discovery = await startDiscovery(api, { "basic-pd": `${network}.10` });
        pods[1] = createPod("basic-pd-1");
        mkdirSync(join(pods[1].data, "member"));
        await startPd();
        start(1, 1);
        await until("the other has joined", allStarted, discovery.log);
        assert.equal(pods[1].starts()[0].at(-1), `--join=http://${host(0)}:2379`);
    });

    it("does not form a second cluster after the only member lost its data, until it is restarted", async () => {
        api.replicas = 1;
        await startPd();
        start(1);
        await until("it has formed the cluster", allStarted, discovery.log);
        await pause(3_200); // discovery looks for a PD every 3 s
        pd?.close();
        runs[0].kill("SIGKILL");
        rmSync(join(pods[0].data, "member"), { recursive: true });
        start(1);
        await until("it is refused", () => /No second cluster is formed/.test(discovery.log()), discovery.log);
        assert.equal(pods[0].starts().length, 1);
    });

    it("is asked again while it is silent, until the pod stops", async () => {
        pods[0] = createPod("basic-pd-0");
        const run = pods[0].run(script, { discovery: "127.0.0.1:1" });
        await pause(500);
        run.kill("SIGTERM");
        const { code, output } = await run.done;
        assert.equal(code, 143);
        assert.ok(output.split("waiting for discovery").length > 2, output);
    });

    it("is asked again after an invalid answer", async () => {
        const liar = http.createServer((_, response) => response.end("--join=http://a:2379 --config=/tmp/x"));
        await listen(liar, 2380, `${network}.10`);
        pods[0] = createPod("basic-pd-0");
        const run = pods[0].run(script, { discovery: `${network}.10:2380` });
        await pause(500);
        run.kill("SIGTERM");
        const { output } = await run.done;
        liar.close();
        assert.match(output, /something unexpected/);
        assert.deepEqual(pods[0].starts(), []);
    });

    for (const [missing, expected] of [
        [["wget"], "curl asks"],
        [["wget", "curl"], "says so"],
    ] as const) {
        it(`is asked from an image without ${missing.join(" and ")}: ${expected}`, async () => {
            api.replicas = 1;
            pods[0] = createPod("basic-pd-0");
            const { code, output } = await pods[0].run(script, { discovery: discovery.address, without: missing }).done;
            assert.equal(code, missing.length === 1 ? 0 : 1, output);
            assert.match(output, missing.length === 1 ? /--initial-cluster=/ : /needs wget or curl/);
        });
    }

    it("gives TiKV addresses across Kubernetes clusters", async () => {
        const across = tikvStartScript({ clusterName: "basic", scheme: "http", acrossK8s: true });
        pd = http.createServer((request, response) => {
            const urls = { peer_urls: [], client_urls: ["http://pd.elsewhere:2379"] };
            const isHealth = request.url === "/pd/api/v1/health";
            response.end(
                JSON.stringify(isHealth ? [{ name: "far", health: true }] : { members: [{ name: "far", ...urls }] }),
            );
        });
        await listen(pd, 2379, `${network}.10`);
        pods[0] = createPod("basic-tikv-0");
        const { code, output } = await pods[0].run(across, { discovery: discovery.address }).done;
        assert.equal(code, 0, output);
        assert.equal(pods[0].starts()[0][0], "--pd=http://basic-pd:2379,http://pd.elsewhere:2379");
    });

    it("answers errors with a status and a reason, and ends at once when it is stopped", async () => {
        api.status = 403;
        const url = `http://${discovery.address}`;
        const forbidden = await get(`${url}/new/${base64(`${host(0)}:2380`)}`);
        assert.equal(forbidden.status, 500);
        assert.match(forbidden.body, /GET statefulset tidb\/basic-pd: HTTP 403/);
        assert.equal((await get(`${url}/new/${base64("a.b.c.d:2380")}`)).status, 400);
        assert.equal((await get(`${url}/else`)).status, 404);
        assert.deepEqual(await get(`${url}/healthz`), { status: 200, body: "ok" });
        const unknown = await get(`${url}/verify/${base64("basic-pd:2379")}`);
        assert.deepEqual(unknown, { status: 500, body: "basic-pd:2379" });
        assert.equal(await discovery.stop(), 0);
    });

    it("passes only /dashboard on to PD", async () => {
        await startPd();
        const dashboard = `http://${discovery.dashboard}`;
        pods[0] = createPod("basic-pd-0");
        mkdirSync(join(pods[0].data, "member", "wal"), { recursive: true });
        await pods[0].run(script).done;
        assert.deepEqual(await get(`${dashboard}/dashboard/a?b=c`), {
            status: 200,
            body: "dashboard /dashboard/a?b=c",
        });
        assert.equal((await get(`${dashboard}/pd/api/v1/members`)).status, 404);
        assert.equal((await get(`${dashboard}/dashboards`)).status, 404);
        pd?.closeAllConnections();
        pd?.close();
        assert.equal((await get(`${dashboard}/dashboard/`)).status, 502);
    });
});
