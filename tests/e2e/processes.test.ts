import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keepFolder, type Sandbox, startNode, startSandbox, stopNode } from "pulumi-tidb-sandbox";
import { until } from "../support/e2e/expect";

/**
 * Takes the place of tikv-server: serves its status on the address that it gets, counts its starts in its data folder, says which addresses it finds,
 * and takes a second to end.
 */
const program = `#!/usr/local/bin/node
const fs = require("node:fs"), http = require("node:http"), dns = require("node:dns");
const argument = (name) => process.argv.find((one) => one.startsWith("--" + name + "=")).split("=")[1];
const [host, port] = argument("status-addr").split(":");
const file = argument("data-dir") + "/starts";
const starts = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) + 1 : 1;
fs.writeFileSync(file, String(starts));
console.log(JSON.stringify({ host, starts, pod: process.env.POD_NAME, files: fs.readFileSync("/etc/podinfo/annotations", "utf8") }));
const serve = () => http.createServer((request, response) => {
    dns.lookup(request.url.slice(1), { all: true }, (error, found) => response.end(JSON.stringify({ error: error?.code, found, own: process.pid, mark: fs.readFileSync("/etc/marks/mark", "utf8") })));
}).listen(Number(port), host);
serve();
process.on("SIGTERM", () => { console.log("SIGTERM"); if (process.env.DEAF !== "yes") setTimeout(() => process.exit(0), 1000); });
`;

/** Tries to change the machine, and says what it may. */
const prepare = `
for file in /proc/sys/vm/swappiness /sys/kernel/mm/ksm/run /usr/written /usr/lib/written; do
    if ( : >>$file ) 2>/dev/null; then echo "wrote $file"; fi
done
if mount -t tmpfs tmpfs /tmp 2>/dev/null; then echo mounted; fi
echo $(ls /dev)
`;

const namespace = "default";
const labels = {
    "app.kubernetes.io/name": "tidb-cluster",
    "app.kubernetes.io/instance": "c",
    "app.kubernetes.io/component": "tikv",
};

function container(more: Partial<k8s.V1Container> = {}): k8s.V1Container {
    return {
        name: "tikv",
        image: "pingcap/tikv:v1",
        command: ["/bin/sh", "/usr/local/bin/start.sh"],
        env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        ports: [{ name: "status", containerPort: 20180 }],
        readinessProbe: { tcpSocket: { port: 20180 }, periodSeconds: 1 },
        lifecycle: {
            // Nothing may run before the container's own files stand.
            postStart: { exec: { command: ["/bin/sh", "-c", "[ -e /sandbox/stands ]"] } },
            preStop: { exec: { command: ["/bin/sh", "-c", "echo $POD_NAME > /var/lib/tikv/stopping"] } },
        },
        volumeMounts: [
            { name: "tikv", mountPath: "/var/lib/tikv" },
            { name: "script", mountPath: "/usr/local/bin/start.sh", subPath: "start.sh" },
            { name: "podinfo", mountPath: "/etc/podinfo", readOnly: true },
            { name: "marks", mountPath: "/etc/marks" },
        ],
        ...more,
    };
}

function statefulSet(): k8s.V1StatefulSet {
    return {
        metadata: { name: "c-tikv", namespace },
        spec: {
            replicas: 2,
            serviceName: "c-tikv-peer",
            podManagementPolicy: "Parallel",
            updateStrategy: { type: "OnDelete" },
            selector: { matchLabels: labels },
            template: {
                metadata: { labels, annotations: { mark: 'a "b"' } },
                spec: {
                    terminationGracePeriodSeconds: 4,
                    initContainers: [
                        {
                            name: "sysctl",
                            image: "busybox",
                            command: ["sh", "-c", "exit 1"],
                            securityContext: { privileged: true },
                        },
                        {
                            name: "prepare",
                            image: "busybox",
                            command: ["sh", "-c", prepare],
                            // As PD, whose scripts hide what the container's root has there.
                            volumeMounts: [{ name: "script", mountPath: "/usr/local/bin" }],
                        },
                    ],
                    containers: [container()],
                    volumes: [
                        { name: "script", configMap: { name: "script" } },
                        { name: "marks", projected: { sources: [{ configMap: { name: "marks" } }] } },
                        {
                            name: "podinfo",
                            downwardAPI: {
                                items: [{ path: "annotations", fieldRef: { fieldPath: "metadata.annotations" } }],
                            },
                        },
                    ],
                },
            },
            volumeClaimTemplates: [
                {
                    metadata: { name: "tikv" },
                    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
                },
            ],
        },
    };
}

