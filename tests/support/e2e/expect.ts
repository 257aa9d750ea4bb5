import * as assert from "node:assert/strict";
import type { DataPlaneEvent, DataPlaneEventKind, SimulatedCluster } from "pulumi-tidb-sandbox";
import type { PulumiRun, PulumiStep, StartedRun } from "pulumi-tidb-sandbox/pulumi";
import type { Arena } from "./arena";
import type { TestStack } from "./stack";

/** @throws AssertionError with everything that the run printed */
export function assertOk(run: PulumiRun): PulumiRun {
    assert.ok(run.ok, `expected the run to succeed; it ended with ${run.exitCode}:\n${run.output}`);
    return run;
}

/** @returns everything that the failed run printed */
export function assertFailed(run: PulumiRun, ...expected: RegExp[]): string {
    assert.ok(!run.ok, `expected the run to fail:\n${run.output}`);
    for (const pattern of expected) {
        assert.match(run.output, pattern);
    }
    return run.output;
}

/** Asserts that the run succeeded, did nothing and found nothing to do. */
export function assertUnchanged(run: PulumiRun): void {
    assertOk(run);
    const { same, ...others } = run.changes;
    assert.deepEqual(others, { create: 0, update: 0, replace: 0, delete: 0, read: 0 }, run.output);
    assert.ok(same > 0);
    assert.deepEqual(
        run.steps.filter((step) => step.op !== "same").map((step) => step.urn),
        [],
    );
}

/** @returns the lines of the plan in a step, in order */
export function planOf(run: PulumiRun, gate: string): string[] {
    const step = run.steps.find((one) => one.name === gate);
    assert.ok(step, `no step for ${gate} among ${run.steps.map((one) => one.name).join(", ")}`);
    return planLines(step);
}

function planLines(step: PulumiStep): string[] {
    return Object.entries(step.diff).flatMap(([field, { after }]) => {
        if (field === "plan") {
            return (after ?? []) as string[];
        }
        return /^plan\[\d+\]$/.test(field) && after !== undefined ? [after as string] : [];
    });
}

/** @returns the messages about a resource that stay in the run's output, in order. Default: without warnings and errors */
export function messagesOf(run: PulumiRun, name: string, kind: "info" | "warning" = "info"): string[] {
    return run.diagnostics
        .filter(({ severity, urn }) => severity === kind && urn?.split("::").at(-1) === name)
        .map(({ message }) => message);
}

/** @returns the events of the given kinds, from the n-th on */
export function eventsOf(played: SimulatedCluster, kinds: DataPlaneEventKind[], since = 0): DataPlaneEvent[] {
    return played.events.slice(since).filter((event) => kinds.includes(event.kind));
}

/** @returns the names of the pods that stopped, in order */
export function stoppedPods(played: SimulatedCluster, since = 0): string[] {
    return eventsOf(played, ["pod-stopped"], since).map((event) => event.pod ?? "");
}

/** Asserts what D§5 promises for every pod that a gate stopped. */
export function assertSafeStops(played: SimulatedCluster, since = 0): void {
    for (const stop of eventsOf(played, ["pod-stopped"], since)) {
        if (stop.component === "tikv") {
            const { leaders, otherStoresNotUp } = stop;
            assert.deepEqual(
                { pod: stop.pod, leaders, otherStoresNotUp },
                { pod: stop.pod, leaders: 0, otherStoresNotUp: [] },
            );
        }
        if (stop.component === "pd") {
            const { ledPd, quorumLeft } = stop;
            assert.deepEqual({ pod: stop.pod, ledPd, quorumLeft }, { pod: stop.pod, ledPd: false, quorumLeft: true });
        }
    }
}

/** PD's limit of moving leaders, which a roll-out raises while a store's leaders leave and return. */
export function limitOf(played: SimulatedCluster): unknown {
    return played.pdConfig().schedule["leader-schedule-limit"];
}

/**
 * Asserts that as many evictions ended as began, PD has none left and no raised limit of moving leaders, the Lease has no records, and
 * nobody holds it.
 */
export async function assertNothingLeft(arena: Arena, stack: TestStack): Promise<void> {
    const played = stack.played();
    assert.deepEqual(
        played.stores().filter((store) => store.evicted),
        [],
        "evictions are left in PD",
    );
    assert.notEqual(limitOf(played), 64, "PD's leader-schedule-limit is still raised");
    assert.deepEqual(await arena.kubernetes.records(stack.namespace, stack.cluster), { evictions: {}, removals: {} });
    assert.ok(await isLockFree(arena, stack), "the lock is still held");
}

/** @returns whether nobody holds the cluster's Lease; undefined if somebody does, for `until`. */
export async function isLockFree(arena: Arena, { namespace, cluster }: TestStack): Promise<true | undefined> {
    const leases = await arena.kubernetes.leases(namespace);
    const lease = leases.find(({ metadata }) => metadata?.name === `${cluster}-pulumi-tidb`);
    return lease?.spec?.holderIdentity ? undefined : true;
}

/**
 * Asserts that every pod of the cluster runs this version, and that the expected number of pods exist and are Ready.
 * @param except names of pods that have a version of their own. Default: none has
 */
export async function assertVersion(
    arena: Arena,
    stack: TestStack,
    version: string,
    count: number,
    except?: RegExp,
): Promise<void> {
    const pods = (await arena.kubernetes.pods(stack.namespace)).filter(
        ({ metadata: { name = "" } = {} }) => /-\d{1,2}$/.test(name) && except?.test(name) !== true,
    );
    const state = pods.map((pod) => {
        const component = pod.metadata?.labels?.["app.kubernetes.io/component"];
        const image = pod.spec?.containers.find((one) => one.name === component)?.image ?? "";
        const ready = pod.status?.conditions?.find((one) => one.type === "Ready")?.status;
        return `${pod.metadata?.name} ${image.split(":").at(-1)} ${ready}`;
    });
    assert.equal(pods.length, count, state.join("\n"));
    assert.deepEqual(
        state.filter((line) => !line.endsWith(` ${version} True`)),
        [],
    );
}

/** Waits until the probe finds something, up to the given time. */
export async function until<T>(
    what: string,
    probe: () => T | undefined | Promise<T | undefined>,
    milliseconds = 60_000,
): Promise<T> {
    for (const deadline = Date.now() + milliseconds; Date.now() < deadline;) {
        const found = await probe();
        if (found !== undefined && found !== false) {
            return found;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`timed out after ${milliseconds / 1000} s: ${what}`);
}

/** Waits during a run until the probe finds something, however slow the machine is. @throws Error if the run ends before */
export async function whileRunning<T>(
    { done }: StartedRun,
    what: string,
    probe: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
    let ended: string | undefined;
    done.then(
        ({ output }) => (ended = output),
        (error: unknown) => (ended = String(error)),
    );
    for (;;) {
        const isOver = ended !== undefined;
        const found = await probe();
        if (found !== undefined) {
            return found;
        }
        if (isOver) {
            throw new Error(`the run ended before: ${what}\n${ended}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}

/** Waits until every TiKV store has leaders. Before that there is nothing to evict. */
export async function dataLoaded(played: SimulatedCluster): Promise<void> {
    const tikv = () => played.stores().filter(({ engine }) => engine === "tikv");
    await until("data is loaded", () => tikv().every((store) => store.leaders > 0) || undefined);
}
