import { memberLifecycles } from "../members/memberLifecycles";
import { noteVersion } from "../stages/claimVersions";
import { givenUpVolumesReplaced } from "../stages/claims";
import { removalOf } from "../stages/removalRecord";
import { deletePod, podStopped } from "../stages/sharedStages";
import type { Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { claimsOf, firstUnfinished, type PodView, type Stage, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { changeReplicas, scaleOf } from "../walks/changeReplicas";
import { isLeftAlone } from "../walks/leftAlone";
import { stagesOfNewest, unsettled, walkOrder } from "../walks/rollout";
import { nextScaleMove, nextTakenBack, ordinalsOf } from "../walks/scale";
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
    const due = replacementOrder(observation, target);
    const [next] = due;
    if (statefulSet === undefined || (next === undefined && !hasSpares(observation, target))) {
        return undefined;
    }
    if (observation.pdTrouble && looks.scale.length > 0) {
        return waitForPd(observation, target, memory);
    }
    if (!statefulSet.settled) {
        return waitOrFail(observation, target, memory, unsettled(statefulSet.name));
    }
    const wide = { ...target, replicas: withSpares(observation, target), renewing: next ? [next.ordinal] : [] };
    const takenBack = next === undefined ? nextTakenBack(observation, target, memory) : undefined;
    if (takenBack) {
        return takenBack;
    }
    if (next !== undefined && !isReplacementBegun(next)) {
        const scaled = nextScaleMove(observation, wide, memory);
        if (scaled.kind !== "done") {
            return scaled;
        }
    }
    if (next !== undefined && statefulSet.replicas < wide.replicas) {
        const from = scaleOf(statefulSet);
        return changeReplicas(statefulSet, { do: "add-spares", from, replicas: wide.replicas }, memory, observation);
    }
    for (const view of mustBeWell(next, observation, next === undefined ? target : wide)) {
        const move = firstUnfinished(stagesOfNewest(memberLifecycles[component]), view, memory);
        if (move !== undefined) {
            return move;
        }
    }
    const noted = noteVersion(observation, component, memory);
    if (noted !== undefined || next === undefined) {
        return noted;
    }
    const view = viewOf(observation, wide, next.ordinal);
    return firstUnfinished(inPd ? beforeNewVolumes(view) : beforeRestartWithNew(view), view, memory);
}

/** A store or a PD member leaves PD for good before its volumes go. */
function beforeNewVolumes({ target: { component } }: PodView): readonly Stage[] {
    const { beforeRemoval, inPd } = memberLifecycles[component];
    return [...beforeRemoval, ...(inPd ? [givenUpVolumesReplaced(inPd)] : [])];
}

function beforeRestartWithNew({ target: { component } }: PodView): readonly Stage[] {
    return [podStopped, ...memberLifecycles[component].beforeRestart, outdatedVolumesReplaced];
}

/** Nothing but the pod needs the volumes, so they go with it. */
const outdatedVolumesReplaced: Stage = {
    name: "given-up-volumes-replaced",
    holds: (view) => {
        const names = outdatedClaims(view).map(({ claim }) => claim.name);
        return names.length === 0 ? true : { lacks: `${view.podName} still has ${names.join(", ")}` };
    },
    act: (view) => {
        const kept = outdatedClaims(view).flatMap(({ claim }) => (claim.terminating ? [] : [claim]));
        return kept.length > 0 ? { do: "delete-claims", claims: kept, outdated: true } : deletePod(view);
    },
    advice: "check the claims and the pod: a finalizer can keep them from being deleted",
};

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

/** @returns whether a gate has added pods that Pulumi does not know of. They stay until all others are well. */
export function hasSpares({ members }: Observation, { component, replicas }: MemberTarget): boolean {
    const { gatesOwnReplicas, replicas: live = 0 } = members[component]?.statefulSet ?? {};
    return gatesOwnReplicas === true && live > replicas && memberLifecycles[component].inPd !== undefined;
}

/** What is begun is finished. Before the next one, and before the spares leave, all others are well. */
function mustBeWell(next: PodView | undefined, observation: Observation, target: MemberTarget): PodView[] {
    return next !== undefined && isReplacementBegun(next)
        ? []
        : walkOrder(observation, target, () => false).filter(
              (view) => view.ordinal !== next?.ordinal && !isLeftAlone(view),
          );
}
