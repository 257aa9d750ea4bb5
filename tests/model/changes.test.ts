import * as assert from "node:assert/strict";
import { assertNoViolation, assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import { type Goal, up } from "../support/simulation/operate";
import { storeState } from "../support/simulation/pd";
import { copySimulation, type Simulation } from "../support/simulation/simulation";

/**
 * Whole changes by the real gates on the model, which judges by what is true of PD, stores and regions: what the operators
 * test end to end, as one `pulumi up` after the other.
 */

const start: Goal = { pd: 3, tikv: 4, tidb: 2, revision: "r1", policy: shortTimeouts };
const wide: Goal = { ...start, pd: 5, tikv: 5, tidb: 4 };

/** Each list of goals is reached one after the other, from the first. */
const changes: [name: string, goals: Goal[]][] = [
    ["PD 5 to 3 to 5: the members that left join anew, and PD always has a quorum", [wide, { ...wide, pd: 3 }, wide]],
    ["TiKV 5 to 3 to 5: no volume of a Tombstone store is used again", [wide, { ...wide, tikv: 3 }, wide]],
    ["TiDB 4 to 2 to 4", [wide, { ...wide, tidb: 2 }, wide]],
    ["PD 5 to 3 and an upgrade in one change", [wide, { ...wide, pd: 3, revision: "r2" }]],
    ["PD 3 to 5 and an upgrade in one change", [start, { ...start, pd: 5, revision: "r2" }]],
    ["TiKV 4 to 3 and an upgrade in one change: no eviction is left", [start, { ...start, tikv: 3, revision: "r2" }]],
    [
        "TiKV 3 to 4 and an upgrade in one change: no eviction is left",
        [
            { ...start, tikv: 3 },
            { ...start, revision: "r2" },
        ],
    ],
    ["TiDB 2 to 1 and an upgrade in one change", [start, { ...start, tidb: 1, revision: "r2" }]],
];

/** What is refused before anything is done, and why. */
const refusals: [name: string, goal: Goal, why: RegExp][] = [
    ["PD to 0 while other members need it", { ...start, pd: 0 }, /^refused: .*PD cannot be scaled to 0 while .*tikv/],
    ["PD to 0 together with all others", { ...start, pd: 0, tikv: 0, tidb: 0 }, /^refused: .*PD cannot be scaled to 0/],
    ["TiKV from 4 to fewer than max-replicas", { ...start, tikv: 2 }, /^refused: .*2 Up TiKV stores would be left/],
];

describe("a change that the operators test", function () {
    this.timeout(60_000);

    for (const [name, [first, ...goals]] of changes) {
        it(name, async () => {
            const { simulation, stack } = await deployed(first);
            for (const goal of goals) {
                await assertReached(simulation, stack, goal, await up(simulation, stack, goal));
            }
        });
    }

    it("TiKV 3 to 6 while a roll-out is half done: it goes on from there, and no eviction is left", async () => {
        const three = { ...start, tikv: 3 };
        const { simulation: origin, stack: earlier } = await deployed(three);
        let halfDone = 0;
        for (let change = 0; ; change += 3) {
            const [simulation, stack] = [copySimulation(origin), structuredClone(earlier)];
            const stopped = await up(
                simulation,
                stack,
                { ...three, revision: "r2" },
                { change, when: "after", how: "stop" },
            );
            if (stopped.changes <= change) {
                break;
            }
            halfDone += 1;
            const six = { ...three, tikv: 6, revision: "r2" };
            await assertReached(simulation, stack, six, await up(simulation, stack, six));
        }
        assert.ok(halfDone > 3, `${halfDone} runs were stopped half way`);
    });

    for (const [name, goal, why] of refusals) {
        it(`${name} is refused, and every store stays Up`, async () => {
            const { simulation, stack } = await deployed(start);
            const result = await up(simulation, stack, goal);
            assert.equal(result.ending, "failed");
            assert.match(result.error?.message ?? "", why);
            assert.equal(result.actions, 0, "nothing is done");
            assert.deepEqual(storeStates(simulation), ["Up", "Up", "Up", "Up"]);
            assertNoViolation(simulation.world);
        });
    }

    it("a scale-in of TiKV that is taken back while its store is Offline brings the store Up again, with its data", async () => {
        const { simulation: origin, stack: earlier } = await deployed(start);
        for (let change = 0; ; change++) {
            const [simulation, stack] = [copySimulation(origin), structuredClone(earlier)];
            const pods = () => simulation.world.clusters.ours.pods.map(({ uid }) => uid);
            const before = pods();
            const stopped = await up(simulation, stack, { ...start, tikv: 3 }, { change, when: "after", how: "stop" });
            assert.ok(stopped.changes > change, "no run that was stopped left a store Offline");
            if (stopped.ending === "failed" && storeStates(simulation).includes("Offline")) {
                await assertReached(simulation, stack, start, await up(simulation, stack, start));
                assert.deepEqual(pods(), before, "no pod was made anew");
                return;
            }
        }
    });
});

function storeStates({ world }: Simulation): string[] {
    return world.stores.map((store) => storeState(world, store.id));
}
