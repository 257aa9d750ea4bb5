import * as assert from "node:assert/strict";
import { loadKubeConfig } from "../../provider/cluster/kubeConfig";
import { createKubernetesApi } from "../../provider/cluster/kubernetesApi";
import { createPdClient } from "../../provider/pd";
import type { ClusterSweep } from "../../sweep/clusterSweep";
import { type Arena, describeOnEngine } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    dataLoaded,
    eventsOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { sweepStack } from "../support/e2e/statusCommand";

const small = { pd: { replicas: 1 }, tidb: { replicas: 1 }, spec: { ticdc: { replicas: 1 } } };
/** TiKV alone is restarted. */
const upgraded = { ...small, tikv: { version: "v8.5.3" } };

const inShort = ({ leftovers }: ClusterSweep) =>
    leftovers
        .filter(({ kind }) => kind !== "pd-lock") // It expires at about the same time as the Lease.
        .map(({ kind, target, verdict, isOurs, isRemoved }) => [kind, target, verdict, isOurs, isRemoved].join(" "));

/** Records that a shutdown of a TiCDC pod has begun, as a run does right before it. */
async function noteShutdown({ sandbox, kubernetes }: Arena, name: string): Promise<void> {
    const pod = (await kubernetes.pods("swept")).find(({ metadata }) => metadata?.name === name);
    const api = await createKubernetesApi(await loadKubeConfig({ kubeconfig: sandbox.kubeconfig }));
    await api.noteShutdown("swept", name, pod!.metadata!.uid!, new Date());
}

describeOnEngine("a sweep", (arena) => {
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), "swept");
        assertOk(await stack.up(small));
    });

    it("refuses a run that works, removes what a killed one left and nothing else, and the next update finishes", async () => {
        const { dataPlane, kubeconfig } = arena().sandbox;
        const played = stack.played();
        await dataLoaded(played);
        const storeOf = (pod: string) => played.stores().find((store) => store.pod === pod)!.id;
        const [foreign, own] = [storeOf("demo-tikv-0"), storeOf("demo-tikv-2")];
        const nothing = await sweepStack(stack, kubeconfig);
        assert.deepEqual([inShort(nothing.document), nothing.exitCode, nothing.errors], [[], 0, ""]);

        const { stores } = dataPlane.faults("swept", "demo");
        stores["demo-tikv-2"] = { evictedLeadersPerSecond: 0 };
        const before = played.events.length;
        const run = stack.startUp(upgraded);
        await until("the first eviction", () => eventsOf(played, ["eviction-begun"], before)[0], 300_000);
        await assert.rejects(
            sweepStack(stack, kubeconfig, "--yes"),
            /error: sweep: swept\/demo: \S+@\S+, process \d+ \(\w+\) works on the cluster \(.*\)\. Next: nothing was removed\. .*: npx pulumi-tidb stop demo --namespace swept\.\n$/,
        );
        assert.equal(eventsOf(played, ["eviction-ended"], before).length, 0);
        run.kill();
        assert.ok(!(await run.done).ok, "the run was killed");
        // A run evicts no store beside somebody else's eviction, so it comes only now.
        const endpoints = dataPlane.pdUrls("swept", "demo").map((url) => ({ name: url, url }));
        const byHand = createPdClient({ endpoints });
        await byHand.beginLeaderEviction(foreign);

        await noteShutdown(arena(), "demo-ticdc-0");

        const left = [
            `eviction store ${own} (demo-tikv-2) remove true `,
            `eviction store ${foreign} (demo-tikv-0) keep false `,
            "shutdown demo-ticdc-0 remove true ",
            "lock Lease demo-pulumi-tidb remove true ",
        ];
        const shown = await sweepStack(stack, kubeconfig, "--detailed-exitcode");
        assert.deepEqual([inShort(shown.document), shown.exitCode], [left, 2], shown.errors);
        assert.deepEqual(await byHand.evictedStores(), [foreign, own].sort(), "nothing is removed without --yes");

        const swept = await sweepStack(stack, kubeconfig, "--yes", "--detailed-exitcode");
        const removed = left.map((line) => line.replace(/ remove true $/, " remove true true"));
        assert.deepEqual([inShort(swept.document), swept.exitCode], [removed, 0], swept.errors);
        assert.deepEqual(await byHand.evictedStores(), [foreign]);

        await byHand.endLeaderEviction(foreign);
        byHand.close();
        await assertNothingLeft(arena(), stack);
        const nothingLeft = await sweepStack(stack, kubeconfig, "--yes");
        assert.deepEqual([inShort(nothingLeft.document), nothingLeft.exitCode], [[], 0]);

        stores["demo-tikv-2"] = {};
        assertOk(await stack.up(upgraded));
        assert.deepEqual(stoppedPods(played, before).sort(), ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"]);
        assertSafeStops(played, before);
        await assertNothingLeft(arena(), stack);
    });
});
