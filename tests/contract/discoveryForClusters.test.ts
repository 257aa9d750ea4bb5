import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, issue, secretData, type Issued } from "../support/certificates/certificates";
import { renderedScripts } from "./startScripts/renderedScripts";
import { createPod, type Pod, type RunOptions, type ScriptRun } from "./startScripts/scriptRun";
import {
    type ApiStandIn,
    type DiscoveredCluster,
    type DiscoveryProcess,
    listen,
    loopbackNetwork,
    startApi,
    startDiscovery,
    until,
} from "../unit/discovery/serverProcess";

/** What the scripts of clusters of each kind make of the answers of a real discovery, in which a stand-in for PD is seen. */
describe("discovery as a process, for each kind of cluster", function () {
    this.timeout(60_000);
    let api: ApiStandIn;
    let discovery: DiscoveryProcess | undefined;
    let pd: http.Server | undefined;
    let pods: Pod[];
    let runs: ScriptRun[];
    let network: string;
    /** Members that PD lists besides those that have started. */
    let elsewhere: { name: string; url: string }[];

    beforeEach(async () => {
        network = loopbackNetwork();
        [pods, runs, elsewhere] = [[], [], []];
        api = await startApi(3);
    });
    afterEach(async () => {
        runs.forEach((run) => run.kill("SIGTERM"));
        await Promise.all(runs.map((run) => run.done));
        pods.forEach((pod) => pod.remove());
        pd?.close();
        pd = undefined;
        api.stop();
        await discovery?.stop();
        discovery = undefined;
    });

    /** Starts a member whose program is the stand-in, by the script as its container has it. */
    function start(name: string, script: string, options: RunOptions = {}): Pod {
        const pod = createPod(name);
        pods.push(pod);
        const text = script
            .replace(/(?<=^|exec )\/(pump|cdc|tiflash\/tiflash) "\$@"/m, `${join(pod.folder, "program")} "$@"`)
            .replaceAll("/data0", pod.data)
            .replaceAll("/etc/tiflash", pod.folder);
        writeFileSync(join(pod.folder, "config_templ.toml"), 'pd_addr = "PD_ADDR"\n');
        writeFileSync(join(pod.folder, "proxy_templ.toml"), "");
        const environment = { PROGRAM_SECONDS: "60", POD_NAME: name, ...options.environment };
        runs.push(pod.run(text, { discovery: discovery?.address, ...options, environment }));
        return pod;
    }
    const hasStarted = (pod: Pod) => pod.starts().length > 0;
    const started = async (...all: Pod[]) => {
        const details = () => discovery?.log().slice(-1_000) ?? "";
        await until("all have started", () => all.every(hasStarted), details, 40);
        return all.map((pod) => pod.starts()[0]);
    };

    /** Serves what PD answers, at an address of its own. */
    async function servePd(scheme: "http" | "https", address: string, tls: https.ServerOptions = {}): Promise<void> {
        const answer: http.RequestListener = (request, response) => {
            const ours = pods
                .filter((pod) => /-pd-/.test(pod.name) && hasStarted(pod))
                .map(({ name }) => {
                    return { name, url: `${scheme}://${name}.basic-pd-peer.tidb.svc` };
                });
            const members = [...ours, ...elsewhere].map(({ name, url }) => {
                return { name, peer_urls: [`${url}:2380`], client_urls: [`${url}:2379`], health: true };
            });
            const body = request.url === "/pd/api/v1/health" ? members : { members };
            response.writeHead(members.length > 0 ? 200 : 503).end(JSON.stringify(body));
        };
        pd = scheme === "https" ? https.createServer(tls, answer) : http.createServer(answer);
        await listen(pd as http.Server, 2379, address);
    }
    const discover = async (cluster: DiscoveredCluster, address = `${network}.10`, api_ = api) => {
        discovery = await startDiscovery(api_, { "basic-pd": address, "first-pd": address }, 100, cluster);
        return discovery;
    };
    const member = (ordinal: number, domain = "") => `basic-pd-${ordinal}.basic-pd-peer.tidb.svc${domain}`;
    const last = (words: string[]) => words.at(-1);

    describe("with TLS", () => {
        let folder: string;
        let authority: Issued;
        let own: Issued;
        let tls: https.ServerOptions;
        before(async () => {
            folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-certificates-"));
            authority = await createAuthority("tidb");
            own = await issue(authority, [
                ...["basic-pd.tidb", "*.basic-pd-peer.tidb.svc", "basic-pd.tidb.svc.one.example"],
                "127.0.0.1",
            ]);
            write(authority, own);
            tls = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
        });
        after(() => rmSync(folder, { recursive: true, force: true }));
        function write(by: Issued, certificate: Issued): void {
            for (const [file, text] of Object.entries(secretData(by, certificate))) {
                writeFileSync(join(folder, file), text);
            }
        }

        it("shows PD its certificate and answers with https addresses, so three PD pods form one cluster", async () => {
            await servePd("https", `${network}.10`, tls);
            await discover({ tls: true, certificates: folder });
            const { pd: script } = renderedScripts("with TLS");
            const words = await started(...[0, 1, 2].map((ordinal) => start(`basic-pd-${ordinal}`, script)));
            assert.equal(last(words[0]), `--initial-cluster=basic-pd-0=https://${member(0)}:2380`);
            for (const other of words.slice(1)) {
                assert.match(last(other) ?? "", new RegExp(`^--join=.*https://${member(0)}:2379`));
            }
            assert.ok(words[1].includes(`--advertise-peer-urls=https://${member(1)}:2380`), words[1].join(" "));
        });

        it("forms no cluster beside a member whose certificate it does not trust, and says why", async () => {
            const stranger = await createAuthority("another");
            await servePd("https", `${network}.10`, await issue(stranger, ["basic-pd.tidb"]));
            api.replicas = 2;
            await discover({ tls: true, certificates: folder });
            const pod = start("basic-pd-0", renderedScripts("with TLS").pd);
            const why =
                /(self-signed|unable to verify)[^)]*\), and not every member has asked yet: waiting for basic-pd-1/;
            await until(
                "it says why",
                () => why.test(discovery?.log() ?? ""),
                () => discovery?.log().slice(-500) ?? "",
            );
            assert.deepEqual(pod.starts(), []);
        });

        it("reads a renewed certificate without a restart", async () => {
            const next = await createAuthority("next");
            const names = ["basic-pd.tidb", "*.basic-pd-peer.tidb.svc"];
            elsewhere = [{ name: "basic-pd-7", url: `https://${member(7)}` }];
            await servePd("https", `${network}.10`, { ...tls, ...(await issue(next, names)), ca: next.cert });
            await discover({ tls: true, certificates: folder });
            write(next, await issue(next, names));
            const [words] = await started(start("basic-pd-1", renderedScripts("with TLS").pd));
            assert.equal(last(words), `--join=https://${member(7)}:2379`);
            write(authority, own);
        });

        it("requires certificates if that is on, and the scripts of PD and TiKV show theirs", async () => {
            const variant = "across Kubernetes clusters, with TLS of discovery";
            const scripts = renderedScripts(variant);
            elsewhere = [{ name: "far", url: "https://far.two.example" }];
            await servePd("https", `${network}.10`, { ...tls, rejectUnauthorized: true });
            await discover({
                ...{ tls: true, mtls: true, acrossK8s: true, clusterDomain: "one.example", certificates: folder },
            });
            // TiKV first: a PD member that has joined would be one more address for it.
            const [tikvWords] = await started(start("basic-tikv-0", scripts.tikv, { certificates: folder }));
            const [pdWords] = await started(start("basic-pd-1", scripts.pd, { certificates: folder }));
            assert.equal(last(pdWords), "--join=https://far.two.example:2379");
            assert.ok(tikvWords[0].startsWith("--pd=https://basic-pd:2379,https://far.two.example:2379"), tikvWords[0]);
            const without = start("basic-pd-2", scripts.pd);
            await new Promise((resolve) => setTimeout(resolve, 500));
            assert.deepEqual(without.starts(), [], "nothing is said to a script without a certificate");
        });
    });

    it("is asked, asks PD and listens on IPv6: one cluster of two", async () => {
        await servePd("http", "::1");
        api.replicas = 2;
        const { address } = await discover({}, "::1");
        const discovered = { discovery: address.replace("127.0.0.1", "[::1]") };
        const { pd: script } = renderedScripts("with IPv6");
        const words = await started(...[0, 1].map((ordinal) => start(`basic-pd-${ordinal}`, script, discovered)));
        assert.equal(last(words[0]), `--initial-cluster=basic-pd-0=http://${member(0)}:2380`);
        assert.equal(last(words[1]), `--join=http://${member(0)}:2379`);
        assert.ok(words[1].includes("--client-urls=http://[::]:2379"), words[1].join(" "));
    });

    it("never forms a cluster that joins another; its PD joins once the other one answers", async () => {
        await discover({ referenceCluster: { name: "first", namespace: "other" } });
        const pod = start("basic-pd-0", renderedScripts("plain").pd);
        await until("it waits", () => /the PD to join does not answer/.test(discovery?.log() ?? ""), discovery?.log);
        assert.deepEqual(pod.starts(), []);
        elsewhere = [{ name: "first-pd-0", url: "http://first-pd-0.first-pd-peer.other.svc" }];
        await servePd("http", `${network}.10`);
        const [words] = await started(pod);
        assert.equal(last(words), "--join=http://first-pd-0.first-pd-peer.other.svc:2379");
    });

    describe("gives PD's addresses across Kubernetes clusters to", () => {
        const urls = "http://basic-pd:2379,http://far.two.example:2379";
        const bare = urls.replaceAll("http://", "");
        const expected: [script: string, second: boolean, words: string | RegExp][] = [
            ["tikv", false, `--pd=${urls}`],
            ["tikv", true, `--pd=${bare}`],
            ["tidb", false, `--path=${bare}`],
            ["ticdc/ticdc", false, `--pd=${urls}`],
            ["pump/pump", false, `-pd-urls=${urls}`],
        ];
        for (const [name, second, word] of expected) {
            it(`${name.split("/")[0]}${second ? ", second script" : ""}`, async () => {
                elsewhere = [{ name: "far", url: "http://far.two.example" }];
                await servePd("http", `${network}.10`);
                await discover({ acrossK8s: true, clusterDomain: "one.example" });
                const variant = `across Kubernetes clusters${second ? ", second scripts" : ""}`;
                const script = renderedScripts(variant)[name];
                const [words] = await started(start(`basic-${name.split("/")[0]}-0`, script));
                assert.ok(
                    words.some((one) => one === word),
                    `${String(word)} among ${words.join(" ")}`,
                );
            });
        }

        it("tiflash, whose init container writes them into its configuration", async () => {
            elsewhere = [{ name: "far", url: "http://far.two.example" }];
            await servePd("http", `${network}.10`);
            await discover({ acrossK8s: true, clusterDomain: "one.example" });
            const pod = start("basic-tiflash-0", renderedScripts("across Kubernetes clusters")["tiflash/init"]);
            const { code, output } = await runs[0].done;
            assert.equal(code, 0, output);
            assert.match(readFileSync(join(pod.data, "config.toml"), "utf8"), new RegExp(`"${bare}"`));
        });

        it("tikv of a cluster without PD: the other cluster's", async () => {
            await discover({
                ...{ acrossK8s: true, hasPd: false },
                referenceCluster: { name: "first", namespace: "other", clusterDomain: "two.example" },
            });
            const [words] = await started(start("basic-tikv-0", renderedScripts("across Kubernetes clusters").tikv));
            assert.equal(words[0], "--pd=http://first-pd-peer.other.svc.two.example:2379");
        });
    });
});
