import * as assert from "node:assert/strict";
import { advance, heal } from "../../support/simulation/advance";
import {
    assertNoViolation,
    assertReached,
    assertTidy,
    deployed,
    shortPatience,
} from "../../support/simulation/clusters";
import { type Goal, type Interruption, up } from "../../support/simulation/operate";
import { createSimulation } from "../../support/simulation/state";

const start: Goal = { pd: 1, tiflash: 2, tikv: 3, tidb: 1, revision: "r1", policy: shortPatience };

describe("a run that works on TiFlash and ends at any of its changes is taken up by the next", function () {
    this.timeout(120_000);
    const changes: Record<string, Goal> = {
        "TiFlash 2 to 1": { ...start, tiflash: 1 },
        "TiFlash 2 to 1 and an upgrade": { ...start, tiflash: 1, revision: "r2" },
    };
    const nextGoals: ((change: Goal) => Goal)[] = [(change) => change, () => start];
    const endings: Omit<Interruption, "change">[] = [
        { when: "before", how: "kill" },
        { when: "after", how: "kill" },
        { when: "after", how: "stop" },
    ];
    for (const [name, change] of Object.entries(changes)) {
        for (const { when, how } of endings) {
            it(`${name}, ${how} ${when}`, async () => {
                for (let k = 0; ; k++) {
                    const { state, stack } = await deployed(start);
                    state.tiflashReplicas = 1;
                    const result = await up(state, stack, change, { when, how, change: k });
                    if (result.ending === "done" && result.changes <= k) {
                        assert.ok(k > 2, `${k} changes`);
                        break;
                    }
                    if (result.ending === "failed") {
                        assertTidy(state, result);
                    }
                    assertNoViolation(state);
                    advance(state, 3_000);
                    const goal = nextGoals[k % nextGoals.length](change);
                    await assertReached(state, stack, goal, await up(state, stack, goal));
                }
            });
        }
    }

    it("a first deployment that failed for TiKV: the next run does not wait for TiFlash, which waits for TiKV", async () => {
        const state = createSimulation();
        const stack = {};
        state.faults = [0, 1, 2].map((ordinal) => ({
            at: state.now,
            kind: "process-down",
            component: "tikv",
            ordinal,
            seconds: 100_000,
        }));
        for (const attempt of ["the first", "the second"]) {
            const result = await up(state, stack, start);
            assert.equal(result.ending, "failed", attempt);
            assert.match(result.error?.message ?? "", /basic-tikv.*no TiKV store is Up/, attempt);
        }
        heal(state);
        await assertReached(state, stack, start, await up(state, stack, start));
    });
});
