import type { Action } from "../vocabulary/actions";
import { hasOtherRevision } from "../vocabulary/revision";
import { type PodView, type Stage, viewsOf } from "../vocabulary/stage";
import { lackedVolumes, lowestLacking } from "./podVolumes";

/** Stages that all members share. A member's own stages are in separate files. */

/** The pod has been Ready for at least `minReadySeconds`. */
export const podAvailable: Stage = {
    name: "pod-available",
    holds: (view) => {
        const { pod, target, observation } = view;
        if (!pod?.ready) {
            const gone =
                pod === undefined ? "it has not been created" : pod.terminating ? "it is still stopping" : undefined;
            const trouble = gone ?? pod?.trouble ?? pod?.sidecarTrouble;
            return { lacks: `${view.podName} is not Ready${trouble ? `: ${trouble}` : ""}` };
        }
        const readyFor = (observation.now - (pod.readySince ?? observation.now)) / 1000;
        return readyFor >= target.policy.minReadySeconds
            ? true
            : { lacks: `${view.podName} has been Ready for less than ${target.policy.minReadySeconds} s` };
    },
    timeout: (view) => ({
        seconds: view.target.policy.podReadyTimeoutSeconds + view.target.policy.minReadySeconds,
        then: "fail",
    }),
    endedBy: () => "kubernetes",
    advice: "fix what keeps the pod from becoming Ready and run `pulumi up` again: it continues from here",
};

/** The StatefulSet controller has created the pod. */
export const podCreated: Stage = {
    name: "pod-created",
    holds: (view) => (view.pod ? true : { lacks: `${view.podName} has not been created${heldInWords(view)}` }),
    // Kubernetes may delete a pod that is waited for, as that of a lost node: the deadline that was told stays.
    partOf: podAvailable,
    endedBy: () => "kubernetes",
    advice: (view) =>
        lackingBelow(view)
            ? "put the program's volumes back and run `pulumi up`: then Kubernetes makes the pod"
            : "check the events of its StatefulSet: a quota or an admission webhook may reject the pod",
};

/** @returns the lowest pod that lacks a volume, if it is below this one: until it has restarted, Kubernetes does not make this one again. */
export function lackingBelow({ observation, target, ordinal }: PodView): PodView | undefined {
    const lowest = lowestLacking(viewsOf(observation, target));
    return lowest !== undefined && lowest.ordinal < ordinal ? lowest : undefined;
}

function heldInWords(view: PodView): string {
    const below = lackingBelow(view);
    return below === undefined
        ? ""
        : `: Kubernetes makes it once ${below.podName} has volume ${lackedVolumes(below)[0].name}`;
}

/** A terminating pod is gone. */
export const podStopped: Stage = {
    name: "pod-stopped",
    holds: (view) => (view.pod?.terminating ? { lacks: `${view.podName} is still stopping` } : true),
    partOf: podAvailable,
    endedBy: () => "kubernetes",
    advice: "check the pod: a finalizer or an unreachable node can keep it from stopping",
};

/** The pod has been deleted, so the StatefulSet recreates it from the update revision. */
export const podRestarted: Stage = {
    name: "pod-restarted",
    holds: (view) =>
        view.pod && !view.pod.terminating && isStale(view)
            ? { lacks: `${view.podName} still runs revision ${view.pod.revision ?? "(none)"}` }
            : true,
    act: deletePod,
    advice: "check the pod, and who may delete pods in this namespace (a PodDisruptionBudget does not apply here)",
};

/** @returns the action that ends the pod gracefully, in the state in which it was seen. */
export function deletePod(view: PodView): Extract<Action, { do: "delete-pod" }> | undefined {
    return (
        view.pod && {
            do: "delete-pod",
            pod: view.pod.name,
            uid: view.pod.uid,
            resourceVersion: view.pod.resourceVersion,
            leaders: leadersLeft(view),
        }
    );
}

/** @returns whether the pod was created from a template other than the StatefulSet's current one. */
export function isStale(view: PodView): boolean {
    const { pod, member } = view;
    return pod !== undefined && hasOtherRevision(pod, member.statefulSet);
}

/** The leader count that the pod's store itself reports, to show that it is restarted with leaders. */
function leadersLeft({ observation, podName }: PodView): number | undefined {
    const own = observation.ownLeaders[podName];
    return own?.known && own.value > 0 ? own.value : undefined;
}

/** So long a process may take, after its pod was made, until PD knows that it serves. */
const startMilliseconds = 60_000;

/** @returns whether the pod was made a moment ago, and has no trouble: what PD does not know of it yet says nothing. */
export function hasJustStarted({ member, observation: { now } }: PodView, name: string | undefined): boolean {
    const pod = member.pods.find((one) => one.name === name);
    return (
        pod !== undefined &&
        now - pod.createdAt < startMilliseconds &&
        pod.trouble === undefined &&
        pod.container.known &&
        !pod.terminating
    );
}

/** The same of the pod that is waited for. */
export const itselfHasJustStarted = (view: PodView): boolean => hasJustStarted(view, view.podName);
