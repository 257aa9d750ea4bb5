import { claimsOf } from "../vocabulary/stage";
import { isDeepStrictEqual } from "node:util";
import { needsConsent } from "../vocabulary/actions";
import type { LostVolumes } from "../vocabulary/failureRecord";
import { takesNone } from "../stages/storeSpace";
import { counted } from "../vocabulary/counted";
import { mayAct, type Memory, waitingSince, waitKey } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { type Wait, waitForPd, waitOrFail } from "../vocabulary/waitOrFail";
import { emptied } from "./emptied";
import { type Judgement, judgeLoss, tooFewWithout } from "./judgeLoss";
import { type LostNodesTarget, type LostPod, lostPods, unknownPlace } from "./lostPods";
import { planLoss } from "./planLoss";
import { isBegun, removalFromPd } from "./removalFromPd";

const step = "lost-volumes";
const emptying = "lost-tombstone";
const again = "`pulumi up` then continues from here";

/**
 * Returns the next move until nothing is left that may be given up with the nodes. Each step is found again from what is seen: the
 * store or member by its id, the claims and the pod by their UIDs on record.
 */
export function nextLossMove(observation: Observation, target: LostNodesTarget, memory: Memory): Move {
    const unknown = unknownPlace(observation);
    if (unknown !== undefined) {
        return waitToKnow(unknown, observation, target, memory);
    }
    const pods = lostPods(observation, target);
    if (pods.length > 0 && observation.pdTrouble !== undefined) {
        return waitForPd(observation, { component: "pd", replicas: 0, policy: target.policy }, memory);
    }
    const passed: string[] = [];
    for (const pod of pods) {
        const move = moveOf(pod, pods, target, memory);
        if (move) {
            const isStart = move.kind === "act" && needsConsent(move.action) && !isBegun(pod);
            const due = isStart ? (untilPlanned(observation, target, memory) ?? move) : move;
            // The waits for other stores stay timed out.
            return due.kind === "act" || due.kind === "wait" ? { ...due, passed } : due;
        }
        passed.push(waitKey(emptying, pod.view.podName));
    }
    return { kind: "done" };
}

/** People consent to the whole plan, as the preview shows it: while it lacks steps, nothing that it names is begun. */
function untilPlanned(observation: Observation, target: LostNodesTarget, memory: Memory): Move | undefined {
    const plan = planLoss(observation, target);
    if ("look" in plan) {
        return { kind: "look", at: plan.look };
    }
    return "unknown" in plan ? waitToKnow(plan.unknown, observation, target, memory) : undefined;
}

function waitToKnow(lacks: string, observation: Observation, target: LostNodesTarget, memory: Memory): Move {
    const advice = `nothing more is given up until this is known: ${again}`;
    return waitOrFail(observation, target, memory, { step, target: observation.cluster, lacks, advice });
}

function moveOf(lost: LostPod, all: readonly LostPod[], target: LostNodesTarget, memory: Memory): Move | undefined {
    const { view, record } = lost;
    const { observation, podName: pod } = view;
    const wait = (lacks: string, advice: string, at: Pick<Wait, "step" | "code"> = { step }): Move =>
        waitOrFail(observation, target, memory, { ...at, target: pod, lacks, advice } as Wait);
    // Each action has a wait of its own: what comes after PD has moved regions for hours has its whole time.
    const act = (action: Action, lacks: string): Move =>
        mayAct(memory, action, observation.now)
            ? { kind: "act", action, step: `lost-${action.do}`, target: pod }
            : wait(lacks, "check PD's log, and that this user may change the object", {
                  step: `lost-${action.do}`,
                  code: "lost-action-without-effect",
              });
    const judged = (judgement: Judgement, due: Action, lacks: string): Move | undefined => {
        if (judgement === undefined) {
            return act(due, lacks);
        }
        if ("look" in judgement) {
            return { kind: "look", at: judgement.look };
        }
        if ("lacks" in judgement) {
            return wait(judgement.lacks, `nothing of ${pod} was given up: ${again}`);
        }
        // Nothing was removed. The next plan says why.
        return record && act({ do: "forget-lost-volumes", pod }, "the record is still there");
    };
    const seen = note(lost);
    if (record === undefined) {
        return judged(judgeLoss(lost, all), seen, "the record on the Lease is not seen yet");
    }
    const state = removalFromPd(view, record);
    switch (state.is) {
        case "unknown":
            return wait(state.why, `find out what became of it in PD: ${again}`);
        case "in":
            // A record of an earlier loss may have other claims: what is given up now is what is seen now.
            return state.remove && isDeepStrictEqual({ ...record, at: 0 }, { ...seen.lost, at: 0 })
                ? judged(judgeLoss(lost, all), state.remove, `PD to remove what ran in ${pod}`)
                : judged(judgeLoss(lost, all), seen, "the record on the Lease is not seen yet");
        case "leaving": {
            const { store, returns } = state;
            const lacks = `store ${store.id} (${pod}) is Offline with ${counted(store.regionCount, "region")} left${takesNone(view, store.engine)}`;
            if (returns) {
                return act({ do: "bring-store-back", storeId: store.id, pod }, lacks);
            }
            if (tooFewWithout(view) !== undefined) {
                return undefined; // A gate that comes later may add a store. The next update goes on.
            }
            const since = waitingSince(memory, emptying, pod, observation.now);
            const goesOnAt = since + target.policy.storeRemovalTimeoutSeconds * 1000;
            return observation.now < goesOnAt
                ? { kind: "wait", step: emptying, target: pod, waitingFor: lacks, since, goesOnAt }
                : undefined;
        }
        case "out": {
            const left = emptied(view, record);
            if (left === undefined) {
                return act({ do: "forget-lost-volumes", pod }, "the record is still there");
            }
            return "action" in left
                ? act(left.action, left.lacks)
                : wait(left.lacks, `check the claims and the pod: a finalizer can keep them; ${again}`, {
                      step: "lost-claims-gone",
                  });
        }
    }
}

/** @returns what is given up, by its ids and UIDs: nothing else is removed afterwards. */
function note({ view, node }: LostPod): Extract<Action, { do: "note-lost-volumes" }> {
    const { store, pdMember, target, podName, pod, observation } = view;
    const lost: LostVolumes = {
        component: target.component,
        node,
        podUid: pod?.uid ?? "",
        claims: claimsOf(view).map(({ name, uid, place }) => ({
            name,
            uid,
            ...(place?.known && place.value.is === "unbound" ? { isUnbound: true as const } : {}),
        })),
        ...(target.component === "pd"
            ? pdMember && { member: { name: pdMember.name, id: pdMember.memberId } }
            : store && { storeId: store.id }),
        at: observation.now,
    };
    return { do: "note-lost-volumes", pod: podName, lost };
}
