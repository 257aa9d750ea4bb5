import { components } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import { withPodStarted } from "../vocabulary/actions/foreseen";
import type { Condition } from "../vocabulary/problemCodes";
import type { WaitMove } from "../vocabulary/move";
import type { Observation, ObservedPod } from "../vocabulary/observation";
import { isServing } from "../stages/stores";

/** The conditions of a pod that Kubernetes brings about. One with a trouble does not start by itself. */
const broughtAbout: ReadonlySet<string> = new Set<Condition>(["pod-created", "pod-stopped", "pod-available"]);

/** @returns the cluster once Kubernetes has started the pod that is waited for; undefined if it is not a pod's start that is waited for. */
export function startedByKubernetes(seen: Observation, { step, target }: WaitMove): Observation | undefined {
    if (!broughtAbout.has(step)) {
        return undefined;
    }
    for (const component of components) {
        const ordinal = podOrdinal(target, seen.cluster, component);
        const member = seen.members[component];
        const pod = member?.pods.find(({ name }) => name === target);
        if (ordinal !== undefined && member !== undefined && !isServing(pod) && isComing(pod, seen.now)) {
            return withPodStarted(seen, member, ordinal, target);
        }
    }
    return undefined;
}

/** So long a pod without a trouble may take to become Ready. An older one has another reason. */
const startsWithinMilliseconds = 600_000;

/** Whether Kubernetes makes the pod, or starts it. What troubles a pod that stops goes with it, unless its node does not answer. */
function isComing(pod: ObservedPod | undefined, now: number): boolean {
    if (pod === undefined || pod.terminating) {
        return pod === undefined || pod.container.known;
    }
    const isYoung = now - pod.createdAt < startsWithinMilliseconds;
    const isOnDeadNode = pod.node !== undefined && !pod.container.known;
    return isYoung && !isOnDeadNode && pod.trouble === undefined && pod.sidecarTrouble === undefined;
}
