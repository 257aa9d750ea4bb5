import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk, assertUnchanged, messagesOf, planOf, stoppedPods } from "../support/e2e/expect";
import { kubernetesObjects, type KubernetesObjects } from "../support/e2e/kubernetesObjects";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { repeats } from "../support/repeats";

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

    it("are rolled out by the next update, as its preview says", async () => {
        const plan = planOf(assertOk(await stack.preview(to(2))), "demo-tidb-rollout");
        const planned = plan.flatMap((line) => /^restart (\S+)/.exec(line)?.[1] ?? []);
        assert.deepEqual(planned, ["demo-tidb-1", "demo-tidb-0"]);
        assert.match(plan[0], /\(old revision \w+; the newest one differs in metadata\.annotations\.by-hand\): /);
        const before = stack.played().events.length;
        assertOk(await stack.up(to(2)));
        assert.deepEqual(stoppedPods(stack.played(), before), planned);
        assert.equal((await objects.templateAnnotations("demo-tidb"))["by-hand"], "yes");
        assertUnchanged(await stack.up(to(2)));
    });

    it("are taken out by an update that adds a pod, and its preview warns of the restarts, which come one at a time", async () => {
        const preview = assertOk(await stack.preview(to(3)));
        assert.match(
            messagesOf(preview, "demo-tidb-rollout").join("\n"),
            /risk: see the warning: pods of demo-tidb may restart without a step/,
        );
        repeats(messagesOf(preview, "demo-tidb-rollout", "warning"), "kubectl-patch");
        const before = stack.played().events.length;
        assertOk(await stack.up(to(3)));
        assert.deepEqual(stoppedPods(stack.played(), before), ["demo-tidb-1", "demo-tidb-0"]);
        assert.equal((await objects.templateAnnotations("demo-tidb"))["by-hand"], undefined);
        const after = messagesOf(assertOk(await stack.preview(to(3))), "demo-tidb-rollout", "warning").join("\n");
        assert.doesNotMatch(after, /kubectl-patch/);
        assertUnchanged(await stack.up(to(3)));
    });

    it("are a number of replicas, too: one that is lowered by hand is raised again by the next update, as its preview says", async () => {
        await objects.scale("demo-tidb", 1);
        const [first] = planOf(assertOk(await stack.preview(to(3))), "demo-tidb-scale");
        assert.match(
            first,
            /^scale StatefulSet demo-tidb from 1 to 3: kubectl has changed it, which Pulumi does not see$/,
        );
        assertOk(await stack.up(to(3)));
        assert.equal(await objects.replicas("demo-tidb"), 3);
        assertUnchanged(await stack.up(to(3)));
        assertOk(await stack.up(to(2)));
        assert.equal(await objects.replicas("demo-tidb"), 2);
    });

    it("are taken over where the program has the number that somebody has set, so a later number meets no conflict", async () => {
        await objects.scale("demo-tidb", 3);
        const change = assertOk(await stack.preview(to(3)));
        const taken = planOf(change, "demo-tidb-scale").join("\n");
        assert.match(taken, /^take over the replicas of demo-tidb: 3 set by kubectl$/m);
        assertOk(await stack.up(to(3)));
        assertUnchanged(await stack.up(to(3)));
        assertOk(await stack.preview(to(2)));
        assertOk(await stack.up(to(2)));
        assert.equal(await objects.replicas("demo-tidb"), 2);
    });

    it("stop no preview and no update, whoever set the number and whatever else changes", async () => {
        const annotated = (replicas: number) => ({
            ...to(2),
            tidb: { replicas, annotations: { "by-program": "yes" } },
        });
        const writers: [manager: string, how: "scale" | "whole"][] = [
            ["kubectl", "scale"],
            ["kube-controller-manager", "scale"],
            ["kubectl-edit", "whole"],
            ["tidb-controller-manager", "whole"],
        ];
        for (const [index, [manager, how]] of writers.entries()) {
            const seen = 3 + index;
            await objects.scale("demo-tidb", seen, { manager, how });
            // The number of the last update, and a third one.
            const asked = index % 2 === 0 ? 2 : 1;
            const plan = planOf(assertOk(await stack.preview(annotated(asked))), "demo-tidb-scale").join("\n");
            const words =
                asked === 2
                    ? `scale StatefulSet demo-tidb from ${seen} to 2: ${manager} has changed it`
                    : `take over the replicas of demo-tidb: ${seen} set by ${manager}; this update sets 1`;
            assert.ok(plan.includes(words), plan);
            assert.equal(await objects.replicas("demo-tidb"), seen, "a preview changes nothing");
        }
        assertOk(await stack.up(annotated(1), { skipPreview: false }));
        assert.equal(await objects.replicas("demo-tidb"), 1);
        assert.equal((await objects.templateAnnotations("demo-tidb"))["by-program"], "yes");
        assertUnchanged(await stack.up(annotated(1)));
    });

    it("are taken back again and again, also of a StatefulSet that Pulumi has only created", async () => {
        for (const time of ["first", "second"]) {
            await objects.scale("demo-tikv", 4);
            assertOk(await stack.up(to(2)));
            assert.equal(await objects.replicas("demo-tikv"), 3, time);
        }
        assertUnchanged(await stack.up(to(2)));
    });
});
