import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pdStartScript } from "../../../components/pd/startScript";
import { pdMicroserviceStartScript } from "../../../components/pdms/startScript";
import { tidbStartScript } from "../../../components/tidb/startScript";
import { tikvStartScript } from "../../../components/tikv/startScript";
import { createPod, shells, type Pod, type RunOptions } from "./scriptRun";

const basic = { clusterName: "basic", scheme: "http" } as const;

/** Arguments as reference documentation of the operator lists them (start scripts, arguments in order). */
const pd = (scheme: string, name: string, domain: string) => [
    "--data-dir=DATA",
    `--name=${name}`,
    `--peer-urls=${scheme}://0.0.0.0:2380`,
    `--advertise-peer-urls=${scheme}://${domain}:2380`,
    `--client-urls=${scheme}://0.0.0.0:2379`,
    `--advertise-client-urls=${scheme}://${domain}:2379`,
    "--config=/etc/pd/pd.toml",
];
const pdDomain = "basic-pd-1.basic-pd-peer.tidb.svc";
const tikvDomain = "basic-tikv-1.basic-tikv-peer.tidb.svc";

interface Row {
    title: string;
    pod: string;
    script: string;
    environment?: Record<string, string>;
    /** DATA stands for the folder of the data volume. */
    expected: string[];
}

const tikv = (pdAddress: string, listen = "0.0.0.0", statusFirst: string[] = [], statusLast: string[] = []) => [
    `--pd=${pdAddress}`,
    `--advertise-addr=${tikvDomain}:20160`,
    `--addr=${listen}:20160`,
    `--status-addr=${listen}:20180`,
    ...statusFirst,
    "--data-dir=DATA",
    "--capacity=0",
    "--config=/etc/tikv/tikv.toml",
    ...statusLast,
];
const status = `--advertise-status-addr=${tikvDomain}:20180`;
const tidb = (...more: string[]) => [
    "--store=tikv",
    "--advertise-address=basic-tidb-1.basic-tidb-peer.tidb.svc",
    "--host=0.0.0.0",
    "--path=basic-pd:2379",
    "--config=/etc/tidb/tidb.toml",
    ...more,
];

const tsoDomain = "basic-tso-1.basic-tso-peer.tidb.svc";
const tso = (scheme: string, pdAddress: string, ...name: string[]) => [
    "services",
    "tso",
    ...name,
    `--listen-addr=${scheme}://0.0.0.0:2379`,
    `--advertise-listen-addr=${scheme}://${tsoDomain}:2379`,
    `--backend-endpoints=${pdAddress}`,
    "--config=/etc/pd/pd.toml",
];
const service = { ...basic, name: "tso", isNamed: true } as const;

