import * as assert from "node:assert/strict";
import type { V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { createKubernetesApi } from "../../provider/cluster/kubernetesApi";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk, assertUnchanged, eventsOf, planOf, stoppedPods, until } from "../support/e2e/expect";
import { attributesClass, storageClass } from "../support/e2e/storageClass";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";

const namespace = "disks";

function ownersIn({ metadata }: V1StatefulSet): string[] {
    return [...new Set(metadata?.managedFields?.map(({ manager = "" }) => manager))].sort();
}

describeOnEngine("volumes that the program wants larger", (arena) => {
    const of = (size: string, tikv: number, more: ClusterChange = {}): ClusterChange => ({
        pd: { replicas: 1, requests: { storage: size } },
        tikv: { replicas: tikv, requests: { storage: size } },
        tidb: { replicas: 1, storageVolumes: [{ name: "log", storageSize: size, mountPath: "/log" }] },
        ...more,
    });
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(of("10Gi", 3)));
    });

    const sizes = async () => {
        const claims = await arena().kubernetes.claims(namespace);
        return Object.fromEntries(claims.map(({ metadata, status }) => [metadata?.name, status?.capacity?.storage]));
    };
    const policies = async () =>
        (await arena().kubernetes.volumesIn(namespace)).map(({ spec }) => spec?.persistentVolumeReclaimPolicy);
    const uids = async () =>
        (await arena().kubernetes.pods(namespace)).map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`).sort();

    it("grow with no pod stopped, and the new store of the same update gets the size", async () => {
        const before = await uids();
        const wanted = of("20Gi", 4, { spec: { pvReclaimPolicy: "Retain" } });
        assert.deepEqual(await policies(), Array(5).fill("Delete"));
        const preview = assertOk(await stack.preview(wanted));
        assert.deepEqual(planOf(preview, "demo-ready"), [
            "wait for demo-tikv-3: it does not exist",
            "set reclaim policy Retain on 1 volume of demo-pd (now Delete)",
            "set reclaim policy Retain on 3 volumes of demo-tikv (now Delete)",
            "set reclaim policy Retain on 1 volume of demo-tidb (now Delete)",
        ]);
        assert.deepEqual(
            planOf(preview, "demo-tikv-scale").map((line) => line.split(" (")[0]),
            [0, 1, 2]
                .map((ordinal) => `grow the volumes of demo-tikv-${ordinal}`)
                .concat("recreate StatefulSet demo-tikv"),
        );
        assertOk(await stack.up(wanted));
        assert.deepEqual(await policies(), Array(6).fill("Retain"), "with that of the new store");
        assert.deepEqual(await sizes(), {
            "pd-demo-pd-0": "20Gi",
            "tidb-log-demo-tidb-0": "20Gi",
            ...Object.fromEntries([0, 1, 2, 3].map((ordinal) => [`tikv-demo-tikv-${ordinal}`, "20Gi"])),
        });
        const after = await uids();
        assert.deepEqual(
            before.filter((one) => !after.includes(one)),
            [],
        );
        assert.deepEqual(stoppedPods(stack.played()), []);
        assert.equal((await arena().kubernetes.records(namespace, "demo")).remakes, undefined);
    });

    it("leave nothing to do for Pulumi, which changes and refreshes the new StatefulSet as it did the old one", async () => {
        assertUnchanged(await stack.up(of("20Gi", 4, { spec: { pvReclaimPolicy: "Retain" } })));
        const refreshed = assertOk(await stack.run("refresh"));
        assert.deepEqual(
            refreshed.steps
                .filter(({ op }) => op !== "same" && op !== "refresh")
                .map(({ op, name }) => `${op} ${name}`),
            [],
        );
        assertOk(await stack.up(of("20Gi", 4, { version: "v8.5.3" })));
        assertUnchanged(await stack.up(of("20Gi", 4, { version: "v8.5.3" })));
    });

    it("survive a run that is killed at any of its calls: the next one finishes, with the same pods and owners of fields", async () => {
        const { KubeConfig } = await import("@kubernetes/client-node");
        const config = new KubeConfig();
        config.loadFromFile(arena().sandbox.kubeconfig);
        const api = await createKubernetesApi(config);
        const observed = async () => {
            const id = { namespace, cluster: "demo", instance: "demo" };
            const [{ statefulSet }] = await api.readMembers(id, ["tikv"], {}, Date.now, { manifests: true });
            return statefulSet;
        };
        const before = await uids();
        const owners = ({ manifest }: { manifest?: object } = {}) => ownersIn(manifest as V1StatefulSet);
        for (let calls = 0; calls < 6; calls++) {
            const first = await observed();
            assert.ok(first?.manifest);
            const record = { name: first.name, uid: first.uid, manifest: first.manifest };
            let left = calls;
            const killed = api.guardedBy(() => {
                if (left-- === 0) {
                    throw new Error("killed");
                }
            });
            await assert.rejects(
                killed.remakeStatefulSet(namespace, record.name, record.uid, record.manifest),
                /killed/,
            );
            const live = await observed();
            const manifest = live?.uid === record.uid && live.manifest ? live.manifest : record.manifest;
            await api.remakeStatefulSet(namespace, record.name, record.uid, manifest);
            let last = await observed();
            await until("the controller has seen the new StatefulSet", async () => {
                last = await observed();
                return last?.settled === true;
            });
            assert.notEqual(last?.uid, first.uid);
            assert.equal(last?.terminating, false);
            assert.equal(last.updateRevision, first.updateRevision);
            // After the last call but one, only the owners are not as before: Pulumi has them all.
            assert.deepEqual(calls === 5 ? ["pulumi-kubernetes"] : owners(first), owners(last), `${calls} calls`);
        }
        assert.deepEqual(await uids(), before);
        assertOk(await stack.up(of("20Gi", 4, { version: "v8.5.4" })));
        assertUnchanged(await stack.up(of("20Gi", 4, { version: "v8.5.4" })));
    });

    it("do not shrink where the program lets no volume be replaced: preview and update refuse it, and name the volume", async () => {
        const refusal = [/requests\.storage/, /found 10Gi for volume pd/, /pd-demo-pd-0 has 20Gi/];
        const smaller = of("10Gi", 4, { version: "v8.5.4", spec: { enablePVCReplace: false } });
        assertFailed(await stack.preview(smaller), ...refusal);
        assertFailed(await stack.up(smaller), ...refusal);
    });
});

describeOnEngine("volumes of drivers that do not grow them at once", (arena) => {
    const drivers = "disk-drivers";
    const of = (size: string): ClusterChange => ({
        pd: { replicas: 3, requests: { storage: size }, storageClassName: "refuses" },
        tikv: { replicas: 3, requests: { storage: size }, storageClassName: "restarts" },
        tidb: {
            replicas: 1,
            storageVolumes: [{ name: "log", storageSize: size, mountPath: "/log" }],
            storageClassName: "fixed",
        },
    });
    const grown = (members: "pd" | "tikv" | "tidb"): ClusterChange => ({ ...of("1Gi"), [members]: of("2Gi")[members] });
    let stack: ClusterStack;
    before(async () => {
        const { KubeConfig, StorageV1Api } = await import("@kubernetes/client-node");
        const config = new KubeConfig();
        config.loadFromFile(arena().sandbox.kubeconfig);
        const storage = config.makeApiClient(StorageV1Api);
        const refusing = { refusesAfter: 1, message: "the quota of the project is used up" };
        for (const body of [
            storageClass("refuses", refusing),
            storageClass("restarts", { driver: "restart" }),
            storageClass("fixed", { allowVolumeExpansion: false }),
        ]) {
            await storage.createStorageClass({ body });
        }
        await storage.createVolumeAttributesClass({ body: attributesClass("quick", { seconds: 1 }) });
        await storage.createVolumeAttributesClass({
            body: attributesClass("absurd", { refusesWith: "InvalidArgument", message: "more iops than any disk has" }),
        });
        stack = await clusterStack(arena(), drivers);
        assertOk(await stack.up(of("1Gi")));
    });
    const sizes = async (member: string) =>
        (await arena().kubernetes.claims(drivers))
            .filter(({ metadata }) => metadata?.name?.includes(`-demo-${member}-`))
            .map(({ spec, status }) => `${spec?.resources?.requests?.storage} ${status?.capacity?.storage}`);

    it("a class that does not let them grow is refused by name, before anything is changed", async () => {
        const refusal = [/StorageClass fixed does not allow expansion/, /allowVolumeExpansion/];
        assertFailed(await stack.preview(grown("tidb")), ...refusal);
        assertFailed(await stack.up(grown("tidb")), ...refusal);
        assert.deepEqual(await sizes("tidb"), ["1Gi 1Gi"]);
    });

    it("a driver that refuses half way leaves the others as they are, and its words are in the error", async () => {
        assertFailed(
            await stack.up(grown("pd")),
            /pd-demo-pd-1 has 1Gi of 2Gi: the driver refuses the size \(.*the quota of the project is used up/,
            /\[volume-grown\]|volume-grown/,
        );
        assert.deepEqual(await sizes("pd"), ["2Gi 2Gi", "2Gi 1Gi", "1Gi 1Gi"]);
        assertUnchanged(await stack.up(of("1Gi")));
    });

    it("a driver that needs new pods gets them one by one in the same update, after all disks have grown", async () => {
        const before = stack.played().events.length;
        assertOk(await stack.up(grown("tikv")));
        assert.deepEqual(await sizes("tikv"), ["2Gi 2Gi", "2Gi 2Gi", "2Gi 2Gi"]);
        assert.deepEqual(
            eventsOf(stack.played(), ["pod-stopped"], before).map(({ pod }) => pod),
            ["demo-tikv-2", "demo-tikv-1", "demo-tikv-0"],
        );
        assertUnchanged(await stack.up(grown("tikv")));
    });

    it("get another VolumeAttributesClass in place, and a refusal of the driver has its words", async () => {
        const modified = (volumeAttributesClassName: string): ClusterChange => {
            const { tikv, ...others } = grown("tikv");
            return { ...others, tikv: { ...tikv, volumeAttributesClassName } };
        };
        const stopped = () => stoppedPods(stack.played()).length;
        const before = stopped();
        const preview = assertOk(await stack.preview(modified("quick")));
        assert.match(planOf(preview, "demo-tikv-scale")[0], /^modify the volumes of demo-tikv-0 \(no class to quick\)/);
        assertOk(await stack.up(modified("quick")));
        const classes = (await arena().kubernetes.claims(drivers))
            .filter(({ metadata }) => metadata?.name?.startsWith("tikv-"))
            .map(({ status }) => status?.currentVolumeAttributesClassName);
        assert.deepEqual(classes, ["quick", "quick", "quick"]);
        assertUnchanged(await stack.up(modified("quick")));
        assertFailed(await stack.up(modified("absurd")), /more iops than any disk has/, /volume-modified/);
        assertOk(await stack.up(modified("quick")));
        assert.equal(stopped(), before);
    });
});

describeOnEngine("volumes of all members that have some", (arena) => {
    const all = "all-disks";
    const of = (size: string, tikv: number): ClusterChange => {
        const requests = { storage: size };
        const storageVolumes = [{ name: "log", storageSize: size, mountPath: "/log" }];
        return {
            pd: { replicas: 1, requests },
            tikv: { replicas: tikv, requests, storageVolumes },
            tidb: { replicas: 1, storageVolumes },
            spec: {
                tiflash: { replicas: 1, storageClaims: [{ resources: { requests } }] },
                ticdc: { replicas: 1, storageVolumes },
                tiproxy: { replicas: 1, storageVolumes },
                pump: { replicas: 1, requests },
            },
        };
    };
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), all);
        assertOk(await stack.up(of("1Gi", 3)));
    });

    it("grow in one update with a scale-out, and no pod stops", async () => {
        const before = stack.played().events.length;
        assertOk(await stack.up(of("2Gi", 4)));
        const claims = await arena().kubernetes.claims(all);
        const sizes = claims.map(({ metadata, status }) => `${metadata?.name} ${status?.capacity?.storage}`).sort();
        const stores = [0, 1, 2, 3].flatMap((ordinal) => [
            `tikv-demo-tikv-${ordinal}`,
            `tikv-log-demo-tikv-${ordinal}`,
        ]);
        const others = ["tidb-log-demo-tidb", "ticdc-log-demo-ticdc", "tiproxy-log-demo-tiproxy"];
        const data = ["pd-demo-pd", "data0-demo-tiflash", "data-demo-pump"];
        const names = [...stores, ...[...others, ...data].map((name) => `${name}-0`)];
        assert.deepEqual(sizes, names.map((name) => `${name} 2Gi`).sort());
        assert.deepEqual(stoppedPods(stack.played(), before), []);
        assertUnchanged(await stack.up(of("2Gi", 4)));
    });
});
