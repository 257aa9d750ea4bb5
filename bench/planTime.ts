import { emptyMemory } from "../provider/lifecycle/vocabulary/memory";
import { describePlan, stepItems } from "../provider/lifecycle/walks/describePlan";
import { nextRolloutMove } from "../provider/lifecycle/walks/rollout";
import { observed } from "../tests/support/lifecycle/observations";
import { type Figure, medianTime } from "./figure";
import { plannedRollout } from "../tests/support/lifecycle/planned";

const stores = 1_000;
/** So many are foreseen whole. */
const whole = 300;
/** A preview runs the update dry once, for each member that restarts. */
const planMilliseconds = 1_000;
/** A run decides after each look. */
const moveMilliseconds = 50;

/** Times the plans of an upgrade of 300 and of 1,000 stores, and a run's decision half way through the latter. */
export function planTime(repetitions: number): Figure[] {
    const move = times(repetitions, stores, stores / 2, ({ observation, target }) => {
        nextRolloutMove(observation, target, emptyMemory);
    });
    return [
        timeOfPlan(repetitions, whole),
        timeOfPlan(repetitions, stores),
        medianTime("next move, half of 1,000 stores upgraded", moveMilliseconds, move),
    ];
}

function timeOfPlan(repetitions: number, live: number): Figure {
    let foreseen = 0;
    const plan = times(repetitions, live, live, ({ observation, target }) => {
        const steps = plannedRollout(observation, target);
        describePlan(stepItems(steps));
        foreseen = steps.filter(({ does }) => does.length > 0).length;
    });
    const figure = medianTime(`plan of an upgrade of ${live.toLocaleString("en")} stores`, planMilliseconds, plan);
    return { ...figure, detail: `${foreseen} of ${live} restarts are foreseen; ${figure.detail}` };
}

/** Each repetition decides from an observation of its own, as each look of a run makes one. */
function times(
    repetitions: number,
    live: number,
    outdated: number,
    decide: (seen: ReturnType<typeof observed>) => void,
): number[] {
    return Array.from({ length: repetitions }, () => {
        const seen = observed("tikv", { live, stale: Array.from({ length: outdated }, (_, index) => index) });
        const began = performance.now();
        decide(seen);
        return performance.now() - began;
    });
}
