import { emptyMemory } from "../provider/lifecycle/vocabulary/memory";
import { describePlan, stepItems } from "../provider/lifecycle/walks/describePlan";
import { nextRolloutMove } from "../provider/lifecycle/walks/rollout";
import { observed } from "../tests/support/lifecycle/observations";
import { type Figure, medianTime } from "./figure";
import { plannedRollout } from "../tests/support/lifecycle/planned";

const stores = 1_000;
/** A preview looks once, and a run decides after each look. */
const milliseconds = 50;

/** Times the plan of an upgrade of 1,000 stores, and a run's decision half way through it. */
export function planTime(repetitions: number): Figure[] {
    const plan = times(repetitions, stores, ({ observation, target }) => {
        describePlan(stepItems(plannedRollout(observation, target)));
    });
    const move = times(repetitions, stores / 2, ({ observation, target }) => {
        nextRolloutMove(observation, target, emptyMemory);
    });
    return [
        medianTime("plan of an upgrade of 1,000 stores", milliseconds, plan),
        medianTime("next move, half of 1,000 stores upgraded", milliseconds, move),
    ];
}

/** Each repetition decides from an observation of its own, as each look of a run makes one. */
function times(repetitions: number, outdated: number, decide: (seen: ReturnType<typeof observed>) => void): number[] {
    return Array.from({ length: repetitions }, () => {
        const seen = observed("tikv", { live: stores, stale: Array.from({ length: outdated }, (_, index) => index) });
        const began = performance.now();
        decide(seen);
        return performance.now() - began;
    });
}
