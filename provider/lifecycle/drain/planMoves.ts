import { isReplaced } from "../failover/records";
import type { PlannedMoves } from "../vocabulary/drain";
import { notAsked } from "../vocabulary/evidence";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { deletedOf, losesVolumes } from "../walks/volumesStay";
import { isDrained, nodeOf } from "./moveStages";

/** The pods that can leave their nodes, and what the user should know of those that cannot. */
export interface FoundMoves {
    readonly moves: PlannedMoves;
    readonly remarks: readonly string[];
}

/** @returns the pods on nodes that are being emptied. What is not known is none. @param observation with `drains` */
export function drainedPods(observation: Observation, target: MemberTarget): PodView[] {
    return viewsOf(observation, target).filter((view) => isDrained(view) && !isReplaced(view));
}

/** @param observation with `drains`, and with `rooms` for each of the pods that `drainedPods` returns */
export function findMoves(observation: Observation, target: MemberTarget): FoundMoves {
    const found = drainedPods(observation, target).map((view) => ({ view, kept: whyKept(view) }));
    return {
        moves: Object.fromEntries(
            found.flatMap(({ view: { pod, podName }, kept }) =>
                pod && kept === undefined ? [[podName, pod.uid]] : [],
            ),
        ),
        remarks: found.flatMap(({ kept }) => kept ?? []),
    };
}

/** Why a pod is left on a node that is being emptied; undefined if it can leave. */
function whyKept(view: PodView): string | undefined {
    const { pod, podName } = view;
    const room = pod?.room ?? notAsked;
    const node = nodeOf(view);
    if (pod?.drain?.known && pod.drain.value.isDrained && !pod.drain.value.isReady) {
        return `${podName} is on ${node} and not Ready: nothing leaves it gracefully, so it is not moved`;
    }
    if (losesVolumes(view)) {
        return `${podName} is on ${node}. It is not moved: ${deletedOf(view)}`;
    }
    if (!room.known) {
        return `${podName} is on ${node}. It is not moved: whether another node takes it is not known: ${room.why}`;
    }
    switch (room.value.is) {
        case "somewhere":
            return undefined;
        case "bound":
            return `${podName} is on ${node}. It cannot be moved: the volume of ${room.value.volume} is on that node. A restart would leave it without a node until the node is uncordoned`;
        case "nowhere":
            return `${podName} is on ${node}. It is not moved until another node takes it: ${room.value.why}`;
    }
}
