import { components } from "../../../topology/members";
import { podName, podOrdinal } from "../../../topology/podNames";
import { isOnSilentNode, withPod, withPodStarted } from "../vocabulary/actions/foreseen";
import type { Condition } from "../vocabulary/problemCodes";
import type { WaitMove } from "../vocabulary/move";
import type { Observation, ObservedPod } from "../vocabulary/observation";
import { podIndexOf, podNamed } from "../vocabulary/podIndex";
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
        if (ordinal === undefined || member === undefined) {
            continue;
        }
        const pod = member.pods.find(({ name }) => name === target);
        if (isServing(pod)) {
            // It has not been seen Ready for long enough.
            return withPod(seen, target, (one) => ({ ...one, readySince: 0 }));
        }
        if (isComing(pod, seen.now)) {
            return withPodStarted(seen, member, ordinal, target);
        }
    }
    return undefined;
}

/** @returns the cluster once Kubernetes has started all pods that it is starting, whatever is waited for; undefined if it is starting none. */
export function othersStarted(seen: Observation): Observation | undefined {
    const { cluster, now } = seen;
    const starting = Object.values(seen.members).flatMap((member) =>
        Array.from({ length: member.statefulSet?.replicas ?? 0 }, (_, ordinal) => ({
            component: member.component,
            ordinal,
            name: podName(cluster, member.component, ordinal),
        })).filter(({ name }) => {
            const pod = podIndexOf(seen, member.component).pods.get(name);
            return !isServing(pod) && isComing(pod, now);
        }),
    );
    const started = (before: Observation, { component, ordinal, name }: (typeof starting)[number]) => {
        const member = before.members[component];
        return member === undefined ? before : withPodStarted(before, member, ordinal, name);
    };
    return starting.length === 0 ? undefined : starting.reduce(started, seen);
}

/** @returns whether the pod that is waited for runs without a trouble and may become Ready at any time, or never: nothing shows which. */
export function mayBecomeReady(seen: Observation, { step, target }: WaitMove): boolean {
    const pod = podNamed(seen, target);
    return broughtAbout.has(step) && pod !== undefined && isStarting(pod, seen.now);
}

/** So long a pod without a trouble may take to become Ready. An older one has another reason. */
const startsWithinMilliseconds = 600_000;
/** A container that runs, in a pod that was made this long ago, may never become Ready. */
const readyWithinMilliseconds = 60_000;

/** Whether Kubernetes makes the pod, or starts it. What troubles a pod that stops goes with it, unless its node does not answer. */
function isComing(pod: ObservedPod | undefined, now: number): boolean {
    if (pod === undefined || pod.terminating) {
        return pod === undefined || pod.container.known;
    }
    const isRunning = pod.container.known && pod.container.value.is === "running";
    return isStarting(pod, now) && !(isRunning && now - pod.createdAt > readyWithinMilliseconds);
}

function isStarting(pod: ObservedPod, now: number): boolean {
    const isYoung = now - pod.createdAt < startsWithinMilliseconds;
    const hasTrouble = pod.trouble !== undefined || pod.sidecarTrouble !== undefined;
    return isYoung && !pod.terminating && !isOnSilentNode(pod) && !hasTrouble;
}
