import * as assert from "node:assert/strict";
import * as path from "node:path";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertOk,
    assertSafeStops,
    assertUnchanged,
    assertVersion,
    dataLoaded,
    eventsOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { runPlan } from "../support/e2e/planFile";
import { openStack } from "../support/e2e/stack";

const examples = path.resolve(__dirname, "../../examples");

describeOnEngine("the example", (arena) => {
    const deployed = async (name: string, cluster: string) => {
        const stack = openStack(arena(), name, path.join(examples, name), cluster);
        const run = (change: Record<string, string> = {}) =>
            stack.run("up", { skipPreview: true, config: { namespace: name, ...change } });
        const up = assertOk(await run());
        return { stack, run, up };
    };

    it("heterogeneous: a second TidbCluster joins the PD of the first, which its gates ask", async () => {
        const { stack, run, up } = await deployed("heterogeneous", "main");
        assert.equal(up.outputs.host, "main-tidb.heterogeneous.svc:4000");
        assert.equal(up.outputs.analyticsHost, "analytics-tidb.heterogeneous.svc:4000");
        const played = stack.played();
        const stores = () =>
            played
                .stores()
                .map(({ pod, state }) => `${pod} ${state}`)
                .sort();
        const ofMain = ["main-tikv-0 Up", "main-tikv-1 Up", "main-tikv-2 Up"];
        assert.deepEqual(stores(), ["analytics-tikv-0 Up", "analytics-tikv-1 Up", ...ofMain]);
        assert.deepEqual(names(await arena().kubernetes.leases("heterogeneous")), [
            "analytics-pulumi-tidb",
            "main-pulumi-tidb",
        ]);
        await dataLoaded(played);

        const before = played.events.length;
        assertOk(await run({ reserveSpace: "10GB" }));
        assert.deepEqual(stoppedPods(played, before), ["analytics-tikv-1", "analytics-tikv-0"]);
        assert.equal(eventsOf(played, ["eviction-begun"], before).length, 2);
        assertSafeStops(played, before);

        assertOk(await run({ reserveSpace: "10GB", analyticsStores: "1" }));
        assert.deepEqual(
            stores().filter((store) => !store.endsWith("Tombstone")),
            ["analytics-tikv-0 Up", ...ofMain],
        );
        assertUnchanged(await run({ reserveSpace: "10GB", analyticsStores: "1" }));
    });

    it("from YAML: the cluster is what the file says", async () => {
        const stack = openStack(arena(), "default", path.join(examples, "from-yaml"), "basic");
        const up = assertOk(await stack.run("up", { skipPreview: true }));
        assert.equal(up.outputs.host, "basic-tidb.default.svc:4000");
        await assertVersion(arena(), stack, "v8.5.3", 8);
        assertUnchanged(await stack.run("up"));
    });

    it("controller: its pods run, and its Roles are in the namespaces of the clusters", async () => {
        const stack = openStack(arena(), "controller", path.join(examples, "controller"), "none");
        const image = "registry.example/pulumi-tidb:0.1.0";
        const config = { namespace: "controller", image, clusterNamespaces: '["default"]' };
        const up = assertOk(await stack.run("up", { skipPreview: true, config }));
        assert.equal(up.outputs.endpoint, "tidb-controller.controller.svc:8080");
        assert.equal((await arena().kubernetes.pods("controller")).length, 2);
        assertUnchanged(await stack.run("up", { config }));
    });

    it("ci: pulumi-tidb plan, with the files of the program, finds nothing to do after an update", async () => {
        const folder = path.join(examples, "ci");
        const stack = openStack(arena(), "default", folder, "shop", "-ci");
        assertOk(await stack.run("up", { skipPreview: true }));
        const files = [path.join(folder, "cluster.yaml"), "--operations", path.join(folder, "operations.json")];
        const { exitCode, plan } = await runPlan(arena(), files);
        assert.deepEqual([exitCode, plan.entries, plan.isDeployed], [0, [], true]);
    });

    it("several volumes: one claim a volume and pod", async () => {
        await deployed("several-volumes", "volumes");
        assert.deepEqual(names(await arena().kubernetes.claims("several-volumes")), [
            "pd-log-volumes-pd-0",
            "pd-volumes-pd-0",
            "tidb-slowlog-volumes-tidb-0",
            ...[0, 1, 2].map((ordinal) => `tikv-log-volumes-tikv-${ordinal}`),
            ...[0, 1, 2].map((ordinal) => `tikv-raft-volumes-tikv-${ordinal}`),
            ...[0, 1, 2].map((ordinal) => `tikv-volumes-tikv-${ordinal}`),
        ]);
    });

    it("local volumes: a claim binds a disk of its pod's node, the pod comes back there, and a released disk is cleaned", async () => {
        const { stack, run } = await deployed("local-volumes", "local");
        const { kubernetes } = arena();
        const nodeOfPod = async (pod: string) =>
            (await kubernetes.pods("local-volumes")).find(({ metadata }) => metadata?.name === pod)?.spec?.nodeName;
        const volumeOf = async (claim: string) =>
            (await kubernetes.volumes("local-ssd")).find(({ spec }) => spec?.claimRef?.name === claim);
        for (const ordinal of [0, 1, 2]) {
            const pod = `local-tikv-${ordinal}`;
            const expressions = (await volumeOf(`tikv-${pod}`))?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0];
            assert.deepEqual(expressions?.matchExpressions?.[0].values, [await nodeOfPod(pod)]);
        }
        assertUnchanged(await run());

        const node = await nodeOfPod("local-tikv-1");
        await dataLoaded(stack.played());
        const before = stack.played().events.length;
        assertOk(await run({ version: "v8.5.4" }));
        assert.ok(stoppedPods(stack.played(), before).includes("local-tikv-1"));
        assert.equal(await nodeOfPod("local-tikv-1"), node);

        assertOk(await run({ version: "v8.5.4", stores: "4" }));
        const disk = await volumeOf("tikv-local-tikv-3");
        assertOk(await run({ version: "v8.5.4" }));
        // The ordinal comes back on an empty volume, so the claim that the scale-in released is deleted.
        assertOk(await run({ version: "v8.5.4", stores: "4" }));
        await until("the disk is a new volume", async () => {
            const volumes = await kubernetes.volumes("local-ssd");
            const now = volumes.find(({ metadata }) => metadata?.name === disk?.metadata?.name);
            return (now !== undefined && now.metadata?.uid !== disk?.metadata?.uid) || undefined;
        });
    });

    it("load balancer: its Service lets other clients in without a restart", async () => {
        const { stack, run, up } = await deployed("load-balancer", "public");
        assert.equal(up.outputs.host, "public-tidb.load-balancer.svc:3306");
        const before = stack.played().events.length;
        const again = assertOk(await run({ from: "192.168.0.0/16" }));
        assert.deepEqual([again.changes.update, again.changes.replace], [1, 0]);
        assert.deepEqual(stoppedPods(stack.played(), before), []);
    });
});

function names(objects: readonly { metadata?: { name?: string } }[]): string[] {
    return objects.map(({ metadata }) => metadata?.name ?? "").sort();
}
