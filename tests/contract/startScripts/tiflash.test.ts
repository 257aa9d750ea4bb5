import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
    tiflashInitScript,
    tiflashStartScript,
    type TiflashStartScriptOptions,
} from "../../../components/tiflash/startScript";
import { createPod, type Pod, type RunOptions, shells } from "./scriptRun";
import { itPassesShellcheck } from "./shellcheck";

// Arguments as reference documentation of the operator lists them (start scripts, arguments in order).

const basic = { clusterName: "basic", scheme: "http", namespace: "tidb" } as const;
const domain = "basic-tiflash-1.basic-tiflash-peer.tidb.svc";
const start = (more: Partial<TiflashStartScriptOptions> = {}) => tiflashStartScript({ ...basic, ...more });
const init = (more: Partial<TiflashStartScriptOptions> = {}) => tiflashInitScript({ ...basic, ...more });
const itself = { readsConfigMap: true };

const words = (pd: string, more: { host?: string; status?: string[]; after?: string[] } = {}) => [
    "server",
    "--config-file",
    "/etc/tiflash/config_templ.toml",
    "--",
    `--flash.proxy.advertise-addr=${more.host ?? domain}:20170`,
    ...(more.status ?? []),
    `--flash.service_addr=${more.host ?? domain}:3930`,
    `--raft.pd_addr=${pd}`,
    ...(more.after ?? []),
];
const own = ["server", "--config-file", "/data0/config.toml"];

const rows: [title: string, script: string, expected: string[], environment?: Record<string, string>][] = [
    ["TiFlash", start(), own],
    ["TiFlash by the second scripts", start({ version: "v2" }), own],
    ["TiFlash that reads the ConfigMap itself", start(itself), words("http://basic-pd:2379")],
    ["the same with TLS", start({ ...itself, scheme: "https" }), words("https://basic-pd:2379")],
    ["the same by the second scripts", start({ ...itself, version: "v2" }), words("basic-pd:2379")],
    [
        "the same with dynamic configuration",
        start({ ...itself, enableDynamicConfiguration: true }),
        words("http://basic-pd:2379", { status: [`--flash.proxy.advertise-status-addr=${domain}:20292`] }),
    ],
    [
        "the same in another Kubernetes cluster's domain",
        start({ ...itself, clusterDomain: "one.example" }),
        words("http://basic-pd:2379", { host: `${domain}.one.example` }),
    ],
    [
        "the same with PD of another cluster",
        start({ ...itself, hasPd: false, referenceCluster: { name: "main" } }),
        words("http://main-pd:2379"),
    ],
    [
        "the same with given addresses",
        start({
            ...itself,
            version: "v2",
            featureFlags: ["PreferPDAddressesOverDiscovery"],
            pdAddresses: ["http://a:2379", "http://b:2379"],
        }),
        words("a:2379,b:2379"),
    ],
    [
        "the same with labels of the store",
        start(itself),
        words("http://basic-pd:2379", { after: ["--labels", "zone=a,host=b"] }),
        { STORE_LABELS: "zone=a,host=b" },
    ],
];

/** Every script, once. */
const scripts = [
    ...new Set([
        ...rows.map(([, script]) => script),
        start({ ...itself, acrossK8s: true }),
        start({ ...itself, acrossK8s: true, discoveryMtls: true, scheme: "https" }),
        init(),
        init({ acrossK8s: true }),
        init({ acrossK8s: true, discoveryMtls: true, scheme: "https" }),
    ]),
];

const templates = {
    "config_templ.toml": 'service_addr = "basic-tiflash-POD_NUM.x:3930"\npd_addr = "PD_ADDR"\nother = "POD_NUM"\n',
    "proxy_templ.toml": 'engine-addr = "basic-tiflash-POD_NUM.x"\n',
};

describe("TiFlash's scripts", () => {
    let pod: Pod;
    afterEach(() => pod?.remove());

    async function run(script: string, options: RunOptions): Promise<{ code: number | null; output: string }> {
        const there = (folder: string) => join(pod.folder, folder);
        mkdirSync(there("data0"), { recursive: true });
        mkdirSync(there("etc"), { recursive: true });
        for (const [file, text] of Object.entries(templates)) {
            writeFileSync(join(there("etc"), file), text);
        }
        const moved = script
            .replaceAll("/tiflash/tiflash ", `${there("program")} `)
            .replace(/\/data0\/(config|proxy)\.toml$/gm, `${there("data0")}/$1.toml`)
            .replace(/ \/etc\/tiflash\/(\w+\.toml) >/g, ` ${there("etc")}/$1 >`);
        return pod.run(moved, options).done;
    }
    const written = (file: string) => readFileSync(join(pod.folder, "data0", file), "utf8");

    it("are left out if the pod only has to start TiFlash", () => {
        assert.equal(start(), "/tiflash/tiflash server --config-file /data0/config.toml");
    });

    for (const shell of shells) {
        it(`are valid for ${shell.name} -n`, () => {
            for (const script of scripts) {
                const [command, ...more] = shell.command;
                const { status, stderr } = spawnSync(command, [...more, "-n"], { input: script });
                assert.equal(status, 0, `${stderr.toString()}\n${script}`);
            }
        });

        for (const [title, script, expected, environment] of rows) {
            it(`${shell.name}: ${title}`, async () => {
                pod = createPod("basic-tiflash-1");
                const { output } = await run(script, { shell: shell.command, environment });
                const found = pod
                    .starts()
                    .at(-1)
                    ?.map((word) => word.replace(join(pod.folder, "data0"), "/data0"));
                assert.deepEqual(found, expected, output);
            });
        }

        it(`${shell.name}: put the pod's ordinal everywhere, in the init container`, async () => {
            pod = createPod("basic-tiflash-12");
            const environment = { POD_NAME: "basic-tiflash-12" };
            const { code, output } = await run(init(), { shell: shell.command, environment });
            assert.equal(code, 0, output);
            assert.equal(
                written("config.toml"),
                'service_addr = "basic-tiflash-12.x:3930"\npd_addr = "PD_ADDR"\nother = "12"\n',
            );
            assert.equal(written("proxy.toml"), 'engine-addr = "basic-tiflash-12.x"\n');
        });

        it(`${shell.name}: ask discovery until it answers across Kubernetes clusters, and accept hosts without a scheme`, async () => {
            const asked: string[] = [];
            const server = createServer((request, response) => {
                asked.push(request.url ?? "");
                response.statusCode = asked.length === 1 ? 500 : 200;
                response.end("http://one-pd:2379,https://two-pd:2379");
            }).listen(0, "127.0.0.1");
            await new Promise((resolve) => server.once("listening", resolve));
            pod = createPod("basic-tiflash-1");
            const { code, output } = await run(init({ acrossK8s: true }), {
                shell: shell.command,
                environment: { POD_NAME: "basic-tiflash-1" },
                discovery: `127.0.0.1:${(server.address() as AddressInfo).port}`,
            });
            server.close();
            assert.equal(code, 0, output);
            assert.match(written("config.toml"), /^pd_addr = "one-pd:2379,two-pd:2379"$/m);
            const url = Buffer.from("http://basic-pd:2379").toString("base64");
            assert.deepEqual(asked, [`/verify/${url}`, `/verify/${url}`]);
        });
    }

    itPassesShellcheck(scripts);
});
