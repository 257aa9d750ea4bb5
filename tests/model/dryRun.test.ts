import * as assert from "node:assert/strict";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { sizes, worldOptions } from "../support/simulation/arbitraries";
import { deployed, shortTimeouts } from "../support/simulation/clusters";
import type { WorldOptions } from "../support/simulation/createWorld";
import type { Fault } from "../support/simulation/fault";
import { strike } from "../support/simulation/faults";
import { isSideBySide } from "../support/simulation/dryRunStory";
import { courseOf, difference, foreseenCourse } from "../support/simulation/foreseenStop";
import { foreseenBy, type Goal, up } from "../support/simulation/operate";
import { pass } from "../support/simulation/simulation";

/**
 * The preview is a dry run of the update. In a cluster where nothing else happens, the actions that it foresees are those of the update, in
 * their order; and what it calls held, the update waits at, by the same stage and pod.
 */

const start: Goal = { pd: 3, tikv: 4, tidb: 2, revision: "r1", policy: shortTimeouts };
const one: Goal = { ...start, pd: 1, tikv: 1, tidb: 1 };
const wide: Goal = { ...start, pd: 5, tikv: 6, tidb: 3 };
const batched: Goal = { ...start, tikv: 6, policy: { ...shortTimeouts, parallelism: 2 } };

const changes: [name: string, from: Goal, to: Goal][] = [
    ["an upgrade", start, { ...start, revision: "r2" }],
    ["an upgrade of one PD, one TiKV and one TiDB", one, { ...one, revision: "r2" }],
    ["an upgrade with TiFlash", { ...start, tiflash: 2 }, { ...start, tiflash: 2, revision: "r2" }],
    ["an upgrade in batches", batched, { ...batched, revision: "r2" }],
    ["a scale-out with an upgrade", start, { ...start, pd: 5, tikv: 6, tidb: 3, revision: "r2" }],
    ["a scale-in", wide, { ...wide, pd: 3, tikv: 4, tidb: 2 }],
    ["a scale-in with an upgrade", wide, { ...wide, pd: 3, tikv: 4, tidb: 2, revision: "r2" }],
];

describe("a preview in a quiet cluster foresees the actions of the update, in their order", function () {
    this.timeout(120_000);

    for (const [name, from, to] of changes) {
        it(name, () => assertForeseen({}, from, to));
    }

    it("in any cluster", async () => {
        const quiet = worldOptions.map(({ watchLag: _, clocks: _clocks, delays: _delays, ...options }) => options);
        // Two members have no quorum while one restarts, and either may lead afterwards.
        const grown = sizes.map(({ pd, ...others }) => ({ ...others, pd: pd === 2 ? 3 : pd }));
        const story = fc.tuple(quiet, grown, grown, fc.boolean());
        await fc.assert(
            fc.asyncProperty(story, async ([options, before, after, upgrades]) => {
                const from: Goal = { ...start, ...before };
                // That a member leaves is the plan of the cluster's first gate.
                const tiflash = after.tiflash ?? before.tiflash;
                await assertForeseen(options, from, { ...from, ...after, tiflash, revision: upgrades ? "r2" : "r1" });
            }),
            { numRuns: Number(process.env.STORIES ?? 12), seed: Number(process.env.SEED ?? 1), endOnFailure: true },
        );
    });
});

async function assertForeseen(options: WorldOptions, from: Goal, to: Goal): Promise<void> {
    const { simulation, stack } = await deployed(from, options);
    await pass(simulation, 180_000);
    const foreseen = foreseenCourse(await foreseenBy(simulation, stack, to));
    const since = simulation.world.log.length;
    const result = await up(simulation, stack, to, undefined, { triesWhatFails: true });
    const update = courseOf(result, simulation.world, since);
    assert.equal(difference(foreseen, update, isSideBySide(to)), undefined, inspect({ foreseen, update }));
}

/** What lasts for longer than an update waits. */
const lasting = { at: 0, seconds: 3_600 };

const held: [name: string, options: WorldOptions, fault: Fault | undefined, at: string][] = [
    ["someone else's eviction", {}, { ...lasting, kind: "foreign-eviction", ordinal: 1 }, "no-foreign-eviction"],
    ["a store that is down", {}, { ...lasting, kind: "node-down", component: "tikv", ordinal: 1 }, "other-stores-up"],
    ["a PD member that is down", {}, { ...lasting, kind: "node-down", component: "pd", ordinal: 1 }, "pod-stopped"],
    ["one replica of each region", { maxReplicas: 1 }, undefined, "leaders-can-move"],
];

describe("what a preview calls held, the update waits at", function () {
    this.timeout(60_000);

    for (const [name, options, fault, at] of held) {
        it(name, async () => {
            const { simulation, stack } = await deployed(start, options);
            if (fault) {
                strike(simulation.world, fault);
            }
            await pass(simulation, 60_000);
            const to = { ...start, revision: "r2" };
            const foreseen = foreseenCourse(await foreseenBy(simulation, stack, to));
            assert.equal(foreseen.stop?.split(" ")[0], at);
            const since = simulation.world.log.length;
            const update = courseOf(
                await up(simulation, stack, to, undefined, { triesWhatFails: true }),
                simulation.world,
                since,
            );
            assert.equal(difference(foreseen, update, isSideBySide(to)), undefined, inspect({ foreseen, update }));
        });
    }
});
