import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { AwsClient } from "aws4fetch";
import * as assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
    missingImageTag,
    startControlPlane,
    startNode,
    startSandbox,
    stopNode,
    type ControlPlane,
    type Sandbox,
} from "pulumi-tidb-sandbox";
import { choosePorts, findFreePorts } from "../../sandbox/controlPlane/ports";
import { isRunning } from "../../sandbox/controlPlane/processes";

const repository = path.resolve(__dirname, "../..");
const namespace = "default";

async function until<T>(what: string, milliseconds: number, probe: () => Promise<T | undefined>): Promise<T> {
    for (const deadline = Date.now() + milliseconds; Date.now() < deadline; await sleep(50)) {
        const found = await probe();
        if (found !== undefined) {
            return found;
        }
    }
    throw new Error(`${what}: not within ${milliseconds / 1000} s`);
}

function statefulSet(name: string, image: string, replicas = 3, resources = {}): k8s.V1StatefulSet {
    return {
        metadata: { name },
        spec: {
            replicas,
            serviceName: name,
            podManagementPolicy: "Parallel",
            updateStrategy: { type: "OnDelete" },
            selector: { matchLabels: { app: name } },
            template: {
                metadata: { labels: { app: name } },
                spec: {
                    containers: [
                        { name: "main", image, resources, volumeMounts: [{ name: "data", mountPath: "/data" }] },
                    ],
                },
            },
            volumeClaimTemplates: [
                {
                    metadata: { name: "data" },
                    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } },
                },
            ],
        },
    };
}

async function clientsOf(kubeconfigFile: string) {
    const k8s = await import("@kubernetes/client-node");
    const kubeconfig = new k8s.KubeConfig();
    kubeconfig.loadFromFile(kubeconfigFile);
    const core = kubeconfig.makeApiClient(k8s.CoreV1Api);
    const apps = kubeconfig.makeApiClient(k8s.AppsV1Api);
    const custom = kubeconfig.makeApiClient(k8s.CustomObjectsApi);
    const pods = async (app: string) =>
        (await core.listNamespacedPod({ namespace, labelSelector: `app=${app}` })).items.sort((a, b) =>
            (a.metadata?.name ?? "").localeCompare(b.metadata?.name ?? ""),
        );
    const isReady = (pod: Awaited<ReturnType<typeof pods>>[number]): boolean =>
        pod.status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
    return { k8s, kubeconfig, core, apps, custom, pods, isReady };
}

