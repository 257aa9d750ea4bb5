import * as assert from "node:assert/strict";
import { loadRegions, type WorldOptions } from "./createWorld";
import { heal } from "./faults";
import { imageTagOf, hasBadImage } from "./kubernetes";
import { type RunResult, type Stack, up } from "./operate";
import { storeState } from "./pd";
import { batch } from "./pdEvictions";
import { type Goal, modelledMembers } from "./program";
import { isStoreHealthy, recordsOf } from "./rules";
import { createSimulation, pass, type Simulation } from "./simulation";
import { hasQuorum, memberRuns, runs } from "./truth";
import type { World } from "./world";

/** Short timeouts, so a wait that cannot succeed ends within minutes of the model's time. */
export const shortTimeouts = {
    podReadyTimeoutSeconds: 150,
    evictLeaderTimeoutSeconds: 120,
    leadersBackTimeoutSeconds: 30,
    storeRemovalTimeoutSeconds: 300,
};

/** A deployed cluster and its Pulumi state. */
export interface Deployed {
    simulation: Simulation;
    stack: Stack;
}

/** @returns a deployed cluster with regions on its stores */
export async function deployed(goal: Goal, options: WorldOptions = {}): Promise<Deployed> {
    const simulation = createSimulation(options);
    const stack: Stack = {};
    const first = await up(simulation, stack, goal);
    assert.equal(first.ending, "done", first.error?.message);
    loadRegions(simulation.world, options.regions ?? 24);
    await pass(simulation, simulation.world.heartbeats.region + 15_000);
    return { simulation, stack };
}

/** Checks what must hold after a run that was not killed, whatever its result. */
export function assertTidy({ world }: Simulation, result: RunResult): void {
    assertNoViolation(world);
    for (const status of result.messages.filter((one) => /^\w+ waiting: /.test(one))) {
        assert.match(
            status,
            /^\w+ waiting: .+ \(\d+ s( without progress)?; (fails|goes on) at (\d{4}-\d\d-\d\d )?[\d:]{8}( unless there is any| if this stays so)?\)/,
            `rule 10: ${status}`,
        );
    }
}

export function assertNoViolation(world: World): void {
    assert.deepEqual(world.violations, [], world.log.slice(-60).join("\n"));
}

/** Checks that the cluster matches the goal, and that another run finds nothing to do. */
export async function assertReached(
    simulation: Simulation,
    stack: Stack,
    goal: Goal,
    result: RunResult,
): Promise<void> {
    const { world } = simulation;
    const cluster = world.clusters.ours;
    const story = () =>
        `${result.error?.message}\n${world.log.slice(-60).join("\n")}\n${result.messages.slice(-12).join("\n")}`;
    assert.equal(result.ending, "done", story());
    assertTidy(simulation, result);
    assert.notEqual(cluster.lease.spec?.holderIdentity, result.holder, "the lock is released");
    await pass(simulation, 5_000);
    for (const component of modelledMembers) {
        const pods = cluster.pods.filter((pod) => pod.component === component);
        assert.equal(pods.length, goal[component] ?? 0, `${component} pods\n${story()}`);
        assert.ok(
            pods.every((pod) => runs(pod) && pod.revision === goal.revision),
            `${component} pods run ${goal.revision}\n${story()}`,
        );
    }
    for (const { claim: uid, name, component } of cluster.pods) {
        const claim = cluster.claims.find((one) => one.uid === uid);
        const tag = imageTagOf(component, goal.revision);
        // A pod that is Ready on its new volume before the rollout is planned needs no step, and nothing is written for a record alone.
        const isNew = world.log.some((line) => line.includes(` {"do":"delete-claims"`) && line.includes(`-${name}"`));
        const recorded = isNew ? (claim?.version ?? tag) : claim?.version;
        assert.equal(recorded, tag, `the version recorded on the claim of ${name}\n${story()}`);
        assert.equal(claim?.released, false, `the claim of ${name} is in use, and not a released one\n${story()}`);
    }
    assert.equal(world.pd.members.filter((member) => memberRuns(world, member)).length, goal.pd, "PD members");
    assert.equal(world.pd.members.length, goal.pd, "PD members in total");
    for (const engine of ["tikv", "tiflash"] as const) {
        const stores = world.stores.filter(
            (store) => store.of === "ours" && store.engine === engine && storeState(world, store.id) === "Up",
        );
        assert.equal(stores.length, goal[engine] ?? 0, `Up stores of ${engine}\n${story()}`);
    }
    assertNothingLeft(world, story);
    const again = await up(simulation, stack, goal);
    assert.equal(again.ending, "done", again.error?.message);
    assert.equal(again.changes, 0, `a run with nothing to do changes nothing: ${again.messages.join("; ")}`);
}

