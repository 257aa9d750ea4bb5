import * as assert from "node:assert/strict";
import * as path from "node:path";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    dataLoaded,
    eventsOf,
    messagesOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { diagnosisOfStack, statusOfStack } from "../support/e2e/statusCommand";
import { clusterConfig, type ClusterStack, clusterStack, openStack, parameterisedProgram } from "../support/e2e/stack";
import { repeats } from "../support/repeats";

const small = { pd: { replicas: 1 }, tidb: { replicas: 1 } };
/** The usual small cluster of a namespace, with its configuration changed. */
const changed = (namespace: string, change: (args: Args) => void) => {
    const args = JSON.parse(clusterConfig(namespace, small).cluster) as Args;
    change(args);
    return { config: { cluster: JSON.stringify(args) } };
};
interface Args {
    metadata: { namespace: string; name?: string };
    spec: { tikv?: object };
}
const tiflash = { replicas: 1, storageClaims: [{ resources: { requests: { storage: "1Gi" } } }], config: {} };

describeOnEngine("what passes no other gate", (arena) => {
    /** The cluster of the tests that change nothing. The first of them deploys it. */
    let refused: Promise<ClusterStack> | undefined;
    const refusedStack = () => (refused ??= deploy("refused"));
    async function deploy(namespace: string): Promise<ClusterStack> {
        const stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(small));
        return stack;
    }

    it("a program without TiKV, with another name or in another namespace, is refused in the preview", async () => {
        const stack = await refusedStack();
        const before = stack.played().events.length;
        const refusals: [(args: Args) => void, RegExp][] = [
            [({ spec }) => delete spec.tikv, /spec\.tikv: found none, expected the member to stay.*demo-tikv-0/],
            [({ metadata }) => (metadata.name = "shop"), /metadata\.name: found shop, expected demo/],
            [({ metadata }) => (metadata.namespace = "other"), /metadata\.namespace: found other, expected refused/],
        ];
        for (const [change, refusal] of refusals) {
            const options = changed("refused", change);
            assertFailed(await stack.preview(small, options), refusal);
            assertFailed(await stack.up(small, options), refusal);
        }
        assert.deepEqual(stoppedPods(stack.played(), before), []);
        assertUnchanged(await stack.up(small));
    });

    it("a StatefulSet, a Service and a ConfigMap that somebody deleted come back with a refresh, and no other pod stops", async () => {
        const stack = await refusedStack();
        const { kubernetes } = arena();
        const uids = async () =>
            new Map((await kubernetes.pods("refused")).map(({ metadata }) => [metadata?.name, metadata?.uid]));
        const config = await kubernetes.mountedConfig("refused", "demo-tidb");
        const before = await uids();
        await kubernetes.deleteMember("refused", "demo-tidb", config.name);

        const preview = assertOk(await stack.preview(small));
        const warnings = messagesOf(preview, "demo-tidb-rollout", "warning");
        repeats(warnings, "StatefulSet demo-tidb", "`pulumi up --refresh`");
        const { exitCode, diagnosis } = await diagnosisOfStack(stack, arena().sandbox.kubeconfig);
        assert.deepEqual(
            [exitCode, diagnosis.problems.map(({ pods, fix }) => [pods, /`pulumi up --refresh`/.test(fix)])],
            [1, [[["demo-tidb-0"], true]]],
        );
        assertOk(await stack.run("refresh", { config: clusterConfig("refused", small) }));
        assertOk(await stack.up(small));
        assert.deepEqual(await kubernetes.mountedConfig("refused", "demo-tidb"), config);
        assert.equal((await kubernetes.statefulSet("refused", "demo-tidb")).replicas, 1);
        const after = await uids();
        const same = [...after].filter(([name, uid]) => before.get(name) === uid).map(([name]) => name);
        assert.deepEqual(
            [...before.keys()].filter((name) => !same.includes(name)),
            ["demo-tidb-0"],
        );
        assert.deepEqual([...after.keys()].sort(), [...before.keys()].sort());
        assertUnchanged(await stack.up(small, { skipPreview: false }));
    });

    it("TiFlash that left the program is out of PD before its pods stop", async () => {
        const stack = await clusterStack(arena(), "leaving");
        assertOk(await stack.up({ ...small, spec: { tiflash } }));
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        assertFailed(await stack.preview(small), /spec\.tiflash: found none, .*a table has 1 TiFlash replicas/);
        played.setTiflashReplicas(0);
        const preview = assertOk(await stack.preview(small));
        assert.match(
            planOf(preview, "demo-cluster")[0],
            /^remove demo-tiflash-0 \(tiflash left the program\): remove store/,
        );
        assertOk(await stack.up(small));
        const store = played.stores().find(({ engine }) => engine === "tiflash");
        assert.equal(store?.state ?? "Tombstone", "Tombstone");
        const kinds = () => eventsOf(played, ["store-tombstone", "pod-stopped"], before).map(({ kind }) => kind);
        await until("TiFlash's pod has stopped", () => kinds().includes("pod-stopped"));
        assert.deepEqual(kinds(), ["store-tombstone", "pod-stopped"]);
        assertUnchanged(await stack.up(small));
        assert.deepEqual(await notedMembers("leaving"), ["pd", "tidb", "tiflash", "tikv"]);
        const { status } = await statusOfStack(stack, arena().sandbox.kubeconfig);
        assert.deepEqual(
            [status.conditions[0]?.status, status.members.map(({ component }) => component)],
            ["True", ["pd", "tikv", "tidb"]],
        );
    });

    it("a second stack is refused in its preview, and told whose the cluster is", async () => {
        const stack = await refusedStack();
        const elsewhere = openStack(arena(), "refused", parameterisedProgram, "demo", "-elsewhere");
        const config = clusterConfig("refused", small);
        assertFailed(await elsewhere.run("preview", { config }), /this stack's state does not contain it/);
        const second = arena().driver.start("preview", {
            program: parameterisedProgram,
            stack: "second",
            stateFolder: path.join(arena().folder, "second"),
            config,
            environment: { KUBECONFIG: arena().sandbox.kubeconfig, PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
        });
        const whose = /Lease refused\/demo-pulumi-tidb: the cluster belongs to stack organization\/[^/]+\/refused/;
        assertFailed(await second.done, whose);
        assertUnchanged(await stack.up(small));
    });

    it("`pulumi destroy` ends what a run that was killed began, and leaves nothing on record", async () => {
        const stack = await deploy("destroyed");
        const played = stack.played();
        await dataLoaded(played);
        const roll = stack.startUp({ ...small, version: "v8.5.3" });
        await until("an eviction has begun", () => eventsOf(played, ["eviction-begun"]).length > 0);
        roll.kill();
        await roll.done;
        const before = played.events.length;
        assertOk(await stack.destroy(small));
        const events = eventsOf(played, ["eviction-ended", "pod-stopped"], before);
        assert.equal(events[0]?.kind, "eviction-ended");
        await assertNothingLeft(arena(), stack);
        assert.deepEqual(await arena().kubernetes.leases("destroyed"), []);
    });

    async function notedMembers(namespace: string): Promise<string[]> {
        const [lease] = await arena().kubernetes.leases(namespace);
        const text = lease.metadata?.annotations?.["pulumi-tidb.io/members"] ?? "{}";
        return Object.keys(JSON.parse(text) as object).sort();
    }
});