describe("a sandbox", function () {
    this.timeout(600_000); // The first run on a machine may have to build the programs.
    let one: Sandbox;
    let clients: Awaited<ReturnType<typeof clientsOf>>;

    before(async () => {
        one = await startSandbox({ log: (line) => console.log(`        ${line}`) });
        clients = await clientsOf(one.kubeconfig);
    });
    after(async () => {
        await one?.down();
    });

    it("has six nodes in three zones that are Ready", async () => {
        const { items } = await clients.core.listNode();
        const zones = items.map((node) => node.metadata?.labels?.["topology.kubernetes.io/zone"]);
        assert.equal(items.length, 6);
        assert.equal(new Set(zones).size, 3);
        for (const node of items) {
            assert.equal(node.status?.conditions?.find((each) => each.type === "Ready")?.status, "True");
            assert.deepEqual(node.spec?.taints ?? [], []);
        }
        const version = clients.kubeconfig.makeApiClient(clients.k8s.VersionApi);
        assert.match((await version.getCode()).gitVersion, /^v1\.36\./);
    });

    it("brings up a StatefulSet of 3 with a volume each, in seconds", async () => {
        await clients.apps.createNamespacedStatefulSet({ namespace, body: statefulSet("db", "db:1") });
        const pods = await until("3 pods Ready", 15_000, async () => {
            const found = await clients.pods("db");
            return found.length === 3 && found.every(clients.isReady) ? found : undefined;
        });
        assert.equal(new Set(pods.map((pod) => pod.status?.podIP)).size, 3);
        for (const pod of pods) {
            const ready = pod.status?.conditions?.find((each) => each.type === "Ready");
            assert.ok(ready?.lastTransitionTime instanceof Date);
        }
        const claims = (await clients.core.listNamespacedPersistentVolumeClaim({ namespace })).items;
        assert.deepEqual(
            claims.map((claim) => [claim.status?.phase, claim.status?.capacity?.storage]),
            Array(3).fill(["Bound", "5Gi"]),
        );
    });

    it("restarts a pod on the StatefulSet's new revision when it is deleted, and not before", async () => {
        const { core, apps, k8s } = clients;
        const merge = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.StrategicMergePatch);
        const containers = [{ name: "main", image: "db:2" }];
        const body = { spec: { template: { spec: { containers } } } };
        await apps.patchNamespacedStatefulSet({ namespace, name: "db", body }, merge);
        await until("the new revision", 5000, async () => {
            const { status } = await apps.readNamespacedStatefulSet({ namespace, name: "db" });
            return status?.updateRevision !== status?.currentRevision ? true : undefined;
        });
        const before = await clients.pods("db");
        assert.deepEqual(
            before.map((pod) => pod.spec?.containers[0].image),
            ["db:1", "db:1", "db:1"],
        );
        await core.deleteNamespacedPod({ namespace, name: "db-1" });
        const again = await until("db-1 is back", 5000, async () =>
            (await clients.pods("db")).find(
                (pod) =>
                    pod.metadata?.name === "db-1" &&
                    pod.metadata.uid !== before[1].metadata?.uid &&
                    clients.isReady(pod),
            ),
        );
        assert.equal(again.spec?.containers[0].image, "db:2");
    });

    it("loses a node that is stopped with the processes on it, and has both again when it is started", async () => {
        const { core, isReady } = clients;
        const labels = {
            "app.kubernetes.io/name": "tidb-cluster",
            "app.kubernetes.io/instance": "basic",
            "app.kubernetes.io/component": "pd",
        };
        const spec = { containers: [{ name: "pd", image: "pingcap/pd:v8.5.3" }] };
        await core.createNamespacedPod({ namespace, body: { metadata: { name: "basic-pd-0", labels }, spec } });
        const leader = () => one.dataPlane.cluster(namespace, "basic")?.leader();
        const pod = () => core.readNamespacedPod({ namespace, name: "basic-pd-0" });
        await until("PD leads", 10_000, () => Promise.resolve(leader()));
        const node = (await pod()).spec?.nodeName ?? "";
        const ready = async () =>
            (await core.readNode({ name: node })).status?.conditions?.find(({ type }) => type === "Ready");

        const stopped = await stopNode(one.kubeconfig, node);
        assert.ok(stopped.some(({ name }) => name === "basic-pd-0"));
        await until("PD is gone", 5_000, () => Promise.resolve(leader() === undefined || undefined));
        assert.equal((await ready())?.status, "True", "only missing heartbeats tell Kubernetes");
        await until(
            "Kubernetes misses the node",
            90_000,
            async () => (await ready())?.status === "Unknown" || undefined,
        );
        assert.equal((await ready())?.reason, "NodeStatusUnknown");
        await until("its pod is not Ready", 10_000, async () => !isReady(await pod()) || undefined);

        assert.deepEqual(await startNode(one.kubeconfig, node), stopped);
        await until("PD leads again", 5_000, () => Promise.resolve(leader()));
        assert.equal((await ready())?.status, "True");
        assert.ok(isReady(await pod()));
        assert.equal((await pod()).status?.containerStatuses?.[0].restartCount, 1);
        await until("it has no taints", 10_000, async () => {
            const { spec: of } = await core.readNode({ name: node });
            return (of?.taints ?? []).length === 0 || undefined;
        });
        await core.deleteNamespacedPod({ namespace, name: "basic-pd-0" });
        await until("KWOK plays its pods again", 10_000, async () => {
            const { items } = await core.listNamespacedPod({ namespace });
            return items.every(({ metadata }) => metadata?.name !== "basic-pd-0") || undefined;
        });
        await assert.rejects(startNode(one.kubeconfig, node), { message: `node ${node} has not been stopped` });
        await assert.rejects(
            stopNode(one.kubeconfig, "node-6"),
            /^Error: found no node "node-6", expected one of node-0, .*node-5$/,
        );
    });

    it("grows a claim's volume", async () => {
        const { core, k8s } = clients;
        const merge = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch);
        const body = { spec: { resources: { requests: { storage: "8Gi" } } } };
        await core.patchNamespacedPersistentVolumeClaim({ namespace, name: "data-db-0", body }, merge);
        const claim = await until("the claim has 8Gi", 5000, async () => {
            const found = await core.readNamespacedPersistentVolumeClaim({ namespace, name: "data-db-0" });
            return found.status?.capacity?.storage === "8Gi" ? found : undefined;
        });
        const volume = await core.readPersistentVolume({ name: claim.spec?.volumeName ?? "" });
        assert.equal(volume.spec?.capacity?.storage, "8Gi");
    });

    it("leaves a pod Pending with ImagePullBackOff when its image does not exist, again when it is made again", async () => {
        const { core } = clients;
        await clients.apps.createNamespacedStatefulSet({
            namespace,
            body: statefulSet("bad", `db:${missingImageTag}`, 1),
        });
        const waiting = (unlike?: string) =>
            until("bad-0 waits for its image", 10_000, async () => {
                const [pod] = await clients.pods("bad");
                const reason = pod?.status?.containerStatuses?.[0].state?.waiting?.reason;
                return pod?.metadata?.uid !== unlike && reason === "ImagePullBackOff" ? pod : undefined;
            });
        const first = await waiting();
        assert.equal(first.status?.phase, "Pending");
        assert.equal(clients.isReady(first), false);
        await core.deleteNamespacedPod({ namespace, name: "bad-0" });
        assert.equal((await waiting(first.metadata?.uid)).status?.phase, "Pending");
    });

    it("says why a pod cannot be scheduled", async () => {
        const body = statefulSet("huge", "db:1", 1, { requests: { cpu: "100k" } });
        await clients.apps.createNamespacedStatefulSet({ namespace, body });
        await until("the scheduler's word", 10_000, async () => {
            const [pod] = await clients.pods("huge");
            const scheduled = pod?.status?.conditions?.find((one) => one.type === "PodScheduled");
            return /^0\/6 nodes are available: 6 Insufficient cpu/.test(scheduled?.message ?? "") ? true : undefined;
        });
    });

    it("brings up a Deployment, and collects its pods when it is deleted", async () => {
        const labels = { app: "web" };
        const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
        await clients.apps.createNamespacedDeployment({
            namespace,
            body: { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } },
        });
        await until("2 pods Ready", 10_000, async () => {
            const found = await clients.pods("web");
            return found.length === 2 && found.every(clients.isReady) ? true : undefined;
        });
        await clients.apps.deleteNamespacedDeployment({ namespace, name: "web" });
        await until("no pod is left", 20_000, async () =>
            (await clients.pods("web")).length === 0 ? true : undefined,
        );
    });

    it("applies on the server, and dry", async () => {
        const { k8s, kubeconfig } = clients;
        const objects = k8s.KubernetesObjectApi.makeApiClient(kubeconfig);
        const apply = (name: string, dryRun?: string) =>
            objects.patch(
                {
                    apiVersion: "v1",
                    kind: "ConfigMap",
                    metadata: { name, namespace },
                    data: { a: "1" },
                } as k8s.KubernetesObject,
                undefined,
                dryRun,
                "test",
                true,
                k8s.PatchStrategy.ServerSideApply,
            );
        await apply("applied");
        await apply("dry", "All");
        const names = (await clients.core.listNamespacedConfigMap({ namespace })).items.map(
            (map) => map.metadata?.name,
        );
        assert.ok(names.includes("applied"));
        assert.ok(!names.includes("dry"));
    });

    it("forwards a pod's port to a server on loopback, through the API server", async () => {
        const server = http.createServer((request, response) => response.end(`you asked for ${request.url}`));
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const target = { address: "127.0.0.1", port: (server.address() as net.AddressInfo).port };
        await clients.custom.createNamespacedCustomObject({
            group: "kwok.x-k8s.io",
            version: "v1alpha1",
            namespace,
            plural: "portforwards",
            body: {
                apiVersion: "kwok.x-k8s.io/v1alpha1",
                kind: "PortForward",
                metadata: { name: "db-0" },
                spec: { forwards: [{ ports: [2379], target }] },
            },
        });
        const listener = net.createServer((socket) => {
            const forward = new clients.k8s.PortForward(clients.kubeconfig);
            void forward.portForward(namespace, "db-0", [2379], socket, new PassThrough(), socket);
        });
        await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
        const agent = new http.Agent({ keepAlive: true });
        try {
            for (const place of ["/one", "/two"]) {
                const text = await new Promise<string>((resolve, reject) => {
                    const port = (listener.address() as net.AddressInfo).port;
                    const request = http.get({ host: "127.0.0.1", port, path: place, agent }, (response) => {
                        let body = "";
                        response.on("data", (chunk) => (body += chunk));
                        response.on("end", () => resolve(body));
                    });
                    request.on("error", reject);
                });
                assert.equal(text, `you asked for ${place}`);
            }
        } finally {
            agent.destroy();
            listener.close();
            server.close();
        }
    });

    it("removes the volumes with their claims", async () => {
        const { core, apps } = clients;
        await apps.deleteNamespacedStatefulSet({ namespace, name: "db" });
        await until("no pod is left", 10_000, async () => ((await clients.pods("db")).length === 0 ? true : undefined));
        await core.deleteCollectionNamespacedPersistentVolumeClaim({ namespace, labelSelector: "app=db" });
        await until("no volume of theirs is left", 10_000, async () => {
            const left = (await core.listPersistentVolume()).items;
            return left.some((volume) => volume.spec?.claimRef?.name?.startsWith("data-db-")) ? undefined : true;
        });
    });

    it("runs beside another one, and ends without a trace", async () => {
        const two = await startSandbox();
        const theirs = await clientsOf(two.kubeconfig);
        assert.notEqual(two.controlPlane.server, one.controlPlane.server);
        assert.equal((await theirs.core.listNode()).items.length, 6);
        assert.deepEqual(await theirs.pods("bad"), []);
        const processes = [
            ...two.controlPlane.programs.map((each) => each.processId),
            two.controlPlane.watchdogProcessId,
        ];
        await two.down();
        await two.down();
        assert.equal(fs.existsSync(two.folder), false);
        assert.deepEqual(processes.filter(isRunning), []);
        assert.equal((await clients.core.listNode()).items.length, 6);
    });
});

