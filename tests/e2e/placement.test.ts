import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk, assertUnchanged, messagesOf, planOf, stoppedPods } from "../support/e2e/expect";
import { type ClusterChange, clusterStack } from "../support/e2e/stack";

describeOnEngine("placement by the real scheduler", (arena) => {
    const tidb = { replicas: 1 };
    /** How many pods of a member each node has, the most first. */
    const perNode = async (namespace: string, component: string): Promise<number[]> => {
        const nodes = (await arena().kubernetes.pods(namespace))
            .filter(({ metadata }) => metadata?.labels?.["app.kubernetes.io/component"] === component)
            .map(({ spec }) => spec?.nodeName);
        return [...new Set(nodes)].map((name) => nodes.filter((node) => node === name).length).sort((a, b) => b - a);
    };
    const cordon = (...nodes: number[]) =>
        Promise.all(nodes.map((node) => arena().kubernetes.cordon(`node-${node}`, true)));

    it("a cluster that an earlier version deployed is not restarted for it; it comes with the next change, and a scale-out restarts nothing", async () => {
        const stack = await clusterStack(arena(), "placed-later");
        // Without the option, the gates' inputs and the objects are those of earlier versions.
        const earlier: ClusterChange = { tidb, operations: { placement: "off" } };
        assertOk(await stack.up(earlier));
        const pods = (await arena().kubernetes.pods(stack.namespace)).map(({ metadata }) => metadata?.uid).sort();
        assertUnchanged(await stack.preview({ tidb }));
        assertUnchanged(await stack.up({ tidb }));
        const after = (await arena().kubernetes.pods(stack.namespace)).map(({ metadata }) => metadata?.uid).sort();
        assert.deepEqual(after, pods);

        const upgrade = { tidb, version: "v8.5.3" };
        const preview = assertOk(await stack.preview(upgrade));
        assert.equal(planOf(preview, "demo-pd-rollout").filter((line) => line.startsWith("restart ")).length, 3);
        assert.match(
            messagesOf(preview, "demo-pd-scale").join("\n"),
            /its pod template changes anyway, and gets the default topologySpreadConstraints/,
        );
        assertOk(await stack.up(upgrade));
        assertUnchanged(await stack.up(upgrade));

        const before = stack.played().events.length;
        const five = { ...upgrade, pd: { replicas: 5 } };
        assertOk(await stack.up(five));
        assert.deepEqual(stoppedPods(stack.played(), before), []);
        assertUnchanged(await stack.up(five));
    });

    it("five PD on three nodes are 2-2-1, and three TiKV are on three nodes", async () => {
        await cordon(3, 4, 5);
        const stack = await clusterStack(arena(), "three-nodes");
        assertOk(await stack.up({ pd: { replicas: 5 }, tidb }));
        assert.deepEqual(await perNode(stack.namespace, "pd"), [2, 2, 1]);
        assert.deepEqual(await perNode(stack.namespace, "tikv"), [1, 1, 1]);
        assertOk(await stack.destroy({ pd: { replicas: 5 }, tidb }));
    });

    it("five PD on two nodes: the fifth waits, and the update fails with the scheduler's reason", async () => {
        await cordon(2);
        const stack = await clusterStack(arena(), "two-nodes");
        const run = await stack.up({ pd: { replicas: 5 }, tidb, operations: { timeouts: { podReadySeconds: 8 } } });
        assertFailed(run, /demo-pd-\d/, /didn't match pod topology spread constraints/);
        const pods = (await arena().kubernetes.pods(stack.namespace)).filter(({ metadata }) =>
            metadata?.name?.startsWith("demo-pd-"),
        );
        const scheduled = pods.filter(({ spec }) => spec?.nodeName !== undefined);
        assert.deepEqual([pods.length, scheduled.length], [5, 4]);
        const placed = scheduled.map(({ spec }) => spec?.nodeName).sort();
        assert.deepEqual(placed, ["node-0", "node-0", "node-1", "node-1"]);
    });
});
