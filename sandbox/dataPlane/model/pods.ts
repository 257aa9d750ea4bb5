import { advance } from "./advance";
import type { ClusterState, PodObservation } from "./cluster";
import { whyRefused } from "./pdFile";
import { stopPod } from "./podStops";
import { outlivesSigterm } from "./shutdown";

/** Sets the cluster's pods at `now`. The list must be complete: a pod that is missing has stopped. */
export function observePods(state: ClusterState, pods: PodObservation[], now: number): void {
    advance(state, now);
    state.tikvPods = pods.filter(({ component }) => component === "tikv").map(({ name }) => name);
    const observed = new Map(pods.map((pod) => [pod.name, pod]));
    for (const known of [...state.pods.values()]) {
        const seen = observed.get(known.name);
        if (seen === undefined || seen.uid !== known.uid || !isTried(state, seen)) {
            stopPod(state, known);
        }
    }
    for (const pod of pods.filter((one) => isTried(state, one))) {
        const last = state.pods.get(pod.name);
        // A process that has ended because of its file is started again, and reads it anew.
        const known = last?.refused === undefined ? last : undefined;
        state.pods.set(pod.name, {
            ...pod,
            // Its process keeps what it has read, whatever the ConfigMap says since.
            config: known?.config ?? pod.config,
            tidb: known?.tidb,
            logLevel: known?.logLevel,
            refused: known === undefined ? whyRefused(state, pod, last) : undefined,
            stoppingSince: known?.stoppingSince,
            runningSince: known?.runningSince ?? state.now,
            readySince: pod.ready ? (known?.readySince ?? state.now) : undefined,
            serving: pod.ready && known?.serving,
        });
    }
    advance(state, now);
}

/** Whether the pod's process runs, or was refused and is started again and again. */
function isTried(state: ClusterState, pod: PodObservation): boolean {
    if (pod.killedAt !== undefined) {
        return outlivesSigterm(state, pod);
    }
    const last = state.pods.get(pod.name);
    const wasRefused = last?.uid === pod.uid && (last.refused !== undefined || !last.running);
    return pod.running || (pod.backsOff !== undefined && wasRefused);
}
