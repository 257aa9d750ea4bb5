import { type Component, topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { memberLifecycles } from "../members/memberLifecycles";
import { noteVersion } from "../stages/claimVersions";
import { givenUpVolumesReplaced } from "../stages/claims";
import { removalOf } from "../stages/removalRecord";
import { podStopped } from "../stages/sharedStages";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { claimsOf, firstUnfinished, type PodView, type Stage, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { unsettled, waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { changeReplicas, scaleOf } from "../walks/changeReplicas";
import { isLeftAlone } from "../walks/leftAlone";
import { stagesOfNewest, walkOrder } from "../walks/rollout";
import { nextScaleMove, nextTakenBack, ordinalsOf } from "../walks/scale";
import { nextLabelMove } from "../storeLabels/setLabels";
import { outdatedVolumesReplaced } from "./deletedWithPod";
import { outdatedClaims } from "./outdated";

/**
 * Volumes are replaced pod by pod: a spare pod comes first, the store or PD member of the pod leaves PD as in a scale-in, its claims and the pod are
 * deleted, and the pod that the StatefulSet creates gets claims of the new templates (tidb-operator's volume replacer,
 * pkg/manager/volumes/pvc_replacer.go). A pod of which PD has nothing restarts with new claims as in a rollout.
 */

/** What is done before the first store or member leaves. */
export const preparesReplacement = ["mark-outdated", "remake-stateful-set", "add-spares"] as const;

/**
 * @returns the next move before the number of replicas changes; undefined if no volume is to be replaced, and the spares may go.
 * @param target whose templates the StatefulSet has.
 */
export function nextReplacementMove(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const { component } = target;
    const { inPd, looks } = memberLifecycles[component];
    const statefulSet = observation.members[component]?.statefulSet;
    const [next] = replacementOrder(observation, target);
    if (statefulSet === undefined || (next === undefined && !isReplacing(observation, component))) {
        return undefined;
    }
    if (observation.pdTrouble && looks.scale.length > 0) {
        return waitForPd(observation, target, memory);
    }
    if (!statefulSet.settled) {
        return waitOrFail(observation, target, memory, unsettled(statefulSet.name));
    }
    if (next === undefined) {
        // Where no spare is to leave, a pod that is not well may need the template that this update brings.
        const wait = statefulSet.replicas > target.replicas ? untilWell(observation, target, memory) : undefined;
        return nextTakenBack(observation, target, memory) ?? wait ?? ended(observation, target, memory);
    }
    const replicas = withSpares(observation, target);
    const wide = { ...target, replicas, renewing: [next.ordinal], spares: replicas - target.replicas };
    const isBegun = isReplacementBegun(next);
    const scaled = isBegun ? undefined : nextScaleMove(observation, wide, memory);
    if (scaled !== undefined && scaled.kind !== "done") {
        return scaled;
    }
    if (statefulSet.replicas < replicas) {
        const from = scaleOf(statefulSet);
        return changeReplicas(statefulSet, { do: "add-spares", from, replicas }, memory, observation);
    }
    const others = isBegun ? undefined : untilWell(observation, wide, memory, next.ordinal);
    const view = viewOf(observation, wide, next.ordinal);
    return others ?? firstUnfinished(inPd ? beforeNewVolumes(view) : beforeRestartWithNew(view), view, memory);
}

/** @returns whether a run has begun to replace volumes of the member. Its spares stay until all pods are well with new ones. */
export function isReplacing({ records }: Pick<Observation, "records">, component: Component): boolean {
    return records.replacements?.[component] !== undefined;
}

/** All pods are well, their versions are recorded, and PD knows where the new stores are, before the next store leaves, or the spares do. */
function untilWell(observation: Observation, target: MemberTarget, memory: Memory, except?: number): Move | undefined {
    const { component } = target;
    for (const view of walkOrder(observation, target, () => false)) {
        const isWaitedFor = view.ordinal !== except && !isLeftAlone(view);
        const move = isWaitedFor
            ? firstUnfinished(stagesOfNewest(memberLifecycles[component]), view, memory)
            : undefined;
        if (move !== undefined) {
            return move;
        }
    }
    const labelled =
        topology[component].engine === undefined ? undefined : nextLabelMove(observation, [target], memory);
    return (
        noteVersion(observation, component, memory) ??
        (labelled === undefined || labelled.kind === "done" ? undefined : labelled)
    );
}

function ended(observation: Observation, { component }: MemberTarget, memory: Memory): Move {
    const action = { do: "end-replacement", component } as const;
    const on = { step: "replacement-ended", target: memberName(observation.cluster, component) };
    const { now } = observation;
    return mayAct(memory, action, now)
        ? { kind: "act", action, ...on }
        : { kind: "wait", ...on, waitingFor: "the record on the Lease is not seen yet", since: now };
}

/** A store or a PD member leaves PD for good before its volumes go. */
function beforeNewVolumes({ target: { component } }: PodView): readonly Stage[] {
    const { beforeRemoval, inPd } = memberLifecycles[component];
    return [
        ...beforeRemoval,
        ...(inPd ? [givenUpVolumesReplaced(inPd)] : []),
        { ...outdatedVolumesReplaced, act: undefined },
    ];
}

function beforeRestartWithNew({ target: { component } }: PodView): readonly Stage[] {
    return [podStopped, ...memberLifecycles[component].beforeRestart, outdatedVolumesReplaced];
}

/** @returns the pods whose volumes are to be replaced: first the one that has been begun with, PD's leader last. */
export function replacementOrder(observation: Observation, target: MemberTarget): PodView[] {
    const views = ordinalsOf(observation, target).staying.map((ordinal) => viewOf(observation, target, ordinal));
    const due = new Set(views.filter((view) => outdatedClaims(view).length > 0).map(({ ordinal }) => ordinal));
    if (due.size === 0) {
        return [];
    }
    const order = walkOrder(observation, target, ({ ordinal }) => due.has(ordinal)).filter(({ ordinal }) =>
        due.has(ordinal),
    );
    return [...order.filter(isReplacementBegun), ...order.filter((view) => !isReplacementBegun(view))];
}

/** @returns whether the replacement of the pod's volumes has gone so far that it must be finished. */
export function isReplacementBegun(view: PodView): boolean {
    const claims = outdatedClaims(view).map(({ claim }) => claim);
    return (
        claims.length > 0 &&
        (removalOf(view) !== undefined || claimsOf(view).some((one) => one.released || one.terminating))
    );
}

/** @returns how many pods the member has while volumes are replaced. Where pods leave afterwards, they are the spares. */
export function withSpares(observation: Observation, target: MemberTarget): number {
    const { component, replicas, policy } = target;
    const spares = memberLifecycles[component].inPd ? (policy.spareReplicas ?? 1) : 0;
    return Math.max(observation.members[component]?.statefulSet?.replicas ?? 0, replicas + spares);
}