describe("pods that run as processes", () => {
    let sandbox: Sandbox;
    let core: k8s.CoreV1Api;
    let apps: k8s.AppsV1Api;
    let batch: k8s.BatchV1Api;
    const binaries = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-programs-"));
    const lines: string[] = [];
    const pod = (name: string) => core.readNamespacedPod({ namespace, name });
    const own = async (name: string) => (await pod(name)).status?.containerStatuses?.[0];
    const logOf = (name: string, previous = false) =>
        core.readNamespacedPodLog({ namespace, name, container: "tikv", previous });
    const ready = (name: string, besides?: string) =>
        until(`${name} is Ready`, async () => {
            try {
                const { metadata, status } = await pod(name);
                const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True");
                return isReady && metadata?.uid !== besides ? metadata?.uid : undefined;
            } catch {
                return undefined; // It is being made.
            }
        });
    const ask = async (name: string, question = "localhost") => {
        const answer = await fetch(`http://${sandbox.processes?.address(namespace, name)}:20180/${question}`);
        return (await answer.json()) as { error?: string; found: { address: string }[]; own: number; mark: string };
    };
    const mounts = () => fs.readFileSync("/proc/self/mounts", "utf8");

    before(async () => {
        for (const name of ["pd-server", "tikv-server"]) {
            fs.writeFileSync(path.join(binaries, name), program, { mode: 0o755 });
        }
        sandbox = await startSandbox({
            processes: binaries,
            programs: { getent: "/usr/bin/getent" },
            log: (line) => lines.push(line),
        });
        await connect();
        const script =
            "exec /tikv-server --addr=0.0.0.0:20160 --status-addr=0.0.0.0:20180 --data-dir=/var/lib/tikv --config=/none\n";
        await core.createNamespacedConfigMap({
            namespace,
            body: { metadata: { name: "script" }, data: { "start.sh": script } },
        });
        await core.createNamespacedConfigMap({
            namespace,
            body: { metadata: { name: "marks" }, data: { mark: "first" } },
        });
        await core.createNamespacedService({
            namespace,
            body: {
                metadata: { name: "c-tikv-peer" },
                spec: { clusterIP: "None", selector: labels, ports: [{ port: 20180 }], publishNotReadyAddresses: true },
            },
        });
        await apps.createNamespacedStatefulSet({ namespace, body: statefulSet() });
    });
    after(async () => {
        await sandbox?.down();
        fs.rmSync(binaries, { recursive: true });
    });

    it("are Ready when their probes say so, each at its own loopback address, and find each other by name", async () => {
        await Promise.all([ready("c-tikv-0"), ready("c-tikv-1")]);
        const [first, second] = ["c-tikv-0", "c-tikv-1"].map((name) => sandbox.processes?.address(namespace, name));
        assert.notEqual(first, second);
        const { found, own: processId } = await ask("c-tikv-0", "c-tikv-1.c-tikv-peer.default.svc");
        assert.deepEqual(
            found.map(({ address }) => address),
            [second],
        );
        assert.equal(processId, 1, "the first process of its container");
        assert.equal((await ask("c-tikv-0", "kubernetes.io")).error, "ENOTFOUND");
    });

    it("have the log of their start script, with their files and variables", async () => {
        const log = await logOf("c-tikv-0");
        const { host, starts, pod: name, files } = JSON.parse(log.split("\n")[0]) as Record<string, unknown>;
        assert.deepEqual([host, starts, name], [sandbox.processes?.address(namespace, "c-tikv-0"), 1, "c-tikv-0"]);
        assert.ok(String(files).includes('mark="a \\"b\\""'), String(files));
        assert.equal(
            await core.readNamespacedPodLog({ namespace, name: "c-tikv-0", container: "prepare" }),
            "fd full null random shm stderr stdin stdout tty urandom zero\n",
            "nothing of the machine can be written, and there are no disks",
        );
    });

    it("are found by name from the pod of a Job, whose command runs as a process too", async () => {
        const spec: k8s.V1PodSpec = {
            restartPolicy: "Never",
            containers: [{ name: "ask", image: "any", command: ["getent", "hosts", "c-tikv-1.c-tikv-peer.default"] }],
        };
        await batch.createNamespacedJob({
            namespace,
            body: { metadata: { name: "ask" }, spec: { template: { spec } } },
        });
        const name = await until("its pod has ended", async () => {
            const { items } = await core.listNamespacedPod({ namespace, labelSelector: "job-name=ask" });
            return items[0]?.status?.phase === "Succeeded" ? items[0].metadata?.name : undefined;
        });
        const address = sandbox.processes?.address(namespace, "c-tikv-1");
        assert.match(await core.readNamespacedPodLog({ namespace, name }), new RegExp(`^${address} `));
    });

    it("change nothing of this machine, and run no privileged container", () => {
        assert.ok(!mounts().includes(sandbox.folder), mounts());
        assert.ok(!fs.existsSync("/tikv-server"));
        assert.ok(
            lines.some((line) => /container sysctl is not run: it is privileged/.test(line)),
            lines.join("\n"),
        );
    });

    it("see a ConfigMap that changes while they run", async () => {
        assert.equal((await ask("c-tikv-0")).mark, "first");
        const body = [{ op: "replace", path: "/data/mark", value: "second" }];
        await core.patchNamespacedConfigMap({ namespace, name: "marks", body });
        await until("the file has changed", async () => ((await ask("c-tikv-0")).mark === "second" ? true : undefined));
    });

    it("start again when their process ends, with the same address and data, and the log before", async () => {
        const address = sandbox.processes?.address(namespace, "c-tikv-0");
        sandbox.processes?.signal(namespace, "c-tikv-0", "SIGKILL");
        await until("it was started again", async () =>
            (await own("c-tikv-0"))?.restartCount === 1 ? true : undefined,
        );
        await ready("c-tikv-0");
        const status = await own("c-tikv-0");
        assert.equal(status?.lastState?.terminated?.exitCode, 137);
        assert.equal(sandbox.processes?.address(namespace, "c-tikv-0"), address);
        assert.match(await logOf("c-tikv-0"), /"starts":2/);
        assert.match(await logOf("c-tikv-0", true), /"starts":1/);
    });

    it("end by their hook, then SIGTERM, and their successor has their data", async () => {
        const uid = await ready("c-tikv-1");
        const began = Date.now();
        await core.deleteNamespacedPod({ namespace, name: "c-tikv-1" });
        await ready("c-tikv-1", uid);
        assert.ok(Date.now() - began >= 1_000, "its process took a second to end");
        assert.match(await logOf("c-tikv-1"), /"starts":2/);
        const claim = await sandbox.dataPlane.jobs?.claimFolder(namespace, "tikv-c-tikv-1");
        assert.equal(fs.readFileSync(path.join(claim ?? "", "stopping"), "utf8"), "c-tikv-1\n");
    });

    it("are killed when their grace period is over", async () => {
        const body = [
            { op: "add", path: "/spec/template/spec/containers/0/env/-", value: { name: "DEAF", value: "yes" } },
        ];
        await apps.patchNamespacedStatefulSet({ namespace, name: "c-tikv", body });
        await core.deleteNamespacedPod({ namespace, name: "c-tikv-1" });
        const deaf = await ready("c-tikv-1", await uidOf("c-tikv-1"));
        const began = Date.now();
        await core.deleteNamespacedPod({ namespace, name: "c-tikv-1" });
        await ready("c-tikv-1", deaf);
        const took = Date.now() - began;
        assert.ok(took >= 3_000 && took < 15_000, `${took} ms`);
    });

    it("stop with their node, and start again with it", async () => {
        const { spec } = await pod("c-tikv-0");
        const node = spec?.nodeName ?? "";
        const [restarts, address] = [
            (await own("c-tikv-0"))?.restartCount ?? 0,
            sandbox.processes?.address(namespace, "c-tikv-0"),
        ];
        await stopNode(sandbox.kubeconfig, node);
        await until("its process is gone", () =>
            fetch(`http://${address}:20180/`).then(
                () => undefined,
                () => Promise.resolve(true),
            ),
        );
        await startNode(sandbox.kubeconfig, node);
        await until("it runs again", async () =>
            (await own("c-tikv-0"))?.restartCount === restarts + 1 ? true : undefined,
        );
        await ready("c-tikv-0");
        assert.equal(sandbox.processes?.address(namespace, "c-tikv-0"), address);
    });

    it("wait as for an image if there is no program of its version", async () => {
        fs.renameSync(path.join(binaries, "tikv-server"), path.join(binaries, "tikv-server-v1"));
        const body = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "pingcap/tikv:v2" }];
        await apps.patchNamespacedStatefulSet({ namespace, name: "c-tikv", body });
        await core.deleteNamespacedPod({ namespace, name: "c-tikv-0" });
        const waiting = await until("it waits", async () => {
            try {
                return (await own("c-tikv-0"))?.state?.waiting;
            } catch {
                return undefined; // It is being made.
            }
        });
        assert.equal(waiting.reason, "ImagePullBackOff");
        assert.match(waiting.message ?? "", /no tikv-server of v2 in .*: tiup install tikv:v2/);
        const { metadata, spec } = await pod("c-tikv-0");
        await core.deleteNamespacedPod({ namespace, name: "c-tikv-0" });
        await until("its successor waits too", async () => {
            const uid = await uidOf("c-tikv-0").catch(() => undefined);
            return uid !== undefined && uid !== metadata?.uid ? uid : undefined;
        });
        const node = spec?.nodeName ?? "";
        await stopNode(sandbox.kubeconfig, node);
        await startNode(sandbox.kubeconfig, node);
        fs.copyFileSync(path.join(binaries, "tikv-server-v1"), path.join(binaries, "tikv-server-v2"));
        await ready("c-tikv-0");
        const starts = JSON.parse((await logOf("c-tikv-0")).split("\n")[0]) as { starts: number };
        await sleep(6_000);
        const later = JSON.parse((await logOf("c-tikv-0")).split("\n")[0]) as { starts: number };
        assert.equal(later.starts, starts.starts, "one process has its folder");
    });

    it("stay while they are deleted on a node that has stopped", async () => {
        const { metadata, spec } = await pod("c-tikv-0");
        const node = spec?.nodeName ?? "";
        await stopNode(sandbox.kubeconfig, node);
        await core.deleteNamespacedPod({ namespace, name: "c-tikv-0", gracePeriodSeconds: 1 });
        await sleep(3_000);
        assert.equal(await uidOf("c-tikv-0"), metadata?.uid);
        await startNode(sandbox.kubeconfig, node);
        await ready("c-tikv-0", metadata?.uid);
    });

    it("are gone with their sandbox, which continues with its data if it was kept", async () => {
        const { name } = sandbox;
        keepFolder(sandbox.folder);
        const address = sandbox.processes?.address(namespace, "c-tikv-0");
        const uid = await ready("c-tikv-0");
        await sandbox.down();
        await assert.rejects(fetch(`http://${address}:20180/`));
        // A start that fails, before or after it took the folder, loses nothing.
        await assert.rejects(startSandbox({ name, processes: "/none" }), /found no pd-server and tikv-server/);
        const broken = { "x/y": "/bin/sh" };
        await assert.rejects(startSandbox({ name, programs: broken }), /ENOENT/);
        sandbox = await startSandbox({ name });
        await connect();
        assert.equal(await until("its process runs again", () => startsOf("c-tikv-0")), uid);
    });

    /** The UID of a pod that has started again with the data that it had. */
    async function startsOf(name: string): Promise<string | undefined> {
        const restarts = (await own(name))?.restartCount ?? 0;
        const log = await logOf(name).catch(() => "");
        return restarts > 0 && /"starts":[2-9]/.test(log) ? uidOf(name) : undefined;
    }

    async function connect(): Promise<void> {
        const client = await import("@kubernetes/client-node");
        const config = new client.KubeConfig();
        config.loadFromFile(sandbox.kubeconfig);
        core = config.makeApiClient(client.CoreV1Api);
        apps = config.makeApiClient(client.AppsV1Api);
        batch = config.makeApiClient(client.BatchV1Api);
    }

    const uidOf = async (name: string) => (await pod(name)).metadata?.uid;
});