const rows: Row[] = [
    {
        title: "PD of microservices serves the API",
        pod: "basic-pd-1",
        script: pdStartScript({ ...basic, microservices: true, featureFlags: ["NoWaitDNS"] }),
        expected: ["services", "api", ...pd("http", "basic-pd-1", pdDomain)],
    },
    {
        title: "PD's microservice",
        pod: "basic-tso-1",
        script: pdMicroserviceStartScript(service),
        expected: tso("http", "http://basic-pd:2379", "--name=basic-tso-1"),
    },
    {
        title: "PD's microservice with TLS, of a version without names",
        pod: "basic-tso-1",
        script: pdMicroserviceStartScript({ ...service, scheme: "https", isNamed: false }),
        expected: tso("https", "https://basic-pd:2379"),
    },
    {
        title: "PD's microservice that prefers given addresses",
        pod: "basic-tso-1",
        script: pdMicroserviceStartScript({
            ...service,
            featureFlags: ["PreferPDAddressesOverDiscovery"],
            pdAddresses: ["http://elsewhere-0:2379", "elsewhere-1"],
        }),
        expected: tso("http", "elsewhere-0:2379,elsewhere-1:2379", "--name=basic-tso-1"),
    },
    {
        title: "PD with data",
        pod: "basic-pd-1",
        script: pdStartScript(basic),
        expected: pd("http", "basic-pd-1", pdDomain),
    },
    {
        title: "PD with TLS",
        pod: "basic-pd-1",
        script: pdStartScript({ ...basic, scheme: "https" }),
        expected: pd("https", "basic-pd-1", pdDomain),
    },
    {
        title: "PD across Kubernetes clusters is named by its host",
        pod: "basic-pd-1",
        script: pdStartScript({ ...basic, acrossK8s: true, clusterDomain: "one.example" }),
        expected: pd("http", `${pdDomain}.one.example`, `${pdDomain}.one.example`),
    },
    {
        title: "PD on IPv6",
        pod: "basic-pd-1",
        script: pdStartScript({ ...basic, preferIPv6: true }),
        expected: pd("http", "basic-pd-1", pdDomain).map((word) => word.replace("0.0.0.0", "[::]")),
    },
    {
        title: "PD on the node's network takes its name from POD_NAME",
        pod: "node-7",
        script: pdStartScript(basic),
        environment: { POD_NAME: "basic-pd-1" },
        expected: pd("http", "basic-pd-1", pdDomain),
    },
    {
        title: "PD that prefers given addresses joins them, by the peer port (v2)",
        pod: "basic-pd-1",
        script: pdStartScript({
            ...basic,
            version: "v2",
            featureFlags: ["PreferPDAddressesOverDiscovery"],
            pdAddresses: ["http://elsewhere-0:2379", "elsewhere-1"],
        }),
        expected: [...pd("http", "basic-pd-1", pdDomain), "--join=http://elsewhere-0:2380,http://elsewhere-1:2380"],
    },
    { title: "TiKV", pod: "basic-tikv-1", script: tikvStartScript(basic), expected: tikv("http://basic-pd:2379") },
    {
        title: "TiKV with TLS",
        pod: "basic-tikv-1",
        script: tikvStartScript({ ...basic, scheme: "https" }),
        expected: tikv("https://basic-pd:2379"),
    },
    {
        title: "TiKV like the second script names PD without scheme",
        pod: "basic-tikv-1",
        script: tikvStartScript({ ...basic, version: "v2", enableDynamicConfiguration: true }),
        expected: tikv("basic-pd:2379", "0.0.0.0", [], [status]),
    },
    {
        title: "TiKV tells its status address with dynamic configuration",
        pod: "basic-tikv-1",
        script: tikvStartScript({ ...basic, enableDynamicConfiguration: true }),
        expected: tikv("http://basic-pd:2379", "0.0.0.0", [status]),
    },
    {
        title: "TiKV on IPv6",
        pod: "basic-tikv-1",
        script: tikvStartScript({ ...basic, preferIPv6: true }),
        expected: tikv("http://basic-pd:2379", "[::]"),
    },
    {
        title: "TiKV with capacity and store labels",
        pod: "basic-tikv-1",
        script: tikvStartScript(basic),
        environment: { CAPACITY: "100GB", STORE_LABELS: "zone=a,host=b" },
        expected: [
            ...tikv("http://basic-pd:2379").map((word) => (word === "--capacity=0" ? "--capacity=100GB" : word)),
            "--labels",
            "zone=a,host=b",
        ],
    },
    {
        title: "TiKV of a cluster that joins another",
        pod: "basic-tikv-1",
        script: tikvStartScript({ ...basic, hasPd: false, referenceCluster: { name: "first" } }),
        expected: tikv("http://first-pd:2379"),
    },
    {
        title: "TiKV of a cluster that joins another in another namespace",
        pod: "basic-tikv-1",
        script: tikvStartScript({
            ...basic,
            hasPd: false,
            referenceCluster: { name: "first", namespace: "other", clusterDomain: "one.example" },
        }),
        expected: tikv("http://first-pd.other.svc.one.example:2379"),
    },
    {
        title: "TiKV that prefers given addresses (v2)",
        pod: "basic-tikv-1",
        script: tikvStartScript({
            ...basic,
            version: "v2",
            featureFlags: ["PreferPDAddressesOverDiscovery"],
            pdAddresses: ["http://elsewhere-0:2379", "elsewhere-1"],
        }),
        expected: tikv("elsewhere-0:2379,elsewhere-1:2379"),
    },
    { title: "TiDB", pod: "basic-tidb-1", script: tidbStartScript(basic), expected: tidb() },
    {
        title: "TiDB with binlog, slow log, plugins and arguments",
        pod: "basic-tidb-1",
        script: tidbStartScript({
            ...basic,
            plugins: ["audit-1", "whitelist-1"],
            arguments: ["--run-ddl=false", '--x=it\'s $ "5" `id` \\', "--pod=$POD_NAME:${NAMESPACE}"],
        }),
        environment: { POD_NAME: "basic-tidb-1", BINLOG_ENABLED: "true", SLOW_LOG_FILE: "/var/log/tidb/slowlog" },
        expected: tidb(
            "--enable-binlog=true",
            "--log-slow-query=/var/log/tidb/slowlog",
            ...["--plugin-dir", "/plugins", "--plugin-load", "audit-1,whitelist-1"],
            "--run-ddl=false",
            '--x=it\'s $ "5" `id` \\',
            "--pod=basic-tidb-1:tidb",
        ),
    },
    {
        title: "TiDB like the second script: plugins before the slow log",
        pod: "basic-tidb-1",
        script: tidbStartScript({ ...basic, version: "v2", plugins: ["audit-1"], arguments: ["--run-ddl=false"] }),
        environment: { BINLOG_ENABLED: "false", SLOW_LOG_FILE: "/var/log/tidb/slowlog" },
        expected: tidb(
            ...["--plugin-dir", "/plugins", "--plugin-load", "audit-1"],
            "--log-slow-query=/var/log/tidb/slowlog",
            "--run-ddl=false",
        ),
    },
];

describe("start scripts: the arguments of the programs", () => {
    let pod: Pod;
    afterEach(() => pod.remove());

    async function startedWith(name: string, script: string, options: RunOptions): Promise<string[]> {
        pod = createPod(name);
        mkdirSync(join(pod.data, "member", "wal"), { recursive: true });
        const { code, output } = await pod.run(script, options).done;
        assert.equal(code, 0, output);
        assert.equal(pod.starts().length, 1, output);
        return pod.starts()[0];
    }

    for (const shell of shells) {
        for (const row of rows) {
            it(`${shell.name}: ${row.title}`, async () => {
                const words = await startedWith(row.pod, row.script, {
                    shell: shell.command,
                    environment: row.environment,
                });
                assert.deepEqual(
                    words.map((word) => word.replace(pod.data, "DATA")),
                    row.expected,
                );
            });
        }
    }

    it("include a folder in the data volume as the member's data folder", async () => {
        const words = await startedWith("basic-tikv-1", tikvStartScript({ ...basic, dataSubDir: "a/b" }), {});
        assert.ok(words.includes(`--data-dir=${pod.data}/a/b`), words.join(" "));
    });

    it("include, for PD that has joined, the members it joined, from the file it left", async () => {
        pod = createPod("basic-pd-1");
        writeFileSync(join(pod.data, "join"), "basic-pd-0=http://a:2380,basic-pd-1=http://b:2380\n");
        const { code, output } = await pod.run(pdStartScript(basic)).done;
        assert.equal(code, 0, output);
        assert.equal(pod.starts()[0].at(-1), "--join=http://a:2380,http://b:2380");
    });
});
