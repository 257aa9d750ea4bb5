import * as assert from "node:assert/strict";
import { assertReached, deployed, shortTimeouts } from "../support/simulation/clusters";
import { copyOf } from "../support/simulation/endings";
import { writeStatefulSet } from "../support/simulation/kubernetes";
import { type Goal, up } from "../support/simulation/operate";
import { pass, type Simulation } from "../support/simulation/simulation";
import { hasQuorum } from "../support/simulation/truth";
import { startMilliseconds } from "../support/simulation/world";

/**
 * Scale-outs of PD that are taken back while the new pods start. A PD member joins the moment its process runs, and counts towards the
 * quorum from then on.
 */
const sizes = [
    [1, 3],
    [3, 5],
    [2, 3],
] as const;
/** How long images of new pods take to be pulled, at the longest, in milliseconds. */
const starts = [0, 2_000, 30_000];

function assertKept(simulation: Simulation, when: string): void {
    const { world } = simulation;
    const members = world.pd.members.map(({ name }) => name).join(", ");
    const pods = world.clusters.ours.pods.filter(({ component }) => component === "pd").map(({ name }) => name);
    const story = `${when}: PD has the members ${members}, and the pods ${pods.join()}\n${world.log.slice(-40).join("\n")}`;
    assert.ok(hasQuorum(world), story);
    assert.deepEqual(world.violations, [], story);
}

describe("a scale-out of PD that is taken back", function () {
    this.timeout(300_000);
    for (const [small, large] of sizes) {
        for (const start of starts) {
            it(`from ${small} to ${large} keeps PD's quorum and volumes wherever it was stopped, if pods start within ${start / 1000} s`, async () => {
                const goal: Goal = { pd: small, tikv: 3, revision: "r1", policy: shortTimeouts };
                const begun = await deployed(goal, { regions: 4, delays: { write: 3_000, start } });
                const whole = copyOf(begun);
                const { changes } = await up(whole.simulation, whole.stack, { ...goal, pd: large });
                for (let change = 0; change <= changes; change += 1) {
                    const { simulation, stack } = copyOf(begun);
                    await up(simulation, stack, { ...goal, pd: large }, { change, when: "after", how: "kill" });
                    const back = await up(simulation, stack, goal, {
                        change: change % 7,
                        when: "after",
                        how: "suspend",
                        seconds: 2,
                    });
                    await pass(simulation, 60_000);
                    assertKept(simulation, `killed after change ${change}, taken back: ${back.error?.message}`);
                    const again = { ...goal, pd: large };
                    await assertReached(simulation, stack, again, await up(simulation, stack, again));
                    assertKept(simulation, `killed after change ${change}, scaled out again`);
                }
            });
        }
    }

    it("lets no process join after the last look, while Pulumi has not written the number yet", async () => {
        const goal: Goal = {
            pd: 1,
            tikv: 3,
            revision: "r1",
            policy: { ...shortTimeouts, podReadyTimeoutSeconds: 600 },
        };
        const begun = await deployed(goal, { regions: 4, delays: { write: 10_000 } });
        const { world } = begun.simulation;
        writeStatefulSet(world, world.clusters.ours, "pd", 3, "r1");
        world.clusters.ours.applied.pd = { replicas: 3, revision: "r1" };
        await pass(begun.simulation, 700);
        const pulling = (startsAt: number) => {
            const copy = copyOf(begun);
            const pods = copy.simulation.world.clusters.ours.pods;
            pods.filter(({ component, ordinal }) => component === "pd" && ordinal > 0).forEach((pod) =>
                Object.assign(pod, { startsAt }),
            );
            return copy;
        };
        const never = pulling(Infinity);
        await up(never.simulation, never.stack, goal);
        const released = never.simulation.world.log.filter((line) => line.includes("release-claims")).at(-1) ?? "";
        const at = startMilliseconds + Number.parseFloat(released) * 1000;
        assert.ok(at > world.now + 150_000, `their processes get 150 s to start: ${released}`);
        for (const chance of [1, 2_000_000_000, 4_000_000_000]) {
            const { simulation, stack } = pulling(at + 1_000);
            simulation.world.chance = chance;
            await up(simulation, stack, goal);
            await pass(simulation, 60_000);
            assertKept(simulation, "their processes would have started a second after the last look");
        }
    });
});