describe("a control plane that meets trouble", function () {
    this.timeout(600_000);
    let folder: string;
    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-e2e-"));
    });

    it("takes other ports when one was taken meanwhile", async () => {
        const thief = net.createServer();
        await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
        const taken = (thief.address() as net.AddressInfo).port;
        const log: string[] = [];
        let tries = 0;
        let plane: ControlPlane | undefined;
        try {
            plane = await startControlPlane({
                name: "thief",
                folder,
                log: (line) => log.push(line),
                choosePorts: async () => ({ ...(await choosePorts()), ...(tries++ === 0 ? { apiServer: taken } : {}) }),
            });
            assert.equal(tries, 2);
            assert.match(log.join("\n"), /another process took a port of kube-apiserver; trying other ports/);
        } finally {
            await plane?.down();
            thief.close();
        }
        assert.equal(fs.existsSync(folder), false);
    });

    it("shows the last lines of a program that ends during the boot, and leaves nothing", async () => {
        const [port] = await findFreePorts(1);
        const twice = { etcd: port, etcdPeer: port + 70_000, apiServer: port, kubelet: port };
        await assert.rejects(
            startControlPlane({ name: "bad", folder, choosePorts: () => Promise.resolve(twice) }),
            /^ProgramEndedError: etcd ended while the sandbox was starting \(exit code \d+\); its last lines:\n {4}\S/,
        );
        assert.equal(fs.existsSync(folder), false);
    });

    it("says what it was waiting for when the boot takes too long, and leaves nothing", async () => {
        await assert.rejects(
            startControlPlane({ name: "slow", folder, bootMilliseconds: 1 }),
            /not ready within 0\.001 s: still waiting for the API server/,
        );
        assert.equal(fs.existsSync(folder), false);
    });
});

