import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk, assertUnchanged, messagesOf, planOf, stoppedPods } from "../support/e2e/expect";
import { kubernetesObjects, type KubernetesObjects } from "../support/e2e/kubernetesObjects";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";

describeOnEngine("fields of a pod template that kubectl wrote", (arena) => {
    const to = (tidb: number) => ({ pd: { replicas: 1 }, tikv: { replicas: 3 }, tidb: { replicas: tidb } });
    let stack: ClusterStack;
    let objects: KubernetesObjects;
    before(async () => {
        stack = await clusterStack(arena(), "foreign");
        assertOk(await stack.up(to(2)));
        objects = await kubernetesObjects(arena().sandbox.kubeconfig, "foreign");
        await objects.annotateTemplate("demo-tidb", "by-hand", "yes");
    });

    const restartsOf = (lines: readonly string[]): string[] =>
        lines.flatMap((line) => /^restart (\S+)/.exec(line)?.[1] ?? []);

    /** Runs an update. @returns the TiDB pods that its preview restarts, after the update has restarted these and no others */
    async function restarted(tidb: number): Promise<string[]> {
        const preview = assertOk(await stack.preview(to(tidb)));
        const planned = restartsOf(planOf(preview, "demo-tidb-rollout"));
        const before = stack.played().events.length;
        assertOk(await stack.up(to(tidb)));
        assert.deepEqual(stoppedPods(stack.played(), before), planned);
        return planned;
    }

    it("are rolled out by the next update, as its preview says", async () => {
        assert.deepEqual(await restarted(2), ["demo-tidb-1", "demo-tidb-0"]);
        assert.equal((await objects.templateAnnotations("demo-tidb"))["by-hand"], "yes");
        assertUnchanged(await stack.up(to(2)));
    });

    it("are taken out by an update that adds a pod: its preview shows the restarts that follow, and says why", async () => {
        const said = messagesOf(assertOk(await stack.preview(to(3))), "demo-tidb-rollout").join("\n");
        assert.match(
            said,
            /kubectl-patch, which is not Pulumi, .*: this update takes them out, which restarts the pods/,
        );
        assert.deepEqual(await restarted(3), ["demo-tidb-1", "demo-tidb-0"]);
        assert.equal((await objects.templateAnnotations("demo-tidb"))["by-hand"], undefined);
        assertUnchanged(await stack.up(to(3)));
    });
});
