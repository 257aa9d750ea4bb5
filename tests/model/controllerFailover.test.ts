import * as assert from "node:assert/strict";
import { assertNoViolation, deployed, shortTimeouts } from "../support/simulation/clusters";
import { beginController, ControllerLease, type RunningController } from "../support/simulation/controller";
import { distant } from "../support/simulation/createWorld";
import { copyOf } from "../support/simulation/endings";
import { nodeOf } from "../support/simulation/kubernetes";
import { type Goal, type Interruption, up } from "../support/simulation/operate";
import { storeState } from "../support/simulation/pd";
import { recordsOf } from "../support/simulation/rules";
import { pass, type Simulation } from "../support/simulation/simulation";
import type { World } from "../support/simulation/world";

/** The controller as it is, with its leadership, its looks and its action, on a cluster that has lost a node with a store. */

const goal: Goal = {
    pd: 3,
    tikv: 4,
    revision: "r1",
    policy: shortTimeouts,
    failover: { periodSeconds: 60, budget: 3 },
};
const dead = "basic-tikv-1";
const minute = 60_000;

/** PD and Kubernetes have called the store and its node dead for the whole period. */
const origin = deployed(goal, { regions: 8, ...distant }).then(async (cluster) => {
    const { simulation } = cluster;
    const { ours } = simulation.world.clusters;
    const pod = ours.pods.find(({ name }) => name === dead)!;
    const forGood = simulation.world.now + 24 * 60 * minute;
    Object.assign(nodeOf(ours, pod), { cutSince: simulation.world.now, cutUntil: forGood, downUntil: forGood });
    await pass(simulation, 32 * minute);
    return cluster;
});

const storeOf = ({ stores }: World, pod: string) => stores.find(({ podName }) => podName === pod);

function isReplaced({ world }: Simulation): boolean {
    const store = storeOf(world, "basic-tikv-4");
    return store !== undefined && storeState(world, store.id) === "Up";
}

/** Plays until the store is replaced, and the controllers have looked a few times more. */
async function playOut(simulation: Simulation, controllers: readonly RunningController[]): Promise<void> {
    const { world, timeline } = simulation;
    const latest = world.now + 10 * minute;
    const told = () => [...controllers.flatMap(({ lines }) => lines), ...world.log].slice(-80).join("\n");
    await timeline.play(() => isReplaced(simulation) || world.now > latest);
    assert.ok(isReplaced(simulation), `not replaced within 10 minutes:\n${told()}`);
    await pass(simulation, minute);
    controllers.forEach((one) => one.stop());
    await timeline.play(() => controllers.every((one) => one.isOver()));
}

/** One replacement was added for the one that is dead, nothing else was touched, and an update has nothing to do about it. */
async function assertOneReplacement({ simulation, stack }: Awaited<typeof origin>): Promise<void> {
    const { world } = simulation;
    const { pods: before } = (await origin).simulation.world.clusters.ours;
    const { ours } = world.clusters;
    assertNoViolation(world);
    const assertAdded = () => {
        assert.equal(ours.statefulSets.tikv?.replicas, 5);
        const { failovers } = recordsOf(ours);
        assert.deepEqual(Object.keys(failovers ?? {}), ["tikv"]);
        const failures = Object.entries(failovers?.tikv?.failures ?? {});
        assert.deepEqual(
            failures.map(([pod, { replacedBy, counts, storeId }]) => [pod, replacedBy, counts, storeId]),
            [[dead, "basic-tikv-4", true, storeOf(world, dead)?.id]],
        );
        assert.deepEqual(
            ours.pods.filter(({ name }) => name !== "basic-tikv-4").map(({ name, uid }) => [name, uid]),
            before.map(({ name, uid }) => [name, uid]),
            "every other pod is the one that it was",
        );
    };
    assertAdded();
    const { ending, error } = await up(simulation, stack, goal);
    assert.equal(ending, "done", error?.message);
    assertNoViolation(world);
    assertAdded();
}

describe("the controller, which replaces a dead store", function () {
    this.timeout(240_000);

    for (const when of ["before", "after"] as const) {
        it(`is killed right ${when} each of its changes and started again: there is one replacement`, async () => {
            let isDone = false;
            for (let change = 0; !isDone; change += 1) {
                const cluster = copyOf(await origin);
                const { simulation } = cluster;
                const lease = new ControllerLease();
                const killed = beginController(simulation, lease, { interruptions: [{ change, when, how: "kill" }] });
                await simulation.timeline.play(() => killed.isOver() || isReplaced(simulation));
                isDone = !killed.isOver();
                assert.ok(!isDone || change >= 5, `${change} changes`);
                await playOut(simulation, isDone ? [killed] : [beginController(simulation, lease)]);
                await assertOneReplacement(cluster);
            }
        });
    }

    const suspensions: [string, Omit<Interruption, "change">][] = [
        ["before", { when: "before", how: "suspend", seconds: 40 }],
        ["right after", { when: "after", how: "suspend", seconds: 40 }],
        ["with its machine before", { when: "before", how: "suspend", seconds: 40, asleep: true }],
    ];
    for (const [words, suspension] of suspensions) {
        it(`runs twice at once, both lead, and one is suspended ${words} each of its changes: there is one replacement`, async () => {
            let isDone = false;
            for (let change = 0; !isDone; change += 1) {
                const cluster = copyOf(await origin);
                const { simulation } = cluster;
                const one = beginController(simulation, new ControllerLease(), {
                    interruptions: [{ ...suspension, change }],
                });
                const other = beginController(simulation, new ControllerLease(), { clocks: { skew: -3_600_000 } });
                await playOut(simulation, [one, other]);
                isDone = one.result.changes <= change;
                assert.ok(!isDone || change >= 5, `${change} changes`);
                await assertOneReplacement(cluster);
            }
        });
    }
});
