import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** A pod's own container, as the model wants it. */
export interface OwnContainer {
    namespace: string;
    pod: string;
    uid: string;
    /** The name of the container. */
    component: string;
    /** Why its process does not start; undefined if it runs. */
    refused: string | undefined;
}

/** Writes to the status of pods whether their processes start, as a kubelet does. */
export interface ContainerCrashes {
    /** Does nothing if the status says so already, or if the pod is gone. */
    report(container: OwnContainer): Promise<void>;
}

/** The reason of a container that a kubelet starts again and again. */
export const backOff = "CrashLoopBackOff";

/** Creates the writer of the status of pods. */
export function containerCrashes(client: typeof k8s, kubeconfig: k8s.KubeConfig): ContainerCrashes {
    const core = kubeconfig.makeApiClient(client.CoreV1Api);
    const strategic = client.setHeaderOptions("Content-Type", client.PatchStrategy.StrategicMergePatch);
    return {
        report: async ({ namespace, pod: name, uid, component, refused }) => {
            try {
                const pod = await core.readNamespacedPod({ namespace, name });
                const status = statusWith(pod, component, refused, new Date());
                if (pod.metadata?.uid === uid && pod.metadata.deletionTimestamp === undefined && status !== undefined) {
                    // A status that somebody has written since is not overwritten: the caller asks again.
                    const { resourceVersion } = pod.metadata;
                    const body = { metadata: { uid, resourceVersion }, status };
                    await core.patchNamespacedPodStatus({ namespace, name, body }, strategic);
                }
            } catch (error) {
                if (!(error instanceof client.ApiException) || ![404, 409].includes(error.code)) {
                    throw error;
                }
            }
        },
    };
}

/**
 * @param refused why the process does not start; undefined if it runs.
 * @returns what a kubelet would change in the status of a pod that was started; undefined if there is nothing to change
 */
export function statusWith(
    pod: k8s.V1Pod,
    component: string,
    refused: string | undefined,
    now: Date,
): object | undefined {
    const containers = pod.status?.containerStatuses ?? [];
    const own = containers.find(({ name }) => name === component);
    const waiting = own?.state?.waiting;
    const isWritten = refused === undefined ? waiting?.reason !== backOff : waiting?.message === refused;
    if (own === undefined || isWritten) {
        return undefined;
    }
    const changed = refused === undefined ? runsAgain(own, now) : crashed(own, refused, now);
    const containerStatuses = containers.map((one) => (one === own ? changed : one));
    const isReady = containerStatuses.every(({ ready }) => ready);
    const detail = isReady
        ? { reason: null, message: null }
        : { reason: "ContainersNotReady", message: `containers with unready status: [${component}]` };
    const conditions = ["Ready", "ContainersReady"].map((type) => ({
        type,
        status: isReady ? "True" : "False",
        lastTransitionTime: now.toISOString(),
        ...detail,
    }));
    return { conditions, containerStatuses };
}

function crashed(own: k8s.V1ContainerStatus, message: string, now: Date): k8s.V1ContainerStatus {
    const startedAt = own.state?.running?.startedAt ?? now;
    return {
        ...own,
        ready: false,
        started: false,
        restartCount: own.restartCount + 1,
        state: { waiting: { reason: backOff, message } },
        lastState: { terminated: { exitCode: 1, reason: "Error", message, startedAt, finishedAt: now } },
    };
}

function runsAgain(own: k8s.V1ContainerStatus, now: Date): k8s.V1ContainerStatus {
    return { ...own, ready: true, started: true, state: { running: { startedAt: now } } };
}
