import * as assert from "node:assert/strict";
import type { V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { createKubernetesApi } from "../../provider/cluster/kubernetesApi";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk, assertUnchanged, planOf, stoppedPods, until } from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";

const namespace = "disks";

function ownersIn({ metadata }: V1StatefulSet): string[] {
    return [...new Set(metadata?.managedFields?.map(({ manager = "" }) => manager))].sort();
}

describeOnEngine("volumes that the program wants larger", (arena) => {
    const of = (size: string, tikv: number, more: ClusterChange = {}): ClusterChange => ({
        pd: { replicas: 1, requests: { storage: size } },
        tikv: { replicas: tikv, requests: { storage: size } },
        tidb: { replicas: 1 },
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
    const uids = async () =>
        (await arena().kubernetes.pods(namespace)).map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`).sort();

    it("grow with no pod stopped, and the new store of the same update gets the size", async () => {
        const before = await uids();
        const preview = assertOk(await stack.preview(of("20Gi", 4)));
        assert.deepEqual(
            planOf(preview, "demo-tikv-scale").map((line) => line.split(" (")[0]),
            [0, 1, 2]
                .map((ordinal) => `grow the volumes of demo-tikv-${ordinal}`)
                .concat("recreate StatefulSet demo-tikv"),
        );
        assertOk(await stack.up(of("20Gi", 4)));
        assert.deepEqual(await sizes(), {
            "pd-demo-pd-0": "20Gi",
            ...Object.fromEntries([0, 1, 2, 3].map((ordinal) => [`tikv-demo-tikv-${ordinal}`, "20Gi"])),
        });
        const after = await uids();
        assert.deepEqual(
            before.filter((one) => !after.includes(one)),
            [],
        );
        assert.deepEqual(stoppedPods(stack.played()), []);
        assert.equal((await arena().kubernetes.records(namespace, "demo")).remake, undefined);
    });

    it("leave nothing to do for Pulumi, which changes and refreshes the new StatefulSet as it did the old one", async () => {
        assertUnchanged(await stack.up(of("20Gi", 4)));
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

    it("do not shrink: preview and update refuse it, and name the volume", async () => {
        const refusal = [/requests\.storage/, /found 10Gi for volume pd/, /pd-demo-pd-0 has 20Gi/];
        assertFailed(await stack.preview(of("10Gi", 4, { version: "v8.5.4" })), ...refusal);
        assertFailed(await stack.up(of("10Gi", 4, { version: "v8.5.4" })), ...refusal);
    });
});
