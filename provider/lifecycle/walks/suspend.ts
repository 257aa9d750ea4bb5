import { topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { unfinishedRemake } from "../volumes/remake";
import { memberLifecycles } from "../members/memberLifecycles";
import { noteVersion } from "../stages/claimVersions";
import type { Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { firstUnfinished } from "../vocabulary/stage";
import { waitOrFail } from "../vocabulary/waitOrFail";
import type { DryRun } from "../dryRun/dryRun";
import { type DueStep, planSteps, type PlannedSteps } from "../dryRun/planSteps";
import type { MemberTarget } from "../vocabulary/target";
import { askLeaders } from "./stopped";
import { losesVolumes, podsWithDeletedClaims, volumesStay } from "./volumesStay";

/** A member to suspend: it has no pods for now, and keeps its volumes, Services and ConfigMap. */
export type SuspendTarget = Pick<MemberTarget, "component" | "policy">;

/**
 * Returns the next move until a member is suspended. Its StatefulSet is deleted in the foreground, so it exists until its
 * pods have stopped (tidb-operator pkg/manager/suspender/suspender.go). Its volumes are not touched.
 */
export function nextSuspendMove(observation: Observation, target: SuspendTarget, memory: Memory): Move {
    const { statefulSet, pods } = observed(observation, target);
    const name = memberName(observation.cluster, target.component);
    const first =
        unfinishedRemake(observation, target, memory) ?? noteVersion(observation, target.component, memory, "last");
    if (first) {
        return first;
    }
    if (statefulSet && !statefulSet.terminating) {
        const losing = podsWithDeletedClaims(observation, target).find(losesVolumes);
        const refusal = losing && firstUnfinished([volumesStay], losing, memory);
        if (refusal !== undefined) {
            return refusal;
        }
        const endsPd = topology[target.component].keepsLock ? { endsPd: true as const } : {};
        const action = { do: "delete-stateful-set", name, uid: statefulSet.uid, ...endsPd } as const;
        return { kind: "act", action, step: "suspend", target: name };
    }
    if (!statefulSet && pods.length === 0) {
        return { kind: "done" };
    }
    // How many leaders a store still has is asked once it stops: a suspension needs no PD.
    const asks = pods.length > 0 ? askLeaders(observation, target.component) : undefined;
    if (asks) {
        return asks;
    }
    return waitOrFail(observation, target, memory, {
        step: "suspended",
        target: name,
        lacks: pods.length > 0 ? `${pods.join(", ")} not stopped yet` : `StatefulSet ${name} still exists`,
        advice: "check the pods: an unreachable node or a finalizer can keep one from stopping",
    });
}

const reason = "suspendAction";

/** @returns what a suspension takes in any case: one step. Pods that are already stopping are only waited for. */
export function dueToSuspend(observation: Observation, target: SuspendTarget): DueStep[] {
    const { statefulSet, pods } = observed(observation, target);
    if (!statefulSet && pods.length === 0) {
        return [];
    }
    const { noneLeft } = memberLifecycles[target.component];
    return [
        {
            kind: statefulSet && !statefulSet.terminating ? "suspend" : "wait",
            component: target.component,
            target: memberName(observation.cluster, target.component),
            why: reason,
            waitsFor: pods.length === 1 ? "its pod has stopped" : `its ${pods.length} pods have stopped`,
            risk: () => (pods.length > 0 ? noneLeft : undefined),
        },
    ];
}

/** @returns the steps of a suspension, as its dry run has them. */
export function planSuspend(run: DryRun, live: Observation, target: SuspendTarget): PlannedSteps {
    const { component } = target;
    return planSteps(run, dueToSuspend(live, target), live, { component, why: () => reason });
}

function observed(observation: Observation, { component }: SuspendTarget) {
    const member = observation.members[component];
    return { statefulSet: member?.statefulSet, pods: (member?.pods ?? []).map((pod) => pod.name) };
}
