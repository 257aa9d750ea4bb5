import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startControlPlane, startNode, stopNode, type ControlPlane } from "pulumi-tidb-sandbox";
import { growthLine, modificationLine, recordedClaims, recordedModifications } from "../support/volumes/recordedClaims";
import { attributesClass, type ClassOptions, storageClass } from "../support/e2e/storageClass";

const namespace = "default";
const zoneLabel = "topology.kubernetes.io/zone";

type Claim = k8s.V1PersistentVolumeClaim;

async function until<T>(what: string, probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
        const found = await probe();
        if (found !== undefined) {
            return found;
        }
    }
    throw new Error(`${what}: not within 30 s`);
}

describe("the sandbox's volumes", function () {
    this.timeout(600_000);
    let plane: ControlPlane;
    let core: k8s.CoreV1Api;
    let storage: k8s.StorageV1Api;
    let merge: k8s.ConfigurationOptions;
    let watch: k8s.Informer<Claim>;
    /** Each state of each claim, by name. */
    const seen = new Map<string, Claim[]>();

    before(async () => {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sandbox-volumes-"));
        plane = await startControlPlane({ name: "volumes", folder, nodes: 3 });
        const client = await import("@kubernetes/client-node");
        const kubeconfig = new client.KubeConfig();
        kubeconfig.loadFromFile(plane.kubeconfig);
        core = kubeconfig.makeApiClient(client.CoreV1Api);
        storage = kubeconfig.makeApiClient(client.StorageV1Api);
        merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
        const listed = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
        watch = client.makeInformer(kubeconfig, listed, () => core.listNamespacedPersistentVolumeClaim({ namespace }));
        const note = (claim: Claim): void => {
            const name = claim.metadata?.name ?? "";
            seen.set(name, [...(seen.get(name) ?? []), claim]);
        };
        watch.on("add", note);
        watch.on("update", note);
        await watch.start();
    });
    after(async () => {
        await watch?.stop();
        await plane?.down();
    });

    const createPod = async (name: string, claimName: string, nodeName?: string): Promise<void> => {
        const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }];
        const spec = {
            containers: [{ name: "main", image: "db:1" }],
            volumes,
            nodeName,
            terminationGracePeriodSeconds: 0,
        };
        await core.createNamespacedPod({ namespace, body: { metadata: { name }, spec } });
    };
    const createClaim = async (name: string, more: Partial<k8s.V1PersistentVolumeClaimSpec> = {}): Promise<void> => {
        const resources = { requests: { storage: "10Gi" } };
        const spec = { accessModes: ["ReadWriteOnce"], storageClassName: name, resources, ...more };
        await core.createNamespacedPersistentVolumeClaim({ namespace, body: { metadata: { name }, spec } });
    };
    const isBound = (name: string) =>
        until(`${name} is bound`, () => (claimOf(name)?.status?.phase === "Bound" ? true : undefined));
    const isRunning = (name: string) =>
        until(`${name} runs`, async () => {
            const { status } = await core.readNamespacedPod({ namespace, name });
            return status?.phase === "Running" ? true : undefined;
        });
    /** A class, a claim of it and a pod that uses it, all of one name. */
    const deploy = async (name: string, options?: ClassOptions, more?: Partial<k8s.V1PersistentVolumeClaimSpec>) => {
        await storage.createStorageClass({ body: storageClass(name, options) });
        await createClaim(name, more);
        await createPod(name, name);
        await Promise.all([isBound(name), isRunning(name)]);
    };
    const change = (name: string, spec: object) =>
        core.patchNamespacedPersistentVolumeClaim({ namespace, name, body: { spec } }, merge);
    const grow = (name: string, size: string) => change(name, { resources: { requests: { storage: size } } });
    const claimOf = (name: string) => seen.get(name)?.at(-1);
    const linesOf = (name: string, line: (claim: Claim) => string): string[] =>
        (seen.get(name) ?? [])
            .filter(({ status }) => status?.phase === "Bound" && status.capacity !== undefined)
            .map(line)
            .filter((one, index, all) => one !== all[index - 1]);
    const reaches = (name: string, line: string) =>
        until(`${name} reaches ${line}`, () => {
            const claim = claimOf(name);
            return claim !== undefined && growthLine(claim) === line ? true : undefined;
        });
    const volumeOf = (name: string) => core.readPersistentVolume({ name: claimOf(name)?.spec?.volumeName ?? "" });
    const sizeOf = async (name: string) => (await volumeOf(name)).spec?.capacity?.storage;
    const eventsOf = async (name: string): Promise<(string | undefined)[]> => {
        const { items } = await core.listNamespacedEvent({ namespace, fieldSelector: `involvedObject.name=${name}` });
        const onClaim = items.filter(({ involvedObject }) => involvedObject.kind === "PersistentVolumeClaim");
        return onClaim.map(({ message }) => message);
    };

    it("of an online driver grow under their pod: first the disk, after its seconds the file system", async () => {
        await deploy("online", { seconds: 1 });
        await grow("online", "11Gi");
        await reaches("online", "11Gi, 11Gi");
        assert.equal(await sizeOf("online"), "11Gi");
        assert.deepEqual(linesOf("online", growthLine), recordedClaims.online);
        const messages = await eventsOf("online");
        assert.ok(messages.includes("Require file system resize of volume on node"), messages.join("; "));
    });

    it("of the default class grow like that too, at once", async () => {
        await createClaim("default", { storageClassName: undefined });
        await createPod("default", "default");
        await Promise.all([isBound("default"), isRunning("default")]);
        await grow("default", "11Gi");
        await reaches("default", "11Gi, 11Gi");
        assert.deepEqual(linesOf("default", growthLine), recordedClaims.online);
    });

    it("whose file system grows at a pod's start wait for a new pod", async () => {
        await deploy("restart", { driver: "restart" });
        await grow("restart", "11Gi");
        await reaches("restart", recordedClaims.restart[4]);
        await sleep(3_000);
        await reaches("restart", recordedClaims.restart[4]);
        await core.deleteNamespacedPod({ namespace, name: "restart" });
        await createPod("restart-2", "restart");
        await reaches("restart", "11Gi, 11Gi");
        assert.deepEqual(linesOf("restart", growthLine), recordedClaims.restart);
    });

    it("of an offline driver grow once no pod uses them, and at the next pod's start", async () => {
        await deploy("offline", { driver: "offline" });
        await grow("offline", "11Gi");
        await reaches("offline", recordedClaims.offline[2]);
        await until(
            "the refusal of the resizer",
            async () =>
                (await eventsOf("offline")).some((one) => one?.startsWith("Unable to expand default/offline")) ||
                undefined,
        );
        assert.equal(await sizeOf("offline"), "10Gi");
        await core.deleteNamespacedPod({ namespace, name: "offline" });
        await reaches("offline", recordedClaims.offline[3]);
        assert.equal(await sizeOf("offline"), "11Gi");
        await createPod("offline-2", "offline");
        await reaches("offline", "11Gi, 11Gi");
        assert.deepEqual(linesOf("offline", growthLine), recordedClaims.offline);
    });

    it("are refused above a size in the driver's words, and get a smaller one", async () => {
        const message = "the quota of 15Gi would be exceeded";
        await storage.createStorageClass({ body: storageClass("infeasible", { refusesAbove: "15Gi", message }) });
        await createClaim("infeasible");
        await isBound("infeasible");
        await grow("infeasible", "20Gi");
        await reaches("infeasible", recordedClaims.infeasible[2]);
        const error = claimOf("infeasible")?.status?.conditions?.find(({ type }) => type === "ControllerResizeError");
        assert.equal(error?.message, `failed to expand pvc with rpc error: code = OutOfRange desc = ${message}`);
        await grow("infeasible", "12Gi");
        await reaches("infeasible", recordedClaims.infeasible[4]);
        assert.deepEqual(linesOf("infeasible", growthLine), recordedClaims.infeasible);
    });

    it("are refused from the third on: a growth of three fails half way", async () => {
        await deploy("few", { refusesAfter: 2 });
        const names = ["few", "few-1", "few-2"];
        for (const name of names.slice(1)) {
            await createClaim(name, { storageClassName: "few" });
            await createPod(name, name);
            await Promise.all([isBound(name), isRunning(name)]);
        }
        for (const name of names) {
            await grow(name, "11Gi");
        }
        await reaches("few", "11Gi, 11Gi");
        await reaches("few-1", "11Gi, 11Gi");
        await reaches("few-2", "10Gi, 11Gi ControllerResizeInfeasible: ControllerResizeError Resizing");
    });

    it("do not grow on a node without power, until it is back", async () => {
        await deploy("dark");
        const node = (await core.readNamespacedPod({ namespace, name: "dark" })).spec?.nodeName ?? "";
        await stopNode(plane.kubeconfig, node);
        await grow("dark", "11Gi");
        await reaches("dark", recordedClaims.online[2]);
        await sleep(2_000);
        await reaches("dark", recordedClaims.online[2]);
        await startNode(plane.kubeconfig, node);
        await reaches("dark", "11Gi, 11Gi");
    });

    it("are not grown if their class does not allow it, or the quota is used up: the API server refuses", async () => {
        const growth = (name: string) => grow(name, "11Gi");
        await deploy("fixed", { allowVolumeExpansion: false });
        await assert.rejects(growth("fixed"), /the storageclass that provisions the pvc must support resize/);
        await deploy("counted");
        const hard = { "counted.storageclass.storage.k8s.io/requests.storage": "10Gi" };
        await core.createNamespacedResourceQuota({
            namespace,
            body: { metadata: { name: "counted" }, spec: { hard } },
        });
        await until("the quota is counted", async () => {
            const { status } = await core.readNamespacedResourceQuota({ namespace, name: "counted" });
            return Object.values(status?.used ?? {}).includes("10Gi") || undefined;
        });
        await assert.rejects(
            growth("counted"),
            /exceeded quota: counted, requested: .*=1Gi, used: .*=10Gi, limited: .*=10Gi/,
        );
    });

    it("that wait for their first consumer are made in the zone of its node", async () => {
        await storage.createStorageClass({
            body: storageClass("zonal", { volumeBindingMode: "WaitForFirstConsumer" }),
        });
        await createClaim("zonal");
        await sleep(1_000);
        assert.equal(claimOf("zonal")?.status?.phase, "Pending");
        await createPod("zonal", "zonal");
        await Promise.all([isBound("zonal"), isRunning("zonal")]);
        const nodeName = (await core.readNamespacedPod({ namespace, name: "zonal" })).spec?.nodeName ?? "";
        const zone = (await core.readNode({ name: nodeName })).metadata?.labels?.[zoneLabel];
        const terms = (await volumeOf("zonal")).spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
        const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
        assert.deepEqual(
            expressions.map(({ key, operator, values }) => [key, operator, values]),
            [[zoneLabel, "In", [zone]]],
        );
    });

    it("of a class whose parameters are wrong are not made, and an Event says why", async () => {
        const body = { ...storageClass("wrong"), parameters: { speed: "1" } };
        await storage.createStorageClass({ body });
        await createClaim("wrong");
        const why = 'rpc error: code = InvalidArgument desc = parameter "speed" is not known';
        const expected = `failed to provision volume with StorageClass "wrong": ${why}`;
        await until("the Event", async () => (await eventsOf("wrong")).includes(expected) || undefined);
    });

    it("get the attributes of another class, or are refused them until the old ones are asked for", async () => {
        const refusal = { refusesWith: "InvalidArgument", message: "iops are out of range" };
        for (const [name, behaviour] of [
            ["silver", {}],
            ["gold", { seconds: 1 }],
            ["platinum", refusal],
        ] as const) {
            await storage.createVolumeAttributesClass({ body: attributesClass(name, behaviour) });
        }
        await deploy("modified", {}, { volumeAttributesClassName: "silver" });
        await deploy("refused", { retrySeconds: 60 }, { volumeAttributesClassName: "silver" });
        const isDone = (name: string, line: string) =>
            until(`${name} reaches ${line}`, () => {
                const claim = claimOf(name);
                return claim !== undefined && modificationLine(claim) === line ? true : undefined;
            });
        await Promise.all([isDone("modified", "silver"), isDone("refused", "silver")]);
        await change("modified", { volumeAttributesClassName: "gold" });
        await isDone("modified", "gold");
        assert.deepEqual(linesOf("modified", modificationLine), recordedModifications.modified);
        assert.equal((await volumeOf("modified")).spec?.volumeAttributesClassName, "gold");
        await change("refused", { volumeAttributesClassName: "platinum" });
        await isDone("refused", "silver, platinum Infeasible: ModifyVolumeError ModifyingVolume");
        await change("refused", { volumeAttributesClassName: "silver" });
        await isDone("refused", "silver");
        const refused = linesOf("refused", modificationLine).map((one) => one.replace("platinum", "gold"));
        assert.deepEqual(refused, recordedModifications.refused);
    });
});
