import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import { type PodStatus, withTransitions } from "../containers/podStatus";
import { processCondition } from "../../controlPlane/stages";

/** Writes the status of pods, and removes pods that have ended, as kubelet does. Does nothing to a pod that is gone. */
export interface PodReports {
    write(pod: k8s.V1Pod, podIp: string, status: PodStatus): Promise<void>;
    remove(pod: k8s.V1Pod): Promise<void>;
    /** Has nothing be written any more. */
    stop(): void;
}

const retryMilliseconds = 500;
const hostIp = "127.0.0.1";

/** Creates the writer of the status of pods. */
export function podReports(client: typeof k8s, core: k8s.CoreV1Api, log: (line: string) => void): PodReports {
    const strategic = client.setHeaderOptions("Content-Type", client.PatchStrategy.StrategicMergePatch);
    const last = new Map<string, PodStatus>();
    let isStopped = false;
    const queues = new Map<string, Promise<void>>();
    const untilDone = async (name: string, work: () => Promise<unknown>): Promise<void> => {
        while (!isStopped) {
            try {
                await work();
                return;
            } catch (error) {
                if (error instanceof client.ApiException && [404, 409].includes(error.code)) {
                    return;
                }
                log(`cannot write pod ${name}, retrying: ${String(error)}`);
                await sleep(retryMilliseconds);
            }
        }
    };
    return {
        write: (pod, podIp, status) => {
            const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
            const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
            const isOn = ["PodReadyToStartContainers", processCondition, ...gates];
            const all = {
                ...status,
                conditions: [...status.conditions, ...isOn.map((type) => ({ type, status: "True" as const }))],
            };
            const timed = withTransitions(all, last.get(uid), new Date().toISOString());
            last.set(uid, timed);
            const addresses = { hostIP: hostIp, hostIPs: [{ ip: hostIp }], podIP: podIp, podIPs: [{ ip: podIp }] };
            const body = { metadata: { uid }, status: { ...timed, ...addresses } };
            const written = (queues.get(uid) ?? Promise.resolve()).then(() =>
                untilDone(name, () => core.patchNamespacedPodStatus({ namespace, name, body }, strategic)),
            );
            queues.set(uid, written);
            return written;
        },
        remove: async ({ metadata }) => {
            const { name = "", namespace = "", uid = "" } = metadata ?? {};
            await queues.get(uid);
            queues.delete(uid);
            last.delete(uid);
            const body = { gracePeriodSeconds: 0, preconditions: { uid } };
            await untilDone(name, () => core.deleteNamespacedPod({ namespace, name, body }));
        },
        stop: () => void (isStopped = true),
    };
}
