import { readPdFile, RefusedPdFile } from "../facts/pdFile";
import { type ClusterState, type Pod, type PodObservation, record } from "./cluster";

/** Takes the scheduling and the replication from the file of the first member. From then on they are in PD's etcd. */
export function takeFile(state: ClusterState, { config = {} }: Pod): void {
    const { schedule, replication, "pd-server": server } = readPdFile(config, state.defaultConfig);
    state.scheduleConfig = { ...schedule };
    state.replicationConfig = { ...replication };
    state.serverConfig = { ...server };
}

/**
 * Returns why the process of a PD does not start with its file; undefined if it does. Records the refusal unless the pod was refused
 * for the same reason before. For a pod that runs something else: what was found before.
 */
export function whyRefused(state: ClusterState, pod: PodObservation, last: Pod | undefined): string | undefined {
    if (pod.component !== "pd") {
        return last?.refused;
    }
    try {
        readPdFile(pod.config ?? {}, state.defaultConfig);
        return undefined;
    } catch (error) {
        if (!(error instanceof RefusedPdFile)) {
            throw error;
        }
        if (last?.refused !== error.message || last.uid !== pod.uid) {
            record(state, "member-refused", { pod: pod.name, component: pod.component, detail: error.message });
        }
        return error.message;
    }
}
