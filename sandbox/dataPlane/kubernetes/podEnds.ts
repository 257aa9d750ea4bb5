import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { heldPodAnnotation } from "../../controlPlane/heldPod";

/** A pod whose processes take time to end. */
export interface EndingPod {
    namespace: string;
    pod: string;
    uid: string;
    /** The name of its own container. */
    component: string;
}

/** Ends pods as a kubelet does, once their processes have ended. Does nothing to a pod that is gone. */
export interface PodEnds {
    /** Marks the pod, so that KWOK does not end it. */
    hold(pod: EndingPod): Promise<void>;
    /** Reports how its process has ended, and deletes it. */
    end(pod: EndingPod, exitCode: number): Promise<void>;
}

/** How long the kubelet takes to unmount the volumes of a pod whose processes have ended. */
const unmountMilliseconds = 300;

/** Creates what ends pods. */
export function podEnds(client: typeof k8s, kubeconfig: k8s.KubeConfig): PodEnds {
    const core = kubeconfig.makeApiClient(client.CoreV1Api);
    const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
    const strategic = client.setHeaderOptions("Content-Type", client.PatchStrategy.StrategicMergePatch);
    const unlessGone = async (work: () => Promise<unknown>): Promise<void> => {
        try {
            await work();
        } catch (error) {
            if (!(error instanceof client.ApiException) || ![404, 409].includes(error.code)) {
                throw error;
            }
        }
    };
    return {
        hold: ({ namespace, pod: name, uid }) =>
            unlessGone(() => {
                const body = { metadata: { uid, annotations: { [heldPodAnnotation]: "true" } } };
                return core.patchNamespacedPod({ namespace, name, body }, merge);
            }),
        end: ({ namespace, pod: name, uid, component }, exitCode) =>
            unlessGone(async () => {
                const { status } = await core.readNamespacedPod({ namespace, name });
                const terminated = { exitCode, reason: exitCode === 0 ? "Completed" : "Error", finishedAt: new Date() };
                const containerStatuses = status?.containerStatuses?.map((one) =>
                    one.name === component ? { ...one, ready: false, started: false, state: { terminated } } : one,
                );
                const body = { metadata: { uid }, status: { containerStatuses } };
                await core.patchNamespacedPodStatus({ namespace, name, body }, strategic);
                await new Promise((resolve) => setTimeout(resolve, unmountMilliseconds));
                await core.deleteNamespacedPod({
                    namespace,
                    name,
                    body: { gracePeriodSeconds: 0, preconditions: { uid } },
                });
            }),
    };
}
