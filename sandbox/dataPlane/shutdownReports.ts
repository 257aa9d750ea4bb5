import type { PodEnds } from "./kubernetes/podEnds";
import type { ClusterState, PodObservation } from "./model/cluster";
import { isGraceful } from "./model/shutdown";

/** A cluster's pods, as the model and as Kubernetes have them. */
export interface StoppingCluster {
    state: ClusterState;
    /** The pods as they were last seen, by name. */
    pods: ReadonlyMap<string, PodObservation>;
    ends: PodEnds;
    log: (line: string) => void;
}

/** How long the watch of the pods has to show a change, before it is made again. */
const pauseMilliseconds = 1_000;
const killedCode = 137;

/** @returns a function that holds the pods of TiKVs which take time to end, and ends those whose process has ended. */
export function shutdownReports({ state, pods, ends, log }: StoppingCluster): () => void {
    /** The UIDs of the pods that are being changed. */
    const changing = new Set<string>();
    const change = async ({ name: pod, uid, component, elsewhere, killedAt }: PodObservation) => {
        const ending = { namespace: elsewhere?.namespace ?? state.namespace, pod, uid, component };
        try {
            await (killedAt === undefined ? ends.hold(ending) : ends.end(ending, exitCodeOf(state, pod)));
        } catch (error) {
            log(`cannot end pod ${ending.namespace}/${pod}, retrying: ${String(error)}`);
        }
        setTimeout(() => changing.delete(uid), pauseMilliseconds).unref();
    };
    return () => {
        for (const pod of pods.values()) {
            const runs = state.pods.get(pod.name)?.uid === pod.uid;
            const mustHold = pod.killedAt === undefined && pod.isHeld !== true && runs && isGraceful(state, pod);
            const hasEnded = pod.killedAt !== undefined && pod.isHeld === true && !runs;
            if ((mustHold || hasEnded) && !changing.has(pod.uid)) {
                changing.add(pod.uid);
                void change(pod);
            }
        }
    };
}

function exitCodeOf({ events }: ClusterState, pod: string): number {
    const stop = events.filter((event) => event.kind === "pod-stopped" && event.pod === pod).at(-1);
    return stop?.killed ? killedCode : 0;
}
