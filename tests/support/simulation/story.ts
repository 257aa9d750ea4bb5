import * as assert from "node:assert/strict";
import {
    assertEvictionsEnded,
    assertNothingLeft,
    assertNoViolation,
    assertReached,
    assertTidy,
    deployed,
    type Deployed,
    repair,
    shortTimeouts,
    upAfterHealing,
} from "./clusters";
import type { WorldOptions } from "./createWorld";
import type { Fault } from "./fault";
import { heal } from "./faults";
import { beginUp, destroy, Refused, type Running, type RunResult, type Stack, up } from "./operate";
import type { Clocks, Interruption } from "./process";
import type { Goal } from "./program";
import { pass, type Simulation } from "./simulation";
import type { World } from "./world";

/** One run of a story, and what runs in parallel with it. */
export interface StoryRun {
    goal: Goal | Omit<Goal, "revision">;
    revision: string;
    policy: Goal["policy"];
    interruptions: Interruption[];
    clocks: Clocks;
    parallel: "nobody" | "same" | "theirs";
    parallelClocks: Clocks;
    pause: number;
}

/** A cluster, what happens to it, and its final goal. */
export interface Story {
    options: WorldOptions;
    start: Omit<Goal, "revision">;
    between: StoryRun[];
    faults: Fault[];
    last: StoryRun;
    hasTiflash: boolean;
    /** Whether another cluster has stores on the same PD. */
    hasTheirs: boolean;
    ending: "up" | "destroy";
}

/** Plays a story. @throws AssertionError if a rule is broken or the goal is not reached */
export async function playStory(story: Story): Promise<void> {
    const withTiflash = (goal: Goal): Goal => (story.hasTiflash ? goal : { ...goal, tiflash: undefined });
    const { options, start, between, faults, last } = story;
    const { maxReplicas = 3 } = options;
    /**
     * Limits a goal to what PD can hold: a goal with fewer stores is refused, and with one replica a store restarts
     * only by deadline.
     */
    const possible = (goal: Goal): Goal => ({
        ...goal,
        tikv: Math.max(goal.tikv ?? 0, maxReplicas),
        policy: { ...goal.policy, ...(maxReplicas === 1 ? deadline : {}) },
    });
    const cluster = await deployed(possible(withTiflash({ ...start, revision: "r1", policy: shortTimeouts })), options);
    const { world } = cluster.simulation;
    const theirs: Stack = {};
    world.tiflashReplicas = story.hasTiflash && start.tiflash ? 1 : 0;
    world.clusters.ours.badRevisions.add("bad");
    // Two clusters on a PD that cannot be locked are refused. A separate test covers that.
    const hasTheirs = story.hasTheirs && options.hasGateway !== false;
    if (hasTheirs) {
        await deployTheirs(cluster, theirs);
    }
    world.faults = faults.map((one) =>
        one.after ? { ...one, after: { ...one.after } } : { ...one, at: world.now + one.at },
    );
    for (const one of between) {
        const goal = withTiflash({ ...one.goal, revision: one.revision, policy: one.policy });
        // A user who removes TiFlash from the program has dropped its replicas first. Before TiFlash exists there are
        // none.
        world.tiflashReplicas = goal.tiflash && world.stores.some(({ engine }) => engine === "tiflash") ? 1 : 0;
        await playRun(
            cluster,
            theirs,
            { ...one, parallel: hasTheirs || one.parallel === "same" ? one.parallel : "nobody" },
            goal,
        );
        await pass(cluster.simulation, one.pause);
        assertNoViolation(world);
    }
    const goal = possible(
        withTiflash({ ...last.goal, revision: last.revision.replace("bad", "r4"), policy: last.policy }),
    );
    // Runs in parallel with the last runs of the other cluster already have the goal, so replicas that its TiFlash
    // cannot hold are dropped first.
    world.tiflashReplicas = staysOfTiflash(world, goal) ? Math.min(1, world.tiflashReplicas) : 0;
    if (hasTheirs) {
        await settleTheirs(cluster, theirs, goal);
    }
    if (story.ending === "destroy") {
        heal(world);
        await pass(cluster.simulation, world.heartbeats.region + 45_000);
        // Evictions are ended through PD, so a PD with an image that never starts is repaired first.
        await repair(cluster.simulation, cluster.stack, goal);
        const result = await destroy(cluster.simulation, cluster.stack, { clocks: last.clocks });
        assert.equal(result.ending, "done", result.error?.message);
        assertNoViolation(world);
        assertNothingLeft(world);
        return;
    }
    await assertReached(
        cluster.simulation,
        cluster.stack,
        goal,
        await upAfterHealing(cluster.simulation, cluster.stack, goal),
    );
}

