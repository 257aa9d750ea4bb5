import * as assert from "node:assert/strict";
import {
    assertEvictionsEnded,
    assertNothingLeft,
    assertNoViolation,
    assertReached,
    assertTidy,
    deployed,
    shortTimeouts,
} from "../support/simulation/clusters";
import { distant } from "../support/simulation/createWorld";
import { strike } from "../support/simulation/faults";
import { copyOf, endedAtEachChange, type Ending } from "../support/simulation/endings";
import { type Goal, up } from "../support/simulation/operate";
import { pass, type Simulation } from "../support/simulation/simulation";
import type { ModelledMember } from "../support/simulation/program";
import { isFailure } from "../support/failsWith";

const goal: Goal = { pd: 3, tikv: 4, tidb: 1, revision: "r1", policy: shortTimeouts };
const origin = deployed(goal, distant);
const day = 86_400;

/** A deployed cluster, whose leadership can be trusted, with one pod of each of these members on a cordoned node. */
async function cordoned(...members: ModelledMember[]) {
    const { simulation, stack } = copyOf(await origin);
    await pass(simulation, 120_000);
    for (const component of members) {
        strike(simulation.world, { kind: "node-cordoned", at: 0, seconds: day, component, ordinal: 1 });
    }
    return { simulation, stack };
}
const nodeOf = ({ world }: Simulation, component: string) =>
    world.clusters.ours.pods.find((pod) => pod.component === component && pod.ordinal === 1)?.node;

/** How a run ends at one of its changes. */
const endings: Ending[] = [
    { when: "before", how: "kill" },
    { when: "after", how: "kill" },
    { when: "after", how: "stop" },
];

describe("a node that is being emptied", function () {
    this.timeout(120_000);

    it("loses its pods to other nodes, by no rule's breach, and nothing is left", async () => {
        const { simulation, stack } = await cordoned("pd", "tikv");
        await assertReached(simulation, stack, goal, await up(simulation, stack, goal));
        assert.deepEqual([nodeOf(simulation, "pd"), nodeOf(simulation, "tikv")], ["node-pd-1b", "node-tikv-1b"]);
        assertNothingLeft(simulation.world);
        const again = await up(simulation, stack, goal);
        assert.deepEqual([again.ending, again.changes], ["done", 0], "nothing is moved twice");
    });

    it("keeps its pods while no other node has room, and the update changes nothing", async () => {
        const { simulation, stack } = await cordoned("pd", "tikv");
        strike(simulation.world, { kind: "nodes-full", at: 0, seconds: day });
        const result = await up(simulation, stack, goal);
        assert.deepEqual([result.ending, result.changes], ["done", 0]);
        assert.deepEqual([nodeOf(simulation, "pd"), nodeOf(simulation, "tikv")], ["node-pd-1", "node-tikv-1"]);
    });

    it("keeps a store if the room is taken while its leaders leave: the run fails and ends its eviction", async () => {
        const { simulation, stack } = await cordoned("tikv");
        simulation.world.faults = [
            { kind: "nodes-full", at: 0, seconds: day, after: { action: "begin-eviction", nth: 0 } },
        ];
        const result = await up(simulation, stack, goal);
        assertNoViolation(simulation.world);
        isFailure(result.error, "room-elsewhere");
        assert.equal(nodeOf(simulation, "tikv"), "node-tikv-1");
        assertTidy(simulation, result);
        assertEvictionsEnded(simulation.world);
    });

    for (const ending of endings) {
        it(`is emptied by the next run after one that was ${ending.how} ${ending.when} any of its changes`, async () => {
            for await (const { simulation, stack } of endedAtEachChange(await cordoned("tikv"), goal, ending, 3)) {
                const next = await up(simulation, stack, goal);
                assert.equal(next.ending, "done", next.error?.message);
                assertNoViolation(simulation.world);
                assertEvictionsEnded(simulation.world);
                assert.equal(nodeOf(simulation, "tikv"), "node-tikv-1b");
                // An eviction that has ended may still be on record: the program has not changed, so the next change forgets it.
                const after = { ...goal, revision: "r2" };
                await assertReached(simulation, stack, after, await up(simulation, stack, after));
            }
        });
    }
});
