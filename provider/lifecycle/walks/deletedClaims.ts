import { memberLifecycles } from "../members/memberLifecycles";
import { isStopped } from "../stages/stores";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { type PlanStep, stopsOf } from "./planStep";
import { deletedOf, isReplacedByUpdate, losesVolumes, podsWithDeletedClaims } from "./volumesStay";
import type { MemberRisk } from "./warnedRisks";

/** What a plan says of claims that somebody has deleted under running pods. */

type Step = Pick<PlanStep, "kind" | "target">;

/**
 * Whether the update brings what the way out of a deleted claim may need: more pods, or the restart of one that does not run. It then
 * goes on up to the pod that must not stop.
 */
function isRepair(observation: Observation, target: MemberTarget, steps: readonly Step[]): boolean {
    const { statefulSet, pods = [] } = observation.members[target.component] ?? {};
    const repaired = pods
        .map(({ ordinal }) => viewOf(observation, target, ordinal))
        .filter((view) => isStopped(view) && !losesVolumes(view) && stopsOf(steps).includes(view.podName));
    return target.replicas > Math.min(statefulSet?.replicas ?? 0, pods.length) || repaired.length > 0;
}

/** @returns why the rollout must not begin: it stops a pod that loses a volume, and repairs nothing. */
export function refusedRollout(
    observation: Observation,
    target: MemberTarget,
    steps: readonly Step[],
): { property: string; reason: string } | undefined {
    const stops = isRepair(observation, target, steps) ? [] : stopsOf(steps);
    const view = podsWithDeletedClaims(observation, target).find(
        (one) => losesVolumes(one) && stops.includes(one.podName),
    );
    const { component } = target;
    return view === undefined
        ? undefined
        : {
              property: `spec.${memberLifecycles[component].field ?? component}`,
              reason: `found a step that stops ${view.podName}, expected none: ${deletedOf(view)}. What restarts it must leave the program until then`,
          };
}

/** How the update ends because of the pod, if it has such steps. */
function endOf(view: PodView, steps: readonly Step[]): string {
    if (losesVolumes(view)) {
        return stopsOf(steps).includes(view.podName) ? ". This update fails before it stops that pod" : "";
    }
    return steps.length > 0 && !isReplacedByUpdate(view) ? ". Until that pod is deleted, this update fails" : "";
}

/** @returns warnings of pods with such claims, and what is at risk with them. */
export function warnedOfDeletedClaims(
    observation: Observation,
    target: MemberTarget,
    steps: readonly Step[],
): { warnings: string[]; memberRisks: MemberRisk[] } {
    const views = podsWithDeletedClaims(observation, target);
    const losing = views.filter(losesVolumes);
    return {
        warnings: views.map((view) => `${view.podName}: ${deletedOf(view)}${endOf(view, steps)}`),
        memberRisks: losing.map(({ podName }) => ({
            words: `${podName} loses its volume once it stops`,
            members: [target.component],
        })),
    };
}
