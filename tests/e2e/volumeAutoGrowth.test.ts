import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk, assertUnchanged, messagesOf, planOf, stoppedPods, until } from "../support/e2e/expect";
import { RunningController } from "../support/e2e/runningController";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { repeats } from "../support/repeats";

const namespace = "filling";
const gibibytes = (count: number) => count * 1024 ** 3;
const change: ClusterChange = {
    pd: { replicas: 1, requests: { storage: "10Gi" } },
    tikv: { replicas: 3, requests: { storage: "10Gi" } },
    tidb: { replicas: 1 },
    operations: { volumes: { max: "13Gi" } },
};

describeOnEngine("volumes that grow with their use", (arena) => {
    let stack: ClusterStack;
    /** PD reports the store's disk with this size, and so much of it used, in percent. */
    const fill = (ordinal: number, size: number, used: number) => {
        const disk = { diskBytes: gibibytes(size), freeBytes: (gibibytes(size) * (100 - used)) / 100 };
        Object.assign((stack.played().faults.stores[`demo-tikv-${ordinal}`] ??= {}), disk);
    };
    const claims = async () =>
        (await arena().kubernetes.claims(namespace)).filter(({ metadata }) =>
            metadata?.name?.startsWith("tikv-demo-tikv-"),
        );
    const sizes = async () => (await claims()).map(({ status }) => status?.capacity?.storage);

    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(change));
        [0, 1, 2].forEach((ordinal) => fill(ordinal, 10, 50));
    });

    it("the preview shows which, and why; the update enlarges it alone and once, and stops no pod", async () => {
        fill(1, 10, 85);
        const plan = planOf(assertOk(await stack.preview(change)), "demo-tikv-scale");
        assert.equal(plan.length, 1);
        assert.ok(
            plan[0].startsWith(
                "grow the volumes of demo-tikv-1 (10Gi to 12Gi: used 85% of 10.0 GiB, growAt 80%): request tikv-demo-tikv-1 from 10Gi to 12Gi",
            ),
            plan[0],
        );
        assertOk(await stack.up(change, { skipPreview: false }));
        assert.deepEqual(await sizes(), ["10Gi", "12Gi", "10Gi"]);
        assert.deepEqual(stoppedPods(stack.played()), []);
        // PD still reports the disk of before.
        assertUnchanged(await stack.up(change, { skipPreview: false }));
        fill(1, 12, 71);
        const after = assertOk(await stack.preview(change));
        assert.deepEqual(planOf(after, "demo-tikv-scale"), []);
        repeats(messagesOf(after, "demo-tikv-scale"), "tikv-demo-tikv-1", "operations.volumes", "from 10Gi");
    });

    it("without `pulumi up`, the controller enlarges them, if it is asked to", async () => {
        fill(2, 10, 90);
        const controller = new RunningController(arena().sandbox.kubeconfig, "--namespace", namespace, "--act", "grow");
        try {
            await until("the volume has grown", async () => ((await sizes())[2] === "12Gi" ? true : undefined), 60_000);
            assert.ok(controller.said(/^grow tikv-demo-tikv-2 from 10Gi to 12Gi$/));
        } finally {
            assert.equal(await controller.end("SIGTERM"), 0);
        }
        fill(2, 12, 75);
        assertUnchanged(await stack.up(change, { skipPreview: false }));
    });

    it("they grow up to the largest size, where a warning says so", async () => {
        fill(1, 12, 95);
        assertOk(await stack.up(change));
        assert.deepEqual(await sizes(), ["10Gi", "13Gi", "12Gi"]);
        fill(1, 13, 95);
        const preview = assertOk(await stack.preview(change));
        assert.deepEqual(planOf(preview, "demo-tikv-scale"), []);
        repeats(
            messagesOf(preview, "demo-tikv-scale", "warning"),
            "tikv-demo-tikv-1",
            "operations.volumes.max",
            "13Gi",
        );
    });
});
