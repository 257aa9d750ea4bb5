import * as assert from "node:assert/strict";
import { loadKubeConfig } from "../../provider/cluster/kubeConfig";
import { createKubernetesApi } from "../../provider/cluster/kubernetesApi";
import { createPdClient } from "../../provider/pd";
import type { ClusterSweep } from "../../sweep/clusterSweep";
import { type Arena, describeOnEngine, manyLeaders } from "../support/e2e/arena";
import {
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    dataLoaded,
    eventsOf,
    limitOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { type SeenStatus, statusOfStack, sweepStack, timelineOfStack } from "../support/e2e/statusCommand";

const small = { pd: { replicas: 1 }, tidb: { replicas: 1 }, spec: { ticdc: { replicas: 1 } } };
/** TiKV alone is restarted. */
const upgraded = { ...small, tikv: { version: "v8.5.3" } };

const inShort = ({ leftovers }: ClusterSweep) =>
    leftovers
        .filter(({ kind }) => kind !== "pd-lock") // It expires at about the same time as the Lease.
        .map(({ kind, target, verdict, isOurs, isRemoved }) => [kind, target, verdict, isOurs, isRemoved].join(" "));

/** @returns what a status says of the run and of the evictions. */
const ofRuns = ({ operation, evictions }: SeenStatus["status"]) => ({
    run: operation && {
        does: operation.step.split(/[,:]/)[0],
        isOverdue: operation.isOverdue,
        left: operation.pending,
    },
    evictions: evictions.map(({ pod, inForce, record }) => [pod, inForce.known && inForce.value, record !== null]),
});

/**
 * Reads the status until it knows everything and says of the run that it works, or that it may be dead: on a busy machine a server may
 * answer late, and a run may renew its lock late.
 */
async function statusWhen(stack: ClusterStack, kubeconfig: string, isOverdue?: boolean) {
    const status = await until(
        `a whole status, in which a run is ${isOverdue === undefined ? "absent" : isOverdue ? "overdue" : "at work"}`,
        async () => {
            const { status } = await statusOfStack(stack, kubeconfig);
            return status.notKnown.length === 0 && status.operation?.isOverdue === isOverdue ? status : undefined;
        },
        180_000,
    );
    return ofRuns(status);
}

/** Waits until the run has begun to evict the store, has raised both of PD's limits and has recorded all of it: from then on it only waits. */
async function settledEviction({ kubernetes }: Arena, storeId: number): Promise<void> {
    await until(
        "the eviction with raised limits is on record",
        async () => {
            const { evictions, raisedLimits } = await kubernetes.records("swept", "demo");
            const limits = Object.values(raisedLimits?.limits ?? {});
            return (evictions[storeId] && limits.length === 2 && limits.every(({ isSet }) => isSet)) || undefined;
        },
        300_000,
    );
}

/** Records that a shutdown of a TiCDC pod has begun, as a run does right before it. */
async function noteShutdown({ sandbox, kubernetes }: Arena, name: string): Promise<void> {
    const pod = (await kubernetes.pods("swept")).find(({ metadata }) => metadata?.name === name);
    const api = await createKubernetesApi(await loadKubeConfig({ kubeconfig: sandbox.kubeconfig }));
    await api.noteShutdown("swept", name, pod!.metadata!.uid!, new Date());
}

describeOnEngine("a sweep", defineSweep, { timings: manyLeaders });

function defineSweep(arena: () => Arena): void {
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
        const usual = limitOf(played);
        const nothing = await sweepStack(stack, kubeconfig);
        assert.deepEqual([inShort(nothing.document), nothing.exitCode, nothing.errors], [[], 0, ""]);

        const { stores } = dataPlane.faults("swept", "demo");
        stores["demo-tikv-2"] = { evictedLeadersPerSecond: 0 };
        const before = played.events.length;
        const run = stack.startUp(upgraded);
        await settledEviction(arena(), own);
        await assert.rejects(
            sweepStack(stack, kubeconfig, "--yes"),
            /error: sweep: swept\/demo: \S+@\S+, process \d+ \(\w+\) works on the cluster \(.*\)\. Next: nothing was removed\. .*: npx pulumi-tidb stop demo --namespace swept\. \[cluster-busy\]\n$/,
        );
        assert.equal(eventsOf(played, ["eviction-ended"], before).length, 0);
        const left = [
            `raised while leaders of demo-tikv-2 move: PD's leader-schedule-limit from ${String(usual)} to 64 and the evict-leader scheduler's batch from 3 to 10`,
        ];
        const evicted = ["demo-tikv-2", true, true];
        assert.deepEqual(await statusWhen(stack, kubeconfig, false), {
            run: { does: "roll out demo-tikv", isOverdue: false, left },
            evictions: [evicted],
        });
        run.kill();
        assert.ok(!(await run.done).ok, "the run was killed");
        assert.equal(limitOf(played), 64, "PD keeps what the dead run has set");
        // A run evicts no store beside somebody else's eviction, so it comes only now.
        const endpoints = dataPlane.pdUrls("swept", "demo").map((url) => ({ name: url, url }));
        const byHand = createPdClient({ endpoints });
        await byHand.beginLeaderEviction(foreign);

        await noteShutdown(arena(), "demo-ticdc-0");

        const byAPerson = ["demo-tikv-0", true, false];
        assert.deepEqual(await statusWhen(stack, kubeconfig, true), {
            run: { does: "roll out demo-tikv", isOverdue: true, left },
            evictions: own < foreign ? [evicted, byAPerson] : [byAPerson, evicted],
        });

        const leftovers = [
            `eviction store ${own} (demo-tikv-2) remove true `,
            `eviction store ${foreign} (demo-tikv-0) keep false `,
            "limits PD's limits of moving leaders remove true ",
            "shutdown demo-ticdc-0 remove true ",
            "lock Lease demo-pulumi-tidb remove true ",
        ];
        const shown = await sweepStack(stack, kubeconfig, "--detailed-exitcode");
        assert.deepEqual([inShort(shown.document), shown.exitCode], [leftovers, 2], shown.errors);
        assert.deepEqual(await byHand.evictedStores(), [foreign, own].sort(), "nothing is removed without --yes");

        const swept = await sweepStack(stack, kubeconfig, "--yes", "--detailed-exitcode");
        const removed = leftovers.map((line) => line.replace(/ remove true $/, " remove true true"));
        assert.deepEqual([inShort(swept.document), swept.exitCode], [removed, 0], swept.errors);
        assert.deepEqual(await byHand.evictedStores(), [foreign]);
        assert.equal(limitOf(played), usual, "PD's limit is put back");
        assert.deepEqual(await statusWhen(stack, kubeconfig), { run: null, evictions: [byAPerson] });
        const { operations } = await timelineOfStack(stack, kubeconfig);
        const last = operations.find(({ what }) => what.startsWith("sweep "));
        assert.match(last?.holder ?? "", /^sweep \S+@/, "a sweep is no update");

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
}
