import { memberLifecycles } from "../members/memberLifecycles";
import type { Action } from "../vocabulary/actions";
import type { Observation } from "../vocabulary/observation";
import { claimsOf, type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { planInTurn } from "./planInTurn";
import type { PlanStep } from "./planStep";
import { ordinalsOf, replicasOf, takenBack, type TakenBack } from "./scale";

/** What a removal of a pod without volumes waits for. */
export const podGone = "its pod is gone";

/** Returns the steps before the StatefulSet gets its new number of replicas. */
export function planScale(observation: Observation, target: MemberTarget): PlanStep[] {
    const lifecycle = memberLifecycles[target.component];
    const { leaving, coming } = ordinalsOf(observation, target);
    const view = (ordinal: number) => viewOf(observation, target, ordinal);
    return [
        ...takenBack(observation, target).map(takeBackStep),
        ...planInTurn(observation, leaving.map(view), "removed", (one) => ({
            kind: "remove",
            component: target.component,
            target: one.podName,
            why: `${replicasOf(one.member)} to ${target.replicas} replicas`,
            does: [lifecycle.removalDoes(one)],
            waitsFor: claimsOf(one).length > 0 ? "its volumes are marked as released" : podGone,
            estimateSeconds: Math.ceil(lifecycle.estimateRemovalSeconds(one)),
            risk: takesLast(one) ? lifecycle.noneLeft : lifecycle.removalRisk?.(one),
        })),
        ...coming
            .map(view)
            .filter((one) => one.member.claims.some((claim) => claim.ordinal === one.ordinal && claim.released))
            .map((one): PlanStep => ({
                kind: "empty-volume",
                component: target.component,
                target: one.podName,
                why: "an earlier scale-in released its volumes",
                does: ["delete the old claims so it starts empty"],
                waitsFor: "the claims are gone",
                estimateSeconds: 5,
            })),
    ];
}

/** Whether no pod of the member is left after the removal. The lowest ordinal leaves last. */
function takesLast({ target, ordinal, member }: PodView): boolean {
    return target.replicas === 0 && ordinal === 0 && member.pods.length > 0;
}

/** The steps that take back what only marks a removal. */
const undoesMarks: Partial<Record<Action["do"], Pick<PlanStep, "does" | "waitsFor">>> = {
    "forget-removal": { does: ["delete the record of its removal"], waitsFor: "the record is gone" },
    "keep-claims": { does: ["mark its volumes as kept"], waitsFor: "none of them is marked as released" },
};

function takeBackStep({ view, move }: TakenBack): PlanStep {
    const { podName: target, store, member } = view;
    const { component } = view.target;
    const why = member.statefulSet
        ? "a scale-in was reverted"
        : "without a StatefulSet, nothing shows that a scale-in has ended";
    const takeBack = { kind: "take-back", component, target, why } as const;
    const undoes = move.kind === "act" ? undoesMarks[move.action.do] : undefined;
    if (undoes) {
        return { ...takeBack, ...undoes, estimateSeconds: 1 };
    }
    if (store) {
        return {
            ...takeBack,
            does: [`set store ${store.id} Up again`],
            waitsFor: "PD reports it Up",
            estimateSeconds: 5,
        };
    }
    return move.kind === "act"
        ? {
              kind: "empty-volume",
              component,
              target,
              why: "an earlier scale-in has already taken it out of the cluster",
              does: ["delete its claims and its pod so it starts empty"],
              waitsFor: "both are gone",
              estimateSeconds: 30,
          }
        : { ...takeBack, does: [], waitsFor: "PD reports its state", estimateSeconds: 5 };
}
