import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    dataLoaded,
    isLockFree,
    messagesOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { RunningController } from "../support/e2e/runningController";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { repeats } from "../support/repeats";

const namespace = "drained";
const change = { operations: { disruptionBudgets: "gates" as const } };
const stores = ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"];

describeOnEngine("nodes that are being emptied", (arena) => {
    let stack: ClusterStack;
    let controller: RunningController | undefined;
    const nodeOf = async (pod: string) =>
        (await arena().kubernetes.pods(namespace)).find(({ metadata }) => metadata?.name === pod)?.spec?.nodeName ?? "";
    const podsOn = async (node: string) =>
        (await arena().kubernetes.pods(namespace))
            .filter(
                ({ metadata, spec }) => spec?.nodeName === node && /-(pd|tikv|tidb)-\d+$/.test(metadata?.name ?? ""),
            )
            .map(({ metadata }) => metadata?.name ?? "")
            .sort();
    const allNodes = async () =>
        [...new Set((await arena().kubernetes.nodes()).map(({ metadata }) => metadata?.name ?? ""))].sort();
    const cordon = (nodes: readonly string[], is = true) =>
        Promise.all(nodes.map((node) => arena().kubernetes.cordon(node, is)));

    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(change));
        await dataLoaded(stack.played());
    });

    afterEach(async function () {
        if (this.currentTest?.state === "failed") {
            console.log((controller?.lines ?? []).map((line) => JSON.stringify(line)).join("\n"));
        }
        await cordon(await allNodes(), false);
    });

    it("the PodDisruptionBudgets refuse the eviction of a store and of a PD, and allow that of a TiDB", async () => {
        const { kubernetes } = arena();
        assert.equal(await kubernetes.tryEviction(namespace, "demo-tikv-1"), 429);
        assert.equal(await kubernetes.tryEviction(namespace, "demo-pd-1"), 429);
        await until("the budget of TiDB is counted", async () =>
            (await kubernetes.tryEviction(namespace, "demo-tidb-1")) === 201 ? true : undefined,
        );
    });

    it("a cordoned node: the preview shows each move, and the update moves the pods, leaders first, each to another node", async () => {
        const played = stack.played();
        const node = await nodeOf("demo-tikv-1");
        const there = await podsOn(node);
        await cordon([node]);

        const preview = assertOk(await stack.preview(change));
        const moves = ["pd", "tikv", "tidb"].flatMap((one) => planOf(preview, `demo-${one}-rollout`));
        const targets = moves.flatMap((line) => /^move (\S+) /.exec(line)?.[1] ?? []).sort();
        assert.deepEqual(targets, there);
        assert.match(
            moves.find((line) => line.startsWith("move demo-tikv-1 ")) ?? "",
            new RegExp(
                `^move demo-tikv-1 \\(node ${node}, which is cordoned\\): (raise .*, )?evict \\d+ leaders, .*delete pod, which starts on another node, .*; until Ready, store Up`,
            ),
        );

        const before = played.events.length;
        assertOk(await stack.up(change, { skipPreview: false }));
        assert.deepEqual(stoppedPods(played, before).sort(), there);
        assertSafeStops(played, before);
        assert.deepEqual(await podsOn(node), []);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(change, { skipPreview: false }));
    });

    it("without `pulumi up`, the controller moves the pods, if it is asked to", async () => {
        const played = stack.played();
        const node = await nodeOf("demo-tikv-2");
        const there = await podsOn(node);
        const before = played.events.length;
        controller = new RunningController(arena().sandbox.kubeconfig, "--namespace", namespace, "--act", "drain");
        try {
            await until("the controller leads", async () => (await controller?.leads()) || undefined, 60_000);
            await cordon([node]);
            await until(
                "the node is empty",
                async () => ((await podsOn(node)).length === 0 ? true : undefined),
                300_000,
            );
            await until("the lock is free, and nothing is on record", async () => {
                const { evictions } = await arena().kubernetes.records(namespace, "demo");
                return Object.keys(evictions).length > 0 ? undefined : isLockFree(arena(), stack);
            });
            assert.ok(controller.said(new RegExp(`^move demo-tikv-2 away from node ${node}$`)));
        } finally {
            assert.equal(await controller.end("SIGTERM"), 0);
        }
        assert.deepEqual(stoppedPods(played, before).sort(), there);
        assertSafeStops(played, before);
        assertUnchanged(await stack.up(change, { skipPreview: false }));
    });

    it("no other node: nothing is moved, and the preview says why; the same for a volume that is on the node", async () => {
        const { kubernetes } = arena();
        const before = stack.played().events.length;
        await cordon(await allNodes());
        const none = assertOk(await stack.preview(change));
        for (const one of ["pd", "tikv", "tidb"]) {
            assert.deepEqual(planOf(none, `demo-${one}-rollout`), []);
        }
        repeats(messagesOf(none, "demo-tikv-rollout"), "demo-tikv-0");
        assertUnchanged(await stack.up(change));

        await cordon(await allNodes(), false);
        const node = await nodeOf("demo-tikv-0");
        const claim = (await kubernetes.claims(namespace)).find(
            ({ metadata }) => metadata?.name === "tikv-demo-tikv-0",
        );
        await kubernetes.pinVolume(claim?.spec?.volumeName ?? "", node);
        await cordon([node]);
        const bound = assertOk(await stack.preview(change));
        assert.deepEqual(planOf(bound, "demo-tikv-rollout"), []);
        repeats(messagesOf(bound, "demo-tikv-rollout"), node, "tikv-demo-tikv-0");
        const stopped = stoppedPods(stack.played(), before);
        assert.deepEqual(
            stores.filter((pod) => stopped.includes(pod)),
            [],
        );
    });
});
