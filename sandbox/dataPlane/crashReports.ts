import type { ContainerCrashes } from "./kubernetes/containerCrashes";
import type { ClusterState, PodObservation } from "./model/cluster";

/** A cluster's pods, as the model and as Kubernetes have them. */
export interface ReportedCluster {
    state: ClusterState;
    /** The pods as they were last seen, by name. */
    pods: ReadonlyMap<string, PodObservation>;
    crashes: ContainerCrashes;
    log: (line: string) => void;
}

/** How long the watch of the pods has to show a status that was written, before it is written again. */
const pauseMilliseconds = 100;

/** @returns a function that writes to the pods' status what the model says of their processes, where it says something else. */
export function crashReports({ state, pods, crashes, log }: ReportedCluster): () => void {
    /** The UIDs of the pods whose status is being written. */
    const reporting = new Set<string>();
    const report = async ({ name: pod, uid, component, elsewhere }: PodObservation, refused?: string) => {
        const namespace = elsewhere?.namespace ?? state.namespace;
        try {
            await crashes.report({ namespace, pod, uid, component, refused });
        } catch (error) {
            log(`cannot write the status of pod ${namespace}/${pod}, retrying: ${String(error)}`);
        }
        setTimeout(() => reporting.delete(uid), pauseMilliseconds).unref();
    };
    return () => {
        for (const pod of pods.values()) {
            const process = state.pods.get(pod.name);
            if (process?.uid === pod.uid && process.refused !== pod.backsOff && !reporting.has(pod.uid)) {
                reporting.add(pod.uid);
                void report(pod, process.refused);
            }
        }
    };
}