describe("a sandbox whose owner is killed", function () {
    this.timeout(600_000);

    it("leaves no process and no folder behind", async () => {
        const cache = process.env.PULUMI_TIDB_CACHE;
        const script =
            'require("./sandbox/index").startSandbox().then((box) => console.log(JSON.stringify({ folder: box.folder, ' +
            "processes: [...box.controlPlane.programs.map((one) => one.processId), box.controlPlane.watchdogProcessId] })))";
        const owner = spawn(process.execPath, ["--require", "tsx/cjs", "-e", script], {
            cwd: repository,
            stdio: ["ignore", "pipe", "inherit"],
            env: { ...process.env, ...(cache === undefined ? {} : { PULUMI_TIDB_CACHE: cache }) },
        });
        const line = await new Promise<string>((resolve, reject) => {
            owner.stdout.once("data", (chunk) => resolve(String(chunk)));
            owner.once("exit", () => reject(new Error("the owner ended by itself")));
        });
        const { folder, processes } = JSON.parse(line) as { folder: string; processes: number[] };
        assert.equal(processes.length, 6);
        assert.deepEqual(
            processes.filter((each) => !isRunning(each)),
            [],
        );
        assert.ok(fs.existsSync(folder));
        owner.kill("SIGKILL");
        await until("all is gone", 5000, () =>
            Promise.resolve(processes.some(isRunning) || fs.existsSync(folder) ? undefined : true),
        );
    });
});

