import type { PodView, Stage } from "../vocabulary/stage";

/** Stages that every member has. What is special to one stands in its own file beside this one. */

/** The StatefulSet controller has made the pod. */
export const podCreated: Stage = {
    name: "pod-created",
    holds: (view) => (view.pod ? true : { lacks: `${view.podName} has not been created` }),
    advice: "look at the events of its StatefulSet: a quota or an admission webhook may refuse the pod",
};

/** A pod that is going away is gone. */
export const podStopped: Stage = {
    name: "pod-stopped",
    holds: (view) => (view.pod?.terminating ? { lacks: `${view.podName} is still stopping` } : true),
    advice: "look at the pod: a finalizer or an unreachable node can keep it from going",
};

/** The pod has been deleted, so that the StatefulSet makes it anew from the update revision. */
export const podRestarted: Stage = {
    name: "pod-restarted",
    holds: (view) =>
        view.pod && !view.pod.terminating && isStale(view)
            ? { lacks: `${view.podName} still runs revision ${view.pod.revision ?? "(none)"}` }
            : true,
    act: (view) =>
        view.pod && {
            do: "delete-pod",
            pod: view.pod.name,
            uid: view.pod.uid,
            resourceVersion: view.pod.resourceVersion,
            leaders: leadersLeft(view),
        },
    advice: "look at the pod and at what may delete pods in this namespace (a PodDisruptionBudget does not apply here)",
};

/** The pod is Ready, and has been for `minReadySeconds`. */
export const podAvailable: Stage = {
    name: "pod-available",
    holds: (view) => {
        const { pod, target, observation } = view;
        if (!pod?.ready) {
            const trouble = pod?.trouble ?? pod?.sidecarTrouble;
            return { lacks: `${view.podName} is not Ready${trouble ? `: ${trouble}` : ""}` };
        }
        const readyFor = (observation.now - (pod.readySince ?? observation.now)) / 1000;
        return readyFor >= target.policy.minReadySeconds
            ? true
            : { lacks: `${view.podName} is Ready for less than ${target.policy.minReadySeconds} s` };
    },
    timeout: (view) => ({
        seconds: view.target.policy.podReadyTimeoutSeconds + view.target.policy.minReadySeconds,
        then: "fail",
    }),
    advice: "mend what keeps the pod from being Ready and run `pulumi up` again: it goes on from here",
};

/** @returns whether the pod was made from another template than the StatefulSet has now. */
export function isStale(view: PodView): boolean {
    const { pod, member } = view;
    const update = member.statefulSet?.updateRevision;
    return pod !== undefined && update !== undefined && pod.revision !== update;
}

/** What the store of the pod says that it still leads, for whoever reads that it is restarted with them. */
function leadersLeft({ observation, podName }: PodView): number | undefined {
    const own = observation.ownLeaders[podName];
    return own?.known && own.value > 0 ? own.value : undefined;
}
