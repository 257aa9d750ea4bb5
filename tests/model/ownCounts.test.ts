import * as assert from "node:assert/strict";
import { assertNoViolation, deployed, shortTimeouts } from "../support/simulation/clusters";
import { copyOf } from "../support/simulation/endings";
import { type Goal, up } from "../support/simulation/operate";

const start: Goal = { pd: 1, tikv: 3, revision: "r1", policy: shortTimeouts };

/**
 * PD's counts never add up, because a few regions have no leader that reports them to the restarted PD. So only the stores' own counts
 * say that their leaders have left.
 */
describe("stores whose leaders PD cannot count", function () {
    this.timeout(240_000);

    it("report every second: one whose leaders came back after its gauge was refreshed is not restarted while it leads", async () => {
        const origin = await deployed(start, { heartbeats: { region: 12_000, store: 1_000 }, regions: 40 });
        let again = 0;
        // The gauge says zero from some moment on, and for 10 s then. Each time the eviction is lost at another one.
        for (let lostAfter = 5_000; lostAfter < 15_000; lostAfter += 2_000) {
            const { simulation, stack } = copyOf(origin);
            const { world } = simulation;
            world.faults = [
                { kind: "leaderless", region: 0, at: world.now, seconds: 100_000 },
                // The run does not see that the leaders come back, and begins the eviction again.
                {
                    kind: "pd-unreachable",
                    after: { action: "begin-eviction", nth: 0 },
                    at: lostAfter - 2_000,
                    seconds: 4,
                },
                { kind: "eviction-lost", after: { action: "begin-eviction", nth: 0 }, at: lostAfter, seconds: 1 },
                { kind: "evictions-stuck", after: { action: "begin-eviction", nth: 1 }, at: 0, seconds: 6 },
            ];
            const since = world.log.length;
            const { ending, error } = await up(simulation, stack, { ...start, revision: "r2" });
            assertNoViolation(world);
            assert.equal(ending, "done", error?.message);
            const begun = world.log.slice(since).filter((line) => line.includes('{"do":"begin-eviction"'));
            again += begun.length > 3 ? 1 : 0;
        }
        assert.equal(again, 5, "evictions that were lost and begun again");
    });
});
