import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
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
import { RunningController } from "../support/e2e/runningController";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";

const namespace = "failover";
const change = {
    pd: { replicas: 1 },
    tidb: { replicas: 1 },
    tikv: { replicas: 4 },
    operations: { timeouts: { podReadySeconds: 60 }, failover: { periodSeconds: 3 } },
};

describeOnEngine("failover", (arena) => {
    let stack: ClusterStack;
    let dead: string;
    let controller: RunningController | undefined;
    const tikv = () => arena().kubernetes.statefulSet(namespace, "demo-tikv");
    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(change));
        await dataLoaded(stack.played());
    });

    afterEach(function () {
        if (this.currentTest?.state === "failed") {
            console.log((controller?.lines ?? []).map((line) => JSON.stringify(line)).join("\n"));
        }
    });

    it("a node that dies takes its store with it: the preview names the store, and the update adds another one", async () => {
        const played = stack.played();
        const before = played.events.length;
        const pods = await arena().kubernetes.pods(namespace);
        const aloneOnNode = (name: string) =>
            pods.filter(
                ({ spec }) => spec?.nodeName === pods.find((one) => one.metadata?.name === name)?.spec?.nodeName,
            ).length === 1;
        dead = ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2", "demo-tikv-3"].find(aloneOnNode) ?? "demo-tikv-1";
        const id = played.storeOfPod(dead)?.id;
        const node = await arena().kubernetes.setNodeOf(namespace, dead, "Unknown");
        arena().sandbox.dataPlane.faults(namespace, "demo").stores[dead] = { dead: true };

        const early = assertOk(await stack.preview(change));
        assert.deepEqual(planOf(early, "demo-tikv-scale"), [], "not before PD calls it Down for the whole period");
        assert.match(messagesOf(early, "demo-tikv-scale").join("\n"), /seems dead|is not replaced/);

        const plan = await until("the preview replaces the store", async () => {
            const steps = planOf(assertOk(await stack.preview(change)), "demo-tikv-scale");
            return steps.length > 0 ? steps : undefined;
        });
        assert.match(
            plan.join("\n"),
            new RegExp(
                `^replace ${dead} \\(store ${id} \\(${dead}\\) is dead: PD says Down, and node ${node} is not Ready .*: add demo-tikv-4`,
            ),
        );
        assertOk(await stack.up(change, { skipPreview: false }));
        assert.equal((await tikv()).replicas, 5);
        assert.equal(played.storeOfPod("demo-tikv-4")?.state, "Up");
        assert.deepEqual(
            stoppedPods(played, before),
            [],
            "nothing is restarted, and the dead store's pod and volume stay",
        );
        assert.deepEqual(eventsOf(played, ["store-deleted"], before), []);
    });

    it("the next update with the same program changes no object", async () => {
        const { generation } = await tikv();
        const again = await stack.up(change, { skipPreview: false });
        assertUnchanged(again);
        assert.deepEqual(await tikv(), { replicas: 5, generation });
    });

    it("the dead one returns: the preview says so, and recoverFailover removes the replacement by PD's Tombstone", async () => {
        const played = stack.played();
        const before = played.events.length;
        delete arena().sandbox.dataPlane.faults(namespace, "demo").stores[dead];
        await arena().kubernetes.setNodeOf(namespace, dead, "True");
        await until("the store is Up again", () => (played.storeOfPod(dead)?.state === "Up" ? true : undefined));
        const preview = assertOk(await stack.preview(change));
        assert.match(
            messagesOf(preview, "demo-tikv-scale").join("\n"),
            /all are back\. Set spec\.tikv\.failover\.recoverByUID/,
        );
        assert.equal((await tikv()).replicas, 5);
        const recovers = { ...change, tikv: { replicas: 4, recoverFailover: true } };
        assertOk(await stack.up(recovers, { skipPreview: false }));
        assert.equal((await tikv()).replicas, 4);
        assert.equal(eventsOf(played, ["store-deleted"], before).length, 1);
        assert.deepEqual(await arena().kubernetes.records(namespace, "demo"), { evictions: {}, removals: {} });
        await assertNothingLeft(arena(), stack);
    });

    it("without `pulumi up`, the controller adds the store; the next update changes no object, and may take it away again", async () => {
        const { kubernetes, sandbox } = arena();
        const { stores } = sandbox.dataPlane.faults(namespace, "demo");
        const played = stack.played();
        const before = played.events.length;
        controller = new RunningController(sandbox.kubeconfig, "--namespace", namespace);
        try {
            await until("the controller leads", async () => (await controller?.leads()) || undefined, 60_000);
            await kubernetes.setNodeOf(namespace, dead, "Unknown");
            stores[dead] = { dead: true };
            await until("the replacement", () => (played.storeOfPod("demo-tikv-4")?.state === "Up" ? true : undefined));
            assert.ok(controller.said(/^scale StatefulSet demo-tikv from 4 to 5$/));
            await until("the lock is free", async () => {
                const [lease] = await kubernetes.leases(namespace);
                return lease.spec?.holderIdentity ? undefined : true;
            });
        } finally {
            assert.equal(await controller.end("SIGTERM"), 0);
        }
        assert.deepEqual(stoppedPods(played, before), [], "nothing is restarted");
        const { generation, replicas } = await tikv();
        assert.equal(replicas, 5);

        assert.deepEqual(planOf(assertOk(await stack.preview(change)), "demo-tikv-scale"), [
            "take over the number of replicas, which the controller has changed for a replacement",
        ]);
        assertOk(await stack.up(change, { skipPreview: false }));
        assert.deepEqual(await tikv(), { replicas: 5, generation }, "the update knows of the replacement");

        delete stores[dead];
        await kubernetes.setNodeOf(namespace, dead, "True");
        await until("the store is Up again", () => (played.storeOfPod(dead)?.state === "Up" ? true : undefined));
        const recovers = { ...change, tikv: { replicas: 4, recoverFailover: true } };
        assertOk(await stack.up(recovers, { skipPreview: false }));
        assert.equal((await tikv()).replicas, 4, "no conflict between field managers");
    });
});
