import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { advance } from "../../support/simulation/advance";
import {
    assertNoViolation,
    assertReached,
    assertTidy,
    deployed,
    shortPatience,
    upAfterHealing,
} from "../../support/simulation/clusters";
import { type Goal, type Interruption, up } from "../../support/simulation/operate";
import type { Fault } from "../../support/simulation/state";

/** Design §5 over random clusters, faults and interruptions. `FC_RUNS` and `FC_SEED` ask for more, and for the same again. */
const runs = Number(process.env.FC_RUNS ?? 30);
const seed = process.env.FC_SEED === undefined ? undefined : Number(process.env.FC_SEED);

const sizes = fc.record({
    pd: fc.constantFrom(1, 2, 3, 3, 5),
    tiflash: fc.integer({ min: 1, max: 3 }),
    tikv: fc.integer({ min: 3, max: 6 }),
    tidb: fc.integer({ min: 0, max: 2 }),
});
const policy = fc.constantFrom<Goal["policy"]>(
    shortPatience,
    { ...shortPatience, scaleInParallelism: 2 },
    { ...shortPatience, evictLeaderTimeoutSeconds: 4, afterEvictLeaderTimeout: "restart" },
    { ...shortPatience, minReadySeconds: 5 },
);
const seconds = fc.integer({ min: 1, max: 140 });
const component = fc.constantFrom("pd" as const, "tikv" as const, "tikv" as const, "tiflash" as const, "tidb" as const);
const ordinal = fc.nat(4);
/** `at` is counted from the start of the runs, in milliseconds. */
const at = fc.nat(45_000);
const fault: fc.Arbitrary<Fault> = fc.oneof(
    fc.record({ at, kind: fc.constant("pod-deleted" as const), component, ordinal }),
    fc.record({ at, kind: fc.constant("process-down" as const), component, ordinal, seconds }),
    fc.record({
        at,
        kind: fc.constant("process-down" as const),
        component: fc.constantFrom("pd" as const, "tikv" as const, "tiflash" as const),
        ordinal,
        seconds,
    }),
    fc.record({
        at,
        kind: fc.constantFrom("pd-silent", "eviction-stuck", "regions-pending" as const),
        seconds,
    }) as fc.Arbitrary<Fault>,
    fc.record({ at, kind: fc.constant("scheduler-lost" as const) }),
    fc.record({ at, kind: fc.constant("foreign-eviction" as const), ordinal }),
);
const interruption: fc.Arbitrary<Interruption> = fc.record({
    change: fc.nat(45),
    when: fc.constantFrom("before", "after" as const),
    how: fc.constantFrom("kill", "kill", "stop", "refuse" as const),
}) as fc.Arbitrary<Interruption>;
const run = fc.record({
    goal: sizes,
    revision: fc.constantFrom("r1", "r2", "r3", "bad"),
    policy,
    interruption: fc.option(interruption, { nil: undefined }),
    pause: fc.nat(40_000),
});

describe("over random clusters, faults and interruptions", function () {
    this.timeout(300_000);

    it("no rule of design §5 is broken, and with the faults healed the last run reaches what was asked for", async () => {
        let reached = 0;
        await fc.assert(
            fc.asyncProperty(
                sizes,
                fc.array(run, { minLength: 1, maxLength: 3 }),
                fc.array(fault, { maxLength: 5 }),
                run,
                fc.boolean(),
                async (start, between, faults, last, hasTiflash) => {
                    const withTiflash = (goal: Goal): Goal => (hasTiflash ? goal : { ...goal, tiflash: undefined });
                    const { state, stack } = await deployed(
                        withTiflash({ ...start, revision: "r1", policy: shortPatience }),
                    );
                    state.tiflashReplicas = hasTiflash ? 1 : 0;
                    state.badRevisions.add("bad");
                    state.faults = faults.map((one) => ({ ...one, at: state.now + one.at }));
                    for (const { goal, revision, policy, interruption, pause } of between) {
                        const result = await up(state, stack, withTiflash({ ...goal, revision, policy }), interruption);
                        if (result.ending === "killed") {
                            assertNoViolation(state);
                        } else {
                            assertTidy(state, result);
                        }
                        advance(state, pause);
                    }
                    const goal = withTiflash({
                        ...last.goal,
                        revision: last.revision.replace("bad", "r4"),
                        policy: last.policy,
                    });
                    await assertReached(state, stack, goal, await upAfterHealing(state, stack, goal));
                    reached += 1;
                },
            ),
            { numRuns: runs, seed },
        );
        assert.ok(reached >= runs);
    });
});
