import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import { assertFailed, assertOk, dataLoaded, messagesOf, planOf, stoppedPods, until } from "../support/e2e/expect";
import { type ClusterChange, clusterStack } from "../support/e2e/stack";
import { diagnosisOfStack } from "../support/e2e/statusCommand";

const namespace = "deleted-claims";
const at = (version: string, replicas = 3): ClusterChange => ({
    pd: { replicas: 1 },
    tikv: { replicas, version },
    tidb: { replicas: 1 },
});
const says = /claim tikv-demo-tikv-1 is being deleted, and Kubernetes deletes its volume once the pod stops/;

describeOnEngine("a claim of TiKV that somebody deletes under its pod", (arena) => {
    it("keeps the pod: the upgrade is refused, status and diagnosis name it; once PD has dropped the store, the upgrade goes through", async () => {
        const { sandbox, kubernetes } = arena();
        const stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(at("v8.5.3")));
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        await kubernetes.deleteClaim(namespace, "tikv-demo-tikv-1");

        assertFailed(await stack.preview(at("v8.5.5")), says, /have PD drop the data/);
        assertFailed(await stack.up(at("v8.5.5")), says);
        const suspended = { ...at("v8.5.3"), spec: { suspendAction: { suspendStatefulSet: true } } };
        assertFailed(await stack.up(suspended, { skipPreview: false }), says);
        assert.deepEqual(stoppedPods(played, before), []);
        // Without a preview the StatefulSet has got its template before its gate refused the restarts.
        const stale = ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"];
        const { exitCode, diagnosis } = await diagnosisOfStack(stack, sandbox.kubeconfig);
        assert.deepEqual([exitCode, diagnosis.problems.map(({ of }) => of)], [1, [["tikv-demo-tikv-1"], stale]]);

        // What the refusal says: nothing that restarts pods, another store for the regions, then PD drops this one.
        assertOk(await stack.up(at("v8.5.3"), { skipPreview: false }));
        const more = await stack.up(at("v8.5.3", 4), { skipPreview: false });
        assertOk(more);
        assert.match(messagesOf(more, "demo-tikv-rollout", "warning").join("\n"), says);
        const id = played.storeOfPod("demo-tikv-1")?.id;
        const [pd] = sandbox.dataPlane.pdUrls(namespace, "demo");
        assert.ok((await fetch(`${pd}/pd/api/v1/store/${id}`, { method: "DELETE" })).ok);
        await until(
            "PD has emptied the store",
            () => (played.stores().some((store) => store.id === id && store.state === "Tombstone") ? true : undefined),
            120_000,
        );
        // Nothing but a person lets that pod start anew: no update waits for its store.
        assertFailed(
            await stack.up(at("v8.5.3", 4)),
            says,
            /PD has dropped what is on it: .*kubectl delete pod demo-tikv-1/,
        );
        await kubernetes.deletePod(namespace, "demo-tikv-1");
        await until(
            "it is another store",
            () => {
                const store = played.storeOfPod("demo-tikv-1");
                return store?.state === "Up" && store.id !== id ? true : undefined;
            },
            120_000,
        );
        assert.equal(planOf(assertOk(await stack.preview(at("v8.5.5", 4))), "demo-tikv-rollout").length, 4);
        assertOk(await stack.up(at("v8.5.5", 4)));
    });
});
