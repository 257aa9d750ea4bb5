import { isStopped } from "../stages/stores";
import type { Observation } from "../vocabulary/observation";
import { viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { type PlanStep, stopsOf } from "../walks/planStep";
import type { MemberRisk } from "../walks/warnedRisks";
import { deadOnRecord } from "./givingWay";

/**
 * Warns that the steps cannot all be taken: a store that is dead and replaced still holds up the restarts of others.
 * @param observation as it is once the update has replaced what is dead.
 */
export function warnedOfDeadStore(
    observation: Observation,
    target: MemberTarget,
    steps: readonly Pick<PlanStep, "kind" | "target">[],
): { warnings: string[]; memberRisks: MemberRisk[] } {
    const dead = deadOnRecord(observation, target);
    const stopped = viewsOf(observation, target).filter(isStopped);
    const held = stopsOf(steps).find((pod) => !stopped.some(({ podName }) => podName === pod));
    if (dead === undefined || held === undefined) {
        return { warnings: [], memberRisks: [] };
    }
    const fails = `fails before it restarts ${held}`;
    return {
        warnings: [
            `${dead} is dead and replaced, and no store restarts while another one is not Up: this update ${fails}. Next: bring ${dead} back, or remove its store from PD for good (pd-ctl store delete <id>); or leave what restarts stores to a later update`,
        ],
        memberRisks: [{ words: `the update ${fails}`, members: [target.component] }],
    };
}
