import * as assert from "node:assert/strict";
import { assertNoViolation, deployed, shortTimeouts } from "../support/simulation/clusters";
import { copyOf, endedAtEachChange, type Ending } from "../support/simulation/endings";
import { type Goal, previewOf, up } from "../support/simulation/operate";
import { pass } from "../support/simulation/simulation";

const start: Goal = { pd: 3, tiflash: 2, tikv: 4, tidb: 2, revision: "r1", policy: shortTimeouts };
const sideBySide = { ...start, policy: { ...shortTimeouts, parallelism: 3, maxUnavailable: 2 } };
/** What the update that is taken back is changed to besides, how it ended, and at which of its changes. */
const cases: [name: string, before: Goal, back: Partial<Goal>, how: Ending["how"], every: number][] = [
    ["and scaled out", start, { tikv: 5, tiflash: 3, tidb: 3 }, "kill", 12],
    ["and scaled in", start, { tikv: 3, tidb: 1 }, "stop", 24],
    ["while pods restart side by side", sideBySide, {}, "kill", 12],
];

/** @returns the second part of each line that matches. */
const named = (lines: readonly string[], pattern: RegExp) =>
    lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).sort();

describe("the preview of an update that is taken back half way", () => {
    for (const [name, before, back, how, every] of cases) {
        it(`names the pods that the update restarts, and no other one: ${name}`, async () => {
            const origin = await deployed(before, { regions: 8 });
            const goal = { ...before, ...back };
            let restarts = 0;
            const ended = endedAtEachChange(origin, { ...before, revision: "r2" }, { when: "after", how }, 3, every);
            for await (const left of ended) {
                const { simulation, stack } = copyOf(left);
                await pass(simulation, 30_000);
                const planned = named(await previewOf(simulation, stack, goal), /^restart (\S+)/);
                const { log } = simulation.world;
                const from = log.length;
                const result = await up(simulation, stack, goal);
                assert.equal(result.ending, "done", result.error?.message);
                const restarted = named(log.slice(from), /"do":"delete-pod","pod":"([^"]+)"/);
                assert.deepEqual(planned, restarted, `ended at change ${left.change}`);
                restarts += restarted.length;
                assertNoViolation(simulation.world);
            }
            assert.ok(restarts > 0, "no update restarted a pod");
        });
    }
});