/** Rule 6: nothing of ours is left, in PD or on record. */
export function assertNothingLeft(world: World, story: () => string = () => world.log.slice(-60).join("\n")): void {
    const left = [...world.pd.evictions].filter(([, { owner }]) => owner === "ours");
    assert.deepEqual(left, [], `rule 6: no eviction of ours is left\n${story()}`);
    assertLimitsAreBack(world, story);
    assert.deepEqual(
        recordsOf(world.clusters.ours),
        { evictions: {}, removals: {} },
        `nothing is on record\n${story()}`,
    );
}

/** Rule 15: PD's limit of moving leaders is what somebody set last. */
function assertLimitsAreBack({ pd }: World, story: () => string): void {
    assert.equal(pd.limits.schedule, pd.schedule.bySomebody, `rule 15: PD's limit is still raised\n${story()}`);
    assert.equal(pd.limits.batch, batch, `rule 15: the batch of PD's evictions is still raised\n${story()}`);
}

/**
 * Rules 6 and 13 after a run that failed: evictions of healthy stores have been ended, if PD could be reached and
 * listed its stores.
 * @param begunSince the start of a run that was refused: it changed nothing, so evictions that an earlier killed run
 * left may remain
 */
export function assertEvictionsEnded(world: World, begunSince = 0): void {
    const wasUnreachable = [world.pd, world.clusters.ours].some(
        ({ unreachableUntil }) => unreachableUntil > world.now - 60_000,
    );
    const { list } = world.pd;
    const wasIncomplete = list !== undefined && list.until > world.now - 10_000;
    if (wasUnreachable || wasIncomplete || !hasQuorum(world) || !world.pd.leadership?.isLoaded) {
        return;
    }
    const raisedBefore = recordsOf(world.clusters.ours).raisedLimits !== undefined && begunSince > 0;
    if (!raisedBefore && world.pd.schedule.by !== "theirs") {
        assertLimitsAreBack(world, () => world.log.slice(-40).join("\n"));
    }
    for (const [id, { owner, since }] of world.pd.evictions) {
        const store = world.stores.find((one) => one.id === id);
        assert.ok(
            owner !== "ours" || since < begunSince || !store || !isStoreHealthy(world, store),
            `rule 6: the eviction of store ${id} is left behind, although the store is healthy\n${world.log.slice(-40).join("\n")}`,
        );
    }
}

/**
 * Heals all faults and runs. If a PD member is down because of a bad image, nothing may be scaled in before it is
 * repaired, and the repair takes a separate run: a scale-in, or a scale-out over released volumes, waits for PD before the StatefulSet
 * gets its template. The
 * same applies if a TiFlash store is down that would have to take the replicas of the store that leaves.
 */
export async function upAfterHealing(simulation: Simulation, stack: Stack, goal: Goal): Promise<RunResult> {
    const { world } = simulation;
    heal(world);
    await pass(simulation, world.heartbeats.region + 45_000);
    const repaired = await repair(simulation, stack, goal);
    const story = `the repair failed: ${repaired?.error?.message}\n${world.log.slice(-60).join("\n")}`;
    assert.ok(repaired === undefined || repaired.ending === "done", story);
    return up(simulation, stack, goal);
}

/**
 * Gives pods that cannot start the goal's revision, if there are any, without a change of size that would make a run
 * wait.
 */
export async function repair(simulation: Simulation, stack: Stack, goal: Goal): Promise<RunResult | undefined> {
    const cluster = simulation.world.clusters.ours;
    const needRepair = new Set<string>(["pd", "tiflash", "tikv"]);
    if (!cluster.pods.some((pod) => needRepair.has(pod.component) && hasBadImage(cluster, pod))) {
        return undefined;
    }
    const sizeOf = (one: (typeof modelledMembers)[number]) => cluster.statefulSets[one]?.replicas ?? goal[one] ?? 0;
    // A member that leaves the program also waits for PD.
    const there = modelledMembers.filter((one) => goal[one] !== undefined || cluster.statefulSets[one]);
    const sizes = there.map((one) => [one, sizeOf(one)] as const);
    return up(simulation, stack, { ...goal, ...Object.fromEntries(sizes) });
}
