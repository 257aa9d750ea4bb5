import { memberLifecycles } from "../members/memberLifecycles";
import { deletePod, isStale, podStopped } from "../stages/sharedStages";
import { isStopped } from "../stages/stores";
import { mapFact, notAsked } from "../vocabulary/evidence";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { lacksRoom } from "./lacksRoom";

/**
 * How a pod leaves a node that is being emptied: as in a restart, and only to a node that takes it. Its grace period is its own, so
 * on a node that no longer answers it stays until that node is back: nothing here ends a pod by force.
 */

/** @returns whether the plan moves this very pod. Once its node is not emptied any more, it stays. */
export function isMoving({ target, podName, pod }: PodView): boolean {
    const isPlanned = pod !== undefined && target.moves?.[podName] === pod.uid;
    return isPlanned && !(pod.drain?.known === true && !pod.drain.value.isDrained);
}

/** @returns whether the pod's node is certainly being emptied. */
export function isDrained({ pod }: PodView): boolean {
    return pod?.drain?.known === true && pod.drain.value.isDrained;
}

/** Whether the node is still being emptied is known, and it is Ready: no other node lets a pod end gracefully. */
const nodeAnswers: Stage = {
    name: "node-answers",
    holds: ({ pod }) => {
        const drain = pod?.drain ?? notAsked;
        if (!drain.known) {
            return { lacks: `whether ${pod?.node} is being emptied is not known: ${drain.why}` };
        }
        return drain.value.isDrained && !drain.value.isReady
            ? { lacks: `node ${drain.value.node} is not Ready, so nothing leaves it gracefully` }
            : true;
    },
    advice: "check the node: a pod on a node that does not answer cannot be moved",
};

/** Another node takes the pod. Checked again at the end, because evicting leaders can take hours. */
const roomElsewhere: Stage = {
    name: "room-elsewhere",
    holds: (view) => {
        const room = view.pod?.room ?? notAsked;
        if (!room.known) {
            return lacksFact(room, `whether another node takes ${view.podName} is`, { roomOf: view.podName });
        }
        const lacks = lacksRoom(room.value, view.podName, nodeOf(view));
        return lacks === undefined ? true : { lacks };
    },
    advice: "add a node that takes the pod, or uncordon its node, then run `pulumi up` again",
};

/** Nothing was begun that a missing node would leave half done. */
const roomBefore: Stage = {
    ...roomElsewhere,
    holds: (view) => (memberLifecycles[view.target.component].isBegun?.(view) ? true : roomElsewhere.holds(view)),
};

/** The pod was deleted, so the scheduler finds it another node. */
const podMoved: Stage = {
    name: "pod-moved",
    holds: (view) =>
        isMoving(view) && view.pod?.terminating === false
            ? { lacks: `${view.podName} is still on ${nodeOf(view)}` }
            : true,
    act: (view) => {
        const action = deletePod(view);
        return action && { ...action, ...(view.pod?.node === undefined ? {} : { leaves: view.pod.node }) };
    },
    advice: "check the pod, and who may delete pods in this namespace (a PodDisruptionBudget does not apply here)",
};

/**
 * @param volumesStay the condition that the pod comes back with its volumes.
 * @returns the stages that move a pod away from its node.
 */
export function movingStages(beforeRestart: readonly Stage[], volumesStay: Stage): readonly Stage[] {
    return [podStopped, volumesStay, nodeAnswers, roomBefore, ...beforeRestart, roomElsewhere, podMoved];
}

/**
 * @returns what else must hold before and after the conditions of a restart: a pod that ends on a node that is being emptied comes
 * back only where another node takes it. Nothing is lost by it if its process does not run.
 */
export function roomForRestart(view: PodView): { before: readonly Stage[]; after: readonly Stage[] } {
    return isStale(view) && isDrained(view) && !isStopped(view)
        ? { before: [roomBefore], after: [roomElsewhere] }
        : { before: [], after: [] };
}

/** @returns the pod's node in words: `node-1, which is cordoned`. */
export function nodeOf({ pod }: PodView): string {
    const why = pod?.drain && mapFact(pod.drain, (drain) => (drain.isDrained ? `, which ${drain.why}` : ""));
    return `node ${pod?.node ?? "(none)"}${why?.known ? why.value : ""}`;
}
