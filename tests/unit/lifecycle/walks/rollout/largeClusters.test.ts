import * as assert from "node:assert/strict";
import { emptyMemory } from "../../../../../provider/lifecycle/vocabulary/memory";
import type { Observation, ObservedStore } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { observed } from "../../../../support/lifecycle/observations";
import { plannedRollout, rolloutRun } from "../../../../support/lifecycle/planned";

const stores = 300;

/** How often a decision may look at each store. Comparing every store with every other one would take 300 times. */
const looksAtEachStore = 60;

/** So many decisions a plan takes for each restart: one for each move. */
const movesOfEach = 5;

/** Counts how often the fields of stores are read. */
function counting(observation: Observation): { seen: Observation; reads: () => number } {
    let reads = 0;
    const counted = (store: ObservedStore): ObservedStore =>
        new Proxy(store, {
            get: (target, key) => {
                reads += 1;
                return target[key as keyof ObservedStore];
            },
        });
    const { pd } = observation;
    assert.ok(pd.stores.known);
    const seen = { ...observation, pd: { ...pd, stores: { ...pd.stores, value: pd.stores.value.map(counted) } } };
    return { seen, reads: () => reads };
}

describe("decisions about many stores", () => {
    const rows: [string, number][] = [
        ["all of them outdated", stores],
        ["half of them outdated", stores / 2],
        ["none outdated", 0],
    ];
    for (const [title, count] of rows) {
        it(`take time that grows with the number of stores, ${title}`, () => {
            const stale = Array.from({ length: count }, (_, ordinal) => ordinal);
            const { observation, target } = observed("tikv", { live: stores, stale });
            const { moves } = rolloutRun(observation, target);
            assert.equal(moves.length, count * movesOfEach);
            const everyFiftieth = moves.filter((_, one) => one % 50 === 0).map((one) => one.seen);
            for (const predicted of [observation, ...everyFiftieth]) {
                const { seen, reads } = counting(predicted);
                nextRolloutMove(seen, target, emptyMemory);
                assert.ok(reads() < stores * looksAtEachStore, `${reads()} reads of ${stores} stores`);
            }
        });
    }
    for (const [live, foreseen] of [
        [stores, stores],
        [1_000, 200],
    ]) {
        it(`foresee the restarts of ${foreseen} of ${live} stores, and have a step for each`, () => {
            const stale = Array.from({ length: live }, (_, ordinal) => ordinal);
            const { observation, target } = observed("tikv", { live, stale });
            const steps = plannedRollout(observation, target);
            assert.equal(steps.length, live);
            assert.equal(steps.filter(({ does }) => does.includes("delete pod")).length, foreseen);
        });
    }
});
