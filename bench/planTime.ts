import { emptyMemory } from "../provider/lifecycle/vocabulary/memory";
import { describePlan, stepItems } from "../provider/lifecycle/walks/describePlan";
import { planRollout } from "../provider/lifecycle/walks/planRollout";
import { nextRolloutMove } from "../provider/lifecycle/walks/rollout";
import { observed } from "../tests/support/lifecycle/observations";
import type { Figure } from "./figure";
import { median } from "./statistics";

const stores = 1_000;

/** A preview looks once, so its plan must not be felt. */
const planTarget = 50;

/** A run decides after each look. */
const moveTarget = 50;

/** Times the plan of an upgrade of 1,000 stores, and a run's decision half way through it. */
export function planTime(repetitions: number): Figure[] {
    const stale = (count: number): number[] => Array.from({ length: count }, (_, ordinal) => ordinal);
    const plan = times(repetitions, stale(stores), ({ observation, target }) => {
        describePlan(stepItems(planRollout(observation, target)));
    });
    const move = times(repetitions, stale(stores / 2), ({ observation, target }) => {
        nextRolloutMove(observation, target, emptyMemory);
    });
    return [
        { ...figure("plan of an upgrade of 1,000 stores", plan), target: planTarget },
        { ...figure("next move, half of 1,000 stores upgraded", move), target: moveTarget },
    ];
}

function figure(name: string, all: readonly number[]): Figure {
    const slowest = Math.max(...all).toFixed(1);
    return {
        name,
        measured: median(all),
        unit: "ms",
        detail: `median of ${all.length}; the slowest took ${slowest} ms`,
    };
}

/** Each repetition decides from an observation of its own, as each look of a run makes one. */
function times(repetitions: number, outdated: number[], decide: (seen: ReturnType<typeof observed>) => void): number[] {
    return Array.from({ length: repetitions }, () => {
        const seen = observed("tikv", { live: stores, stale: outdated });
        const began = performance.now();
        decide(seen);
        return performance.now() - began;
    });
}
