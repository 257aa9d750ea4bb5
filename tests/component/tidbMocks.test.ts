import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { TidbCluster, type TidbClusterArgs } from "../../index";
import { tidbMocks, type TidbMocksOptions, valueOf as valueInTest } from "../../testing";
import { patienceMilliseconds, readOutput } from "./mockProgram";
import { basicSpec } from "./programs";

const firstDeployment = "deferred: this is the first deployment: there is no cluster to ask yet";

/** Runs a cluster under the mocks alone, as a user's test does. */
async function deploy(options?: TidbMocksOptions, change: object = {}, preview = false): Promise<TidbCluster> {
    await pulumi.runtime.setMocks(tidbMocks(options), "project", "stack", preview);
    const cluster = new TidbCluster("mine", { spec: { ...basicSpec(), ...change } as TidbClusterArgs["spec"] });
    await pulumi.runtime.disconnect();
    return cluster;
}

const valueOf = async <T>(output: pulumi.Output<T> | undefined): Promise<T | undefined> =>
    output && (await readOutput(output)).value;
const replicasOf = async ({ members }: TidbCluster): Promise<unknown[]> =>
    Promise.all(Object.values(members).map(async ({ statefulSet }) => (await valueOf(statefulSet?.spec))?.replicas));

describe("component: tidbMocks", function () {
    this.timeout(patienceMilliseconds);

    it("show a first deployment: StatefulSets have their replicas, and gates say why they have no plan", async () => {
        const cluster = await deploy();
        assert.deepEqual(await replicasOf(cluster), [3, 3, 2]);
        const { scaleGate, rolloutGate } = cluster.members.tikv ?? {};
        for (const gate of [cluster.clusterGate, scaleGate, rolloutGate]) {
            const { plan, deferred } = gate as unknown as Record<string, pulumi.Output<unknown>>;
            assert.deepEqual(await valueOf(plan), []);
            assert.equal(await valueOf(deferred), firstDeployment);
        }
        assert.equal(await valueOf(cluster.ready), true);
    });

    it("show the same in a preview", async () => {
        const cluster = await deploy({}, {}, true);
        assert.deepEqual(await replicasOf(cluster), [3, 3, 2]);
        assert.equal((await readOutput(cluster.ready)).known, false);
    });

    it("leave the number of replicas unknown in a preview if the program does not know it", async () => {
        const replicas = pulumi.output(Promise.resolve(pulumi.unknown)) as unknown as pulumi.Output<number>;
        const cluster = await deploy({}, { tidb: { replicas, config: {} } }, true);
        const { tidb } = cluster.members;
        assert.ok(tidb?.scaleGate);
        assert.equal((await readOutput(tidb.scaleGate.replicas)).known, false);
    });

    it("accept a secret number of replicas", async () => {
        const cluster = await deploy({}, { tidb: { replicas: pulumi.secret(4), config: {} } });
        assert.deepEqual(await replicasOf(cluster), [3, 3, 4]);
    });

    it("show a live cluster: the findings of the gates that a test names, and otherwise nothing to do", async () => {
        const plan = ["restart mine-tikv-2 (new template)"];
        const cluster = await deploy({
            live: { "mine-tikv-rollout": { plan }, "mine-tikv-scale": { replicas: 5 } },
        });
        assert.deepEqual(await replicasOf(cluster), [3, 5, 2]);
        assert.deepEqual(await valueOf(cluster.members.tikv?.rolloutGate?.plan), plan);
        assert.deepEqual(await valueOf(cluster.members.pd?.rolloutGate?.plan), []);
        const { deferred } = cluster.clusterGate as unknown as { deferred: pulumi.Output<string> };
        assert.equal(await valueOf(deferred), "");
    });

    it("refuse an option, a gate or a finding that does not exist", () => {
        const gateName =
            /live: found "mine-tikv-rolout", expected the resource name of a gate: .* then one of -cluster, .*, -tikv-scale, -tikv-rollout, .*, -ready$/;
        for (const [options, message] of [
            [{ lives: {} }, /tidbMocks: lives is not a known field; expected live, newResource, call$/],
            [{ live: { "mine-tikv-rolout": {} } }, gateName],
            [{ live: { "mine-tikb-scale": {} } }, /found "mine-tikb-scale", expected the resource name of a gate/],
            [
                { live: { "mine-tikv-scale": { replica: 5 } } },
                /live\["mine-tikv-scale"\]\.replica is not a known field/,
            ],
        ] as [TidbMocksOptions, RegExp][]) {
            assert.throws(() => tidbMocks(options), { message });
        }
        const gates = ["cluster", "ready", "tidb-password", "pd-scale", "tikv-rollout", "ticdc-rollout"];
        gates.push("tidb-suspend", "recovery", "lost-nodes", "before-upgrade");
        tidbMocks({ live: Object.fromEntries(gates.map((gate) => [`mine-${gate}`, {}])) });
    });

    it("show the plan of a suspension", async () => {
        const plan = ["suspend mine-tidb"];
        await pulumi.runtime.setMocks(
            tidbMocks({ live: { "mine-tidb-suspend": { plan } } }),
            "project",
            "stack",
            false,
        );
        const { tidb, ...others } = basicSpec() as unknown as Record<string, object>;
        const suspended = { ...tidb, suspendAction: { suspendStatefulSet: true } };
        const { members } = new TidbCluster("mine", {
            spec: { ...others, tidb: suspended } as TidbClusterArgs["spec"],
        });
        assert.deepEqual(await valueOf(members.tidb?.suspendGate?.plan), plan);
    });

    it("refuse a gate that does not exist, of an absent member or of no cluster, and reject the readiness", async () => {
        const gates =
            "mine-cluster, mine-pd-scale, mine-pd-rollout, mine-tikv-scale, mine-tikv-rollout, mine-tidb-scale, mine-tidb-rollout, mine-ready";
        for (const [name, message] of [
            ["mine-tiflash-scale", `mine has no gate "mine-tiflash-scale"; it has ${gates}`],
            ["main-tikv-scale", `"main-tikv-scale" is not a gate of this program; mine has ${gates}`],
            ["mine-two-ready", `"mine-two-ready" is not a gate of this program; mine has ${gates}`],
        ]) {
            await pulumi.runtime.setMocks(tidbMocks({ live: { [name]: {} } }), "project", "stack", false);
            const { ready } = new TidbCluster("mine", { spec: basicSpec() as TidbClusterArgs["spec"] });
            await assert.rejects(valueInTest(ready), (error: Error) =>
                error.message.endsWith(`tidbMocks: live: ${message}`),
            );
        }
    });

    it("accept the gates of each of two clusters, and refuse one of a third", async () => {
        const twoClusters = async (gate: string): Promise<boolean[]> => {
            const live = { "mine-tikv-scale": {}, "mine-two-tikv-scale": {}, [gate]: {} };
            await pulumi.runtime.setMocks(tidbMocks({ live }), "project", "stack", false);
            const spec = () => basicSpec() as TidbClusterArgs["spec"];
            const clusters = ["mine", "mine-two"].map((name) => new TidbCluster(name, { spec: spec() }));
            return Promise.all(clusters.map(({ ready }) => valueInTest(ready)));
        };
        assert.deepEqual(await twoClusters("mine-two-ready"), [true, true]);
        await assert.rejects(
            twoClusters("mine-three-ready"),
            /"mine-three-ready" is not a gate of this program; mine.* has mine.*; mine.* has mine/,
        );
    });

    it("accept each gate of a cluster, as the program registers them", async () => {
        const names = ["mine-cluster", "mine-pd-scale", "mine-pd-rollout", "mine-tidb-rollout", "mine-ready"];
        await deploy({ live: Object.fromEntries(names.map((name) => [name, {}])) });
    });

    it("show a paused cluster like any other, because it may have been deployed before", async () => {
        const cluster = await deploy({}, { paused: true });
        assert.deepEqual(await replicasOf(cluster), [3, 3, 2]);
    });

    it("pass a gate's refusal on", async () => {
        const inputs = { gate: "cluster", cluster: "mine", namespace: "a", deployed: { name: "mine", namespace: "b" } };
        const request = { type: "pulumi-nodejs:tidb:ClusterGate", name: "mine-cluster", inputs, custom: true };
        await assert.rejects(async () => tidbMocks().newResource(request), /metadata\.namespace/);
    });

    it("leave every resource that is not a gate, and every call, to the test's own mocks", async () => {
        const types = new Set<string>();
        const cluster = await deploy({
            newResource: ({ type, name, inputs }) => {
                types.add(type);
                return { id: name, state: inputs };
            },
            call: () => ({ answer: 42 }),
        });
        assert.ok(types.has("kubernetes:apps/v1:StatefulSet"));
        assert.deepEqual(
            [...types].filter((type) => type.endsWith("Gate")),
            [],
        );
        assert.deepEqual(await replicasOf(cluster), [3, 3, 2]);
        assert.deepEqual(await pulumi.runtime.invoke("any:index:call", {}), { answer: 42 });
    });

    it("name an object without a name, and give it a UID", async () => {
        await pulumi.runtime.setMocks(tidbMocks());
        const { metadata } = new k8s.core.v1.Namespace("sales");
        const { name, uid } = (await valueOf(metadata)) ?? {};
        assert.deepEqual([name, uid], ["sales", "uid-of-sales"]);
    });
});
