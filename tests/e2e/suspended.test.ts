import * as assert from "node:assert/strict";
import type { DataPlaneEventKind, SimulatedCluster } from "pulumi-tidb-sandbox";
import type { PulumiRun, StartedRun } from "pulumi-tidb-sandbox/pulumi";
import { type Arena, describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    dataLoaded,
    eventsOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { overlapping, type Scenario } from "../support/e2e/overlap";
import { takeLockOf } from "../support/e2e/rival";
import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { type Suspended, type Suspension, suspensionOf } from "../support/e2e/suspension";

/** TiKV alone is restarted, and has so many leaders that their return is waited for. */
const small = { pd: { replicas: 1 }, tidb: { replicas: 1 } };
const upgraded = { ...small, tikv: { version: "v8.5.3" } };
const timings = { leadersPerStore: 300, leaderTransfersPerSecond: 150 };

const asleepMilliseconds = 30_000;
const lockLost = /the lock of \S+\/demo \(Lease demo-pulumi-tidb\) was lost: .+ holds it now\. Nothing more is done/;
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Steps of a roll-out at which it is suspended, by what PD and the pods have just seen. */
const steps: Record<string, DataPlaneEventKind> = {
    "right after it began an eviction": "eviction-begun",
    "right after it deleted a pod": "pod-stopped",
    "while leaders return to a store": "eviction-ended",
};
/** `killAndResume.test.ts` and `rivals.test.ts` in `tests/model/` have every other moment. */
const aloneCases: [when: string, what: Suspended][] = [["right after it deleted a pod", "the gates' process"]];
const besideCases: [when: string, what: Suspended][] = [
    ["right after it deleted a pod", "the whole run"],
    ["while leaders return to a store", "the gates' process"],
];

function defineTests(arena: () => Arena): void {
    const alone = aloneCases.map(([when, what], index): Scenario => [
        `${when} (${what}) goes on where nobody took its lock over: each store restarts once, without leaders`,
        async () => {
            const rollOut = await startRollOut(arena(), `alone-${index}`, what);
            await suspendedAt(steps[when], rollOut, () => sleep(asleepMilliseconds));
            assertOk(await rollOut.run.done);
            await assertRolledOut(arena(), rollOut);
            assertUnchanged(await rollOut.stack.up(upgraded));
        },
    ]);

    const beside = besideCases.map(([when, what], index): Scenario => [
        `${when} (${what}) restarts nothing beside a second run that took its lock over`,
        async () => {
            const rollOut = await startRollOut(arena(), `beside-${index}`, what);
            const { stack, colleague, run } = rollOut;
            const second = await suspendedAt(steps[when], rollOut, async () => {
                const first = await holderOf(arena(), stack);
                const started = colleague.startUp(upgraded);
                const hasLock = async () => ![undefined, first].includes(await holderOf(arena(), stack));
                await Promise.all([sleep(asleepMilliseconds), until("the second run has the lock", hasLock, 240_000)]);
                return started;
            });
            const woken = await run.done;
            const images = await arena().kubernetes.images(stack.namespace);
            assertOk(await second.done);
            assertLeftOrDone(woken, images);
            await assertRolledOut(arena(), rollOut);
            assertOk(await stack.up(upgraded));
        },
    ]);

    const withRival: Scenario = [
        "ends with an error that says who took its lock over, and the next run ends its eviction",
        async () => {
            const rollOut = await startRollOut(arena(), "rival", "the whole run");
            const { stack, played, before, run } = rollOut;
            const rival = await suspendedAt("eviction-begun", rollOut, async () => {
                const [lock] = await Promise.all([takeLockOf(arena(), stack, "look on"), sleep(asleepMilliseconds)]);
                return lock;
            });
            assertFailed(await run.done, lockLost, new RegExp(`process ${process.pid} `), /run `pulumi up` again/);
            assert.deepEqual(stoppedPods(played, before), [], "a run without the lock restarts nothing");
            assert.equal(await evictionsOnRecord(arena(), stack), 1);
            await rival.release();
            assertOk(await stack.up(upgraded));
            await assertRolledOut(arena(), rollOut);
        },
    ];

    overlapping(3, [...beside, withRival, ...alone]);
}

describeOnEngine("a roll-out that is suspended for 30 s", defineTests, { timings });

interface RollOut {
    stack: ClusterStack;
    /** The same stack with a copy of its state from before. */
    colleague: ClusterStack;
    played: SimulatedCluster;
    /** How many events there were before it. */
    before: number;
    run: StartedRun;
    suspension: Suspension;
}

/** Deploys a cluster and begins to roll TiKV out. The run has the cluster's lock, and has just begun. */
async function startRollOut(arena: Arena, namespace: string, what: Suspended): Promise<RollOut> {
    const stack = await clusterStack(arena, namespace);
    assertOk(await stack.up(small));
    const played = stack.played();
    await dataLoaded(played);
    const before = played.events.length;
    const colleague = stack.copy("-of-a-colleague");
    const run = stack.startUp(upgraded);
    await until("the run has the lock", () => holderOf(arena, stack), 120_000);
    return { stack, colleague, played, before, run, suspension: suspensionOf(run, what) };
}

/** Suspends a run right after the first event of a kind, and continues it once `meanwhile` is over, whatever comes of that. */
async function suspendedAt<T>(
    kind: DataPlaneEventKind,
    { played, before, suspension }: RollOut,
    meanwhile: () => Promise<T>,
): Promise<T> {
    await until(`the first ${kind}`, () => eventsOf(played, [kind], before).length > 0, 120_000);
    suspension.suspend();
    try {
        const changes = eventsOf(played, ["eviction-begun", "pod-stopped", "eviction-ended"], before);
        assert.equal(changes.at(-1)?.kind, kind, "it was suspended too late");
        return await meanwhile();
    } finally {
        suspension.continue();
    }
}

async function holderOf(arena: Arena, { namespace }: ClusterStack): Promise<string | undefined> {
    const [lease] = await arena.kubernetes.leases(namespace);
    return lease?.spec?.holderIdentity || undefined;
}

async function evictionsOnRecord(arena: Arena, { namespace, cluster }: ClusterStack): Promise<number> {
    return Object.keys((await arena.kubernetes.records(namespace, cluster)).evictions).length;
}

/** A run that lost its lock says so. One that found all done already had no use for it. */
function assertLeftOrDone(woken: PulumiRun, images: Record<string, string>): void {
    if (!woken.ok) {
        assert.match(woken.output, lockLost);
        return;
    }
    const old = Object.entries(images).filter(([pod, image]) => pod.includes("-tikv-") && !image.endsWith(":v8.5.3"));
    assert.deepEqual(old, [], `it ended well before all was done:\n${woken.output}`);
}

/** Each store restarted once, whichever run did it, one after the other and without leaders; no eviction is left. */
async function assertRolledOut(arena: Arena, { stack, played, before }: RollOut): Promise<void> {
    assert.deepEqual(stoppedPods(played, before), ["demo-tikv-2", "demo-tikv-1", "demo-tikv-0"]);
    assertSafeStops(played, before);
    const order = eventsOf(played, ["pod-stopped", "store-up"], before).map(({ kind }) => kind);
    assert.deepEqual(
        order,
        [0, 1, 2].flatMap(() => ["pod-stopped", "store-up"]),
    );
    await assertNothingLeft(arena, stack);
}
