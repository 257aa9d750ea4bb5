import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    messagesOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterChange, clusterStack } from "../support/e2e/stack";
import { repeats } from "../support/repeats";

describeOnEngine("placement by the real scheduler", (arena) => {
    const tidb = { replicas: 1 };
    /** How many pods of a member each node has, the most first. */
    const perNode = async (namespace: string, component: string): Promise<number[]> => {
        const nodes = (await arena().kubernetes.pods(namespace))
            .filter(({ metadata }) => metadata?.labels?.["app.kubernetes.io/component"] === component)
            .map(({ spec }) => spec?.nodeName);
        return [...new Set(nodes)].map((name) => nodes.filter((node) => node === name).length).sort((a, b) => b - a);
    };
    const cordon = (nodes: number[], is = true) =>
        Promise.all(nodes.map((node) => arena().kubernetes.cordon(`node-${node}`, is)));

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
        repeats(messagesOf(preview, "demo-pd-scale"), "topologySpreadConstraints");
        assertOk(await stack.up(upgrade));
        assertUnchanged(await stack.up(upgrade));

        const before = stack.played().events.length;
        const five = { ...upgrade, pd: { replicas: 5 } };
        assertOk(await stack.up(five));
        assert.deepEqual(stoppedPods(stack.played(), before), []);
        assertUnchanged(await stack.up(five));
    });

    it("five PD on three nodes are 2-2-1, also after a node was away; and three TiKV are on three nodes", async () => {
        await cordon([3, 4, 5]);
        const five = { pd: { replicas: 5 }, tidb };
        const stack = await clusterStack(arena(), "three-nodes");
        assertOk(await stack.up(five));
        assert.deepEqual(await perNode(stack.namespace, "pd"), [2, 2, 1]);
        assert.deepEqual(await perNode(stack.namespace, "tikv"), [1, 1, 1]);

        const { kubernetes } = arena();
        const members = async () =>
            (await kubernetes.pods(stack.namespace)).filter(({ metadata }) => metadata?.name?.startsWith("demo-pd-"));
        const there = (await members()).filter(({ spec }) => spec?.nodeName === "node-2");
        await cordon([2]);
        for (const { metadata } of there) {
            await kubernetes.deletePod(stack.namespace, metadata?.name ?? "");
        }
        // On two nodes the limit is 2-2, so one waits, whether one or two were on the third.
        await until("one member waits for a node", async () => {
            const now = await members();
            const waiting = now.filter(({ spec }) => spec?.nodeName === undefined);
            const isNew = !now.some(({ metadata }) => there.some((old) => old.metadata?.uid === metadata?.uid));
            return now.length === 5 && isNew && waiting.length === 1 ? true : undefined;
        });
        await cordon([2], false);
        await until("all members are Ready", async () => {
            const ready = (await members()).filter(({ status }) =>
                status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
            );
            return ready.length === 5 ? true : undefined;
        });
        assert.deepEqual(await perNode(stack.namespace, "pd"), [2, 2, 1]);
        assertUnchanged(await stack.up(five, { skipPreview: false }));
        assertOk(await stack.destroy(five));
    });

    it("five PD that are 3-2 without constraints become 2-2-1 with the third node back, once the program says `now`; TiKV too", async () => {
        await cordon([2, 3, 4, 5]);
        const stack = await clusterStack(arena(), "crowded");
        const five: ClusterChange = { pd: { replicas: 5 }, tidb };
        const now: ClusterChange = { ...five, operations: { placement: "now" } };
        assertOk(await stack.up({ ...five, operations: { placement: "off" } }));
        assert.deepEqual(await perNode(stack.namespace, "pd"), [3, 2]);
        const crowd = /node node-[01] has 3 of the 5 pods of demo-pd, expected at most 2: /;
        assertFailed(await stack.preview(now), /1 must leave, and other nodes surely take 0/);

        await cordon([2], false);
        const idle = await stack.preview(five);
        assertUnchanged(idle);
        assert.match(messagesOf(idle, "demo-pd-scale").join("\n"), crowd);

        const preview = assertOk(await stack.preview(now));
        assert.equal(planOf(preview, "demo-pd-rollout").filter((line) => line.startsWith("restart ")).length, 5);
        const before = stack.played().events.length;
        assertOk(await stack.up(now));
        assert.deepEqual(await perNode(stack.namespace, "pd"), [2, 2, 1]);
        assert.deepEqual(await perNode(stack.namespace, "tikv"), [1, 1, 1]);
        assertSafeStops(stack.played(), before);
        assertUnchanged(await stack.up(five, { skipPreview: false }));
        assertOk(await stack.destroy(five));
    });

    it("five PD on two nodes: the fifth waits, and the update fails with the scheduler's reason", async () => {
        await cordon([2]);
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
