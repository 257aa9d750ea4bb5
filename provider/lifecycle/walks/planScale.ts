import { podOrdinal } from "../../../topology/podNames";
import type { DryRun } from "../dryRun/dryRun";
import { type DueStep, planSteps, type PlannedSteps } from "../dryRun/planSteps";
import { memberLifecycles } from "../members/memberLifecycles";
import type { Observation } from "../vocabulary/observation";
import { claimsOf, type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { ordinalsOf, replicasOf } from "./scale";

/** How long a pod takes to stop, by a rule of thumb. */
const stopSeconds = 30;

const released = "an earlier scale-in released its volumes";

/** @returns the steps that a new number of replicas takes in any case, as Kubernetes alone shows them, in their order. */
export function dueScaling(observation: Observation, target: MemberTarget): DueStep[] {
    const { removalRisk, noneLeft } = memberLifecycles[target.component];
    const { leaving, coming } = ordinalsOf(observation, target);
    const emptied = coming
        .map((ordinal) => viewOf(observation, target, ordinal))
        .filter((view) => claimsOf(view).some((claim) => claim.released))
        .map(({ podName }): DueStep => {
            return { kind: "empty-volume", component: target.component, target: podName, why: released };
        });
    const removals = leaving.map((ordinal): DueStep => {
        const view = viewOf(observation, target, ordinal);
        return {
            kind: "remove",
            component: target.component,
            target: view.podName,
            why: `${replicasOf(view.member)} to ${target.replicas} replicas`,
            lastly: claimsOf(view).length > 0 ? undefined : "graceful shutdown",
            waitsFor: claimsOf(view).length > 0 ? undefined : "its pod is gone",
            seconds: stopSeconds,
            risk: (seen) => (takesLast(view) ? noneLeft : removalRisk?.(viewOf(seen, target, ordinal))),
        };
    });
    return [...removals, ...emptied];
}

/**
 * @param due the steps that are due. Default: those of the new number.
 * @returns the steps before the StatefulSet gets its new number of replicas: what their dry run does, by pod, and what is due after its end.
 */
export function planScale(
    run: DryRun,
    live: Observation,
    target: MemberTarget,
    due: readonly DueStep[] = dueScaling(live, target),
): PlannedSteps {
    const { statefulSet, pods = [] } = live.members[target.component] ?? {};
    return planSteps(run, due, live, {
        component: target.component,
        // Once its claims are being deleted, only the pod is left to delete.
        kind: (pod, byActions) =>
            byActions === "restart" && isBeingEmptied(live, target, pod) ? "empty-volume" : byActions,
        why: (kind, pod) =>
            kind === "empty-volume"
                ? pods.some(({ name }) => name === pod)
                    ? "an earlier scale-in has already taken it out of the cluster"
                    : released
                : statefulSet
                  ? "a scale-in was reverted"
                  : "without a StatefulSet, nothing shows that a scale-in has ended",
    });
}

function isBeingEmptied({ members, cluster }: Observation, { component }: MemberTarget, pod: string): boolean {
    const ordinal = podOrdinal(pod, cluster, component);
    return (members[component]?.claims ?? []).some((claim) => claim.ordinal === ordinal && claim.terminating);
}

/** Whether no pod of the member is left after the removal. The lowest ordinal leaves last. */
function takesLast({ target, ordinal, member }: PodView): boolean {
    return target.replicas === 0 && ordinal === 0 && member.pods.length > 0;
}