describe("pulumi-tidb sandbox", function () {
    this.timeout(600_000);
    const name = `e2e-${process.pid}`;
    const run = (...words: string[]) =>
        spawnSync(process.execPath, ["--require", "tsx/cjs", "bin/pulumi-tidb.ts", "sandbox", ...words], {
            cwd: repository,
            encoding: "utf8",
            // Type checking the program is not what is tested, and takes most of the time.
            env: { ...process.env, PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
        });
    const program = "tests/fixtures/programs/objects";
    const pulumi = (operation: string, ...words: string[]) =>
        run("pulumi", operation, program, "--sandbox", name, ...words);
    const listed = (): { name: string; ready: boolean; folder: string }[] =>
        JSON.parse(run("list", "-o", "json").stdout).filter((state: { name: string }) => state.name === name);

    after(() => {
        run("stop", "--name", name);
    });

    it("start starts one in the background and says how to go on; again is no error", () => {
        for (const word of ["ready after", "already running"]) {
            const { status, stdout, stderr } = run("start", "--name", name, "--backups");
            assert.equal(status, 0, stderr);
            assert.match(stdout, new RegExp(`"${name}" is ${word}[^]*export KUBECONFIG=.*${name}/kubeconfig`));
            assert.match(stdout, /--from-literal=access_key=\w+ --from-literal=secret_key=\w+\n *spec: \{ s3: \{/);
        }
    });

    it("start --backups has a bucket that the printed key may use, and runs br for the Jobs of Backups", async () => {
        const { stdout } = run("start", "--name", name, "--backups");
        const [, accessKeyId, secretAccessKey] = /access_key=(\w+) --from-literal=secret_key=(\w+)/.exec(stdout) ?? [];
        const [, endpoint, region, bucket] = /endpoint: "(.*?)", region: "(.*?)", bucket: "(.*?)"/.exec(stdout) ?? [];
        const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region, retries: 0 });
        const put = await client.fetch(`${endpoint}/${bucket}/monday/file`, { method: "PUT", body: "text" });
        assert.equal(put.status, 200, await put.text());
        const [{ folder }] = listed();
        const br = spawnSync(path.join(folder, "recorders", "br", "br"), ["backup", "full", "--no-such-flag"]);
        assert.match(String(br.stderr), /unknown flag: --no-such-flag/);
    });

    it("start with another number of nodes is an error, and the number that it runs with is none", () => {
        const { status, stderr } = run("start", "--name", name, "--nodes", "3");
        assert.equal(status, 1);
        assert.match(
            stderr,
            new RegExp(`^error: --nodes 3: .*"${name}" runs already, with 6 nodes; expected 6, .*stop`),
        );
        assert.equal(run("start", "--name", name, "--nodes", "6").status, 0);
    });

    it("node stop and node start say which pods they concern, and how to undo it", () => {
        const stop = run("node", "stop", "node-5", "--sandbox", name);
        assert.equal(stop.status, 0, stop.stderr);
        const undo = `sandbox node start node-5 --sandbox ${name}\n`;
        assert.ok(stop.stdout.startsWith("Stopped node-5, and with it no pod.\n"), stop.stdout);
        assert.ok(stop.stdout.endsWith(undo), stop.stdout);
        assert.match(
            run("node", "start", "node-5", "--sandbox", name).stdout,
            /^Started node-5, and on it no pod\.\n$/,
        );
        const again = run("node", "start", "node-5", "--sandbox", name);
        assert.deepEqual([again.status, again.stderr], [1, "error: node node-5 has not been stopped\n"]);
    });

    it("pulumi needs --yes where nobody can be asked, and refuses the configuration of another cluster", () => {
        const unasked = pulumi("up");
        assert.equal(unasked.status, 1);
        assert.equal(
            unasked.stderr,
            "error: there is no terminal to ask for confirmation: pass --yes to carry out up\n",
        );
        const elsewhere = JSON.stringify({
            clusters: [{ name: "prod", cluster: { server: "https://prod.example:6443" } }],
            users: [{ name: "prod", user: { token: "token" } }],
            contexts: [{ name: "prod", context: { cluster: "prod", user: "prod" } }],
            "current-context": "prod",
        });
        for (const words of [["preview"], ["up", "--skip-preview"], ["destroy", "--skip-preview"]] as const) {
            const { status, stderr } = pulumi(words[0], ...words.slice(1), "-c", `kubernetes:kubeconfig=${elsewhere}`);
            assert.equal(status, 1);
            assert.match(stderr, new RegExp(`found https://prod.example:6443, expected .*the sandbox "${name}"`));
        }
    });

    it("pulumi previews, deploys, keeps the state with the sandbox, and destroys", () => {
        const preview = pulumi("preview", "--diff", "-c", "replicas=1");
        assert.equal(preview.status, 0, preview.stdout + preview.stderr);
        assert.match(preview.stdout, /^This is the sandbox's own engine, for trying, not the Pulumi CLI\./);
        assert.match(preview.stdout, /"replicas": 1,\n/);
        const up = pulumi("up", "--yes", "-c", "replicas=1");
        assert.equal(up.status, 0, up.stdout + up.stderr);
        assert.match(up.stdout, /^Previewing update \(dev\):\n[^]*^Updating \(dev\):\n[^]*^Outputs:\n[^]*created\n/m);
        const [{ folder }] = listed();
        assert.deepEqual(fs.readdirSync(path.join(folder, "pulumi-state")), ["objects.dev.json"]);
        const failed = pulumi("preview", "-c", "policy=Nonsense");
        assert.equal(failed.status, 1, failed.stdout);
        const destroy = pulumi("destroy", "--yes");
        assert.equal(destroy.status, 0, destroy.stdout + destroy.stderr);
        assert.match(destroy.stdout, /^Destroying \(dev\):\n[^]*deleted\n/m);
    });

    it("list shows it, and stop leaves nothing of it", () => {
        const [state] = listed();
        assert.equal(state.ready, true);
        const { status, stdout } = run("stop", "--name", name);
        assert.equal(status, 0);
        assert.match(stdout, new RegExp(`Stopped the sandbox "${name}"`));
        assert.deepEqual(listed(), []);
        assert.equal(fs.existsSync(state.folder), false);
    });

    it("stop of one that is not there is an error that says so", () => {
        const { status, stderr } = run("stop", "--name", name);
        assert.equal(status, 1);
        assert.match(stderr, new RegExp(`no sandbox named "${name}" is running`));
        const preview = pulumi("preview");
        assert.equal(preview.status, 1);
        assert.match(
            preview.stderr,
            new RegExp(`no sandbox named "${name}" is running.*sandbox start --name ${name}\\n$`),
        );
    });
});