const deadline = { evictLeaderTimeoutSeconds: 4, afterEvictLeaderTimeout: "restart" } as const;
const theirGoal: Goal = { tikv: 2, revision: "t1", policy: shortTimeouts };

async function deployTheirs({ simulation }: Deployed, stack: Stack): Promise<void> {
    const running = beginUp(simulation, stack, theirGoal, { of: "theirs" });
    await simulation.timeline.play(running.isOver);
    assert.equal(running.result.ending, "done", running.result.error?.message);
    await pass(simulation, simulation.world.heartbeats.region);
}

/**
 * Whether a TiFlash store remains that can hold the tables' replicas. Otherwise a scale-in is refused while there are
 * replicas.
 */
function staysOfTiflash({ stores }: World, { tiflash = 0 }: Goal): boolean {
    return stores.some(
        ({ of, engine, phase, podName }) =>
            of === "ours" && engine === "tiflash" && phase === "Serving" && Number(podName.split("-").at(-1)) < tiflash,
    );
}

/**
 * The other cluster repairs what its runs left behind. It needs PD for that, and what our runs left may block it at
 * first.
 */
async function settleTheirs({ simulation, stack }: Deployed, theirs: Stack, goal: Goal): Promise<void> {
    const { world } = simulation;
    heal(world);
    await pass(simulation, world.heartbeats.region + 45_000);
    for (let tries = 1; ; tries += 1) {
        await repair(simulation, stack, goal);
        const own = { ...theirGoal, policy: goal.policy, revision: "t9" };
        const running = beginUp(simulation, theirs, own, { of: "theirs" });
        await simulation.timeline.play(running.isOver);
        assertNoViolation(world);
        const { ending, error } = running.result;
        if (ending === "done") {
            return;
        }
        // An eviction that a killed run of ours left blocks it until another run of ours has ended the eviction.
        await up(simulation, stack, goal);
        assert.ok(tries < 3, `the other cluster: ${error?.message}\n${world.log.slice(-40).join("\n")}`);
    }
}

/** Plays a run of our cluster, and a parallel run if the story has one, until both are over. */
async function playRun({ simulation, stack }: Deployed, theirs: Stack, run: StoryRun, goal: Goal): Promise<void> {
    const { interruptions, clocks } = run;
    const beganAt = simulation.world.now;
    const ours = beginUp(simulation, stack, goal, { interruptions, clocks });
    const other = beginParallel(simulation, structuredClone(stack), theirs, run, goal);
    await simulation.timeline.play(() => ours.isOver() && (other?.isOver() ?? true));
    for (const { result } of [ours, other].filter((one): one is Running => one !== undefined)) {
        assertEnded(simulation, result);
    }
    if ([ours, other].every((one) => one?.result.ending !== "killed") && run.interruptions.length === 0) {
        const runsOfOurs = run.parallel === "same" ? [ours, other] : [ours];
        const isRefused = runsOfOurs.every((one) => one?.result.error instanceof Refused);
        assertEvictionsEnded(simulation.world, isRefused ? beganAt : 0);
    }
}

function beginParallel(
    simulation: Simulation,
    copy: Stack,
    theirs: Stack,
    { parallel, parallelClocks: clocks }: StoryRun,
    goal: Goal,
): Running | undefined {
    switch (parallel) {
        case "nobody":
            return undefined;
        case "same":
            return beginUp(simulation, copy, goal, { clocks });
        case "theirs":
            return beginUp(
                simulation,
                theirs,
                { ...theirGoal, revision: `t${goal.revision}` },
                { of: "theirs", clocks },
            );
    }
}

function assertEnded(simulation: Simulation, result: RunResult): void {
    if (result.ending === "killed") {
        assertNoViolation(simulation.world);
    } else {
        assertTidy(simulation, result);
    }
}
