import { dryRollout, withPdRestarted } from "../../../provider/lifecycle/dryRun/dryRollout";
import { type Decide, dryRun, type DryRun, type DryRunning } from "../../../provider/lifecycle/dryRun/dryRun";
import type { Look } from "../../../provider/lifecycle/vocabulary/look";
import { allSteps } from "../../../provider/lifecycle/dryRun/planSteps";
import type { LostNodesTarget } from "../../../provider/lifecycle/lostNodes/lostPods";
import { nextLossMove } from "../../../provider/lifecycle/lostNodes/nextLossMove";
import { lossSteps } from "../../../provider/lifecycle/lostNodes/planLoss";
import { nextSettingsMove } from "../../../provider/lifecycle/settings/nextSettings";
import type { SettingsTarget } from "../../../provider/lifecycle/settings/settingsPlan";
import { planSettings } from "../../../provider/lifecycle/settings/settingsSteps";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import type { MemberTarget } from "../../../provider/lifecycle/vocabulary/target";
import { ofAllStores } from "../../../provider/lifecycle/walks/planLooks";
import { planRollout, whyOneByOne } from "../../../provider/lifecycle/walks/planRollout";
import { planScale } from "../../../provider/lifecycle/walks/planScale";
import type { PlanStep } from "../../../provider/lifecycle/walks/planStep";
import { nextRolloutMove } from "../../../provider/lifecycle/walks/rollout";
import { nextSuspendMove, planSuspend, type SuspendTarget } from "../../../provider/lifecycle/walks/suspend";
import { nextScaleMove } from "../../../provider/lifecycle/walks/scale";

/** More questions than any of these plans has. The cluster of a table answers with what it has. */
const mostLooks = 20;

/** @returns the dry run, in a cluster that answers each question with the same observation. */
export function ranIn(observation: Observation, run: DryRunning): DryRun {
    let next = run.next();
    for (let looks = 0; !next.done; looks++) {
        next = run.next(looks < mostLooks ? observation : undefined);
    }
    return next.value;
}

const runOf = (observation: Observation, decide: Decide) => ranIn(observation, dryRun(decide, observation));

/** The member, and whether the same update restarts PD's pods first. Default: it does not. */
export type PlannedTarget = MemberTarget & { readonly pdRestarts?: boolean };

/** @returns the dry run of a rollout, which has not asked for anything yet. */
export function rolloutRunning(observation: Observation, target: PlannedTarget): DryRunning {
    return dryRollout(
        (seen, memory) => nextRolloutMove(seen, target, memory, "all-well", "never"),
        observation,
        target,
        target.pdRestarts ? withPdRestarted : undefined,
    );
}

/** @returns the dry run of a rollout. */
export function rolloutRun(observation: Observation, target: PlannedTarget): DryRun {
    return ranIn(observation, rolloutRunning(observation, target));
}

/** @returns what the dry run of a rollout asks for first, and why pods restart one by one although the program asks for batches. */
export function batchesNeed(observation: Observation, target: MemberTarget): { look?: Look; remark?: string } {
    const first = rolloutRunning(observation, target).next();
    const look = first.done === true ? undefined : ofAllStores(first.value, observation, target);
    const remark = whyOneByOne(rolloutRun(observation, target), target);
    return { ...(look === undefined ? {} : { look }), ...(remark === undefined ? {} : { remark }) };
}

/** @returns the steps of a rollout, as its dry run has them. */
export function plannedRollout(observation: Observation, target: PlannedTarget): PlanStep[] {
    return allSteps(planRollout(rolloutRun(observation, target), observation, target));
}

/** @returns the dry run of what comes before a new number of replicas. */
export function scaleRun(observation: Observation, target: MemberTarget): DryRun {
    return runOf(observation, (seen, memory) => nextScaleMove(seen, target, memory));
}

/** @returns the steps before a new number of replicas, as their dry run has them. */
export function plannedScale(observation: Observation, target: MemberTarget): PlanStep[] {
    return allSteps(planScale(scaleRun(observation, target), observation, target));
}

/** @returns the dry run of a suspension. */
export function suspensionRun(observation: Observation, target: SuspendTarget): DryRun {
    return runOf(observation, (seen, memory) => nextSuspendMove(seen, target, memory));
}

/** @returns the steps of a suspension, as its dry run has them. */
export function plannedSuspension(observation: Observation, target: SuspendTarget): PlanStep[] {
    return allSteps(planSuspend(suspensionRun(observation, target), observation, target));
}

/** @returns the dry run of what is due for settings. */
export function settingsRun(observation: Observation, target: SettingsTarget): DryRun {
    return runOf(observation, (seen, memory) => nextSettingsMove(seen, target, memory));
}

/** @returns the step of settings, as its dry run has it. */
export function plannedSettings(observation: Observation, target: SettingsTarget): PlanStep[] {
    return allSteps(planSettings(settingsRun(observation, target), observation, target));
}

/** @returns the steps of what is given up with lost nodes, as their dry run has them. */
export function plannedLoss(observation: Observation, target: LostNodesTarget): PlanStep[] {
    const run = dryRun((seen, memory) => nextLossMove(seen, target, memory), observation);
    return allSteps(lossSteps(ranIn(observation, run), observation, target));
}
