import { goMilliseconds } from "../facts/goDuration";
import type { ClusterState, PodObservation } from "./cluster";
import { leaderOf } from "./members";
import { stopPod } from "./podStops";

/**
 * What TiKV does after SIGTERM, since 8.5.6: it tells PD with its heartbeats that it stops, waits until PD has moved its leaders or
 * `server.graceful-shutdown-timeout` is over, and ends. Seen with TiKV and PD 8.5.6.
 */

/** The first version of TiKV that lets its leaders go before it ends. */
const gracefulFrom = [8, 5, 6] as const;

/** How long the rest of the shutdown takes. */
const stopMilliseconds = 200;

/** Whether the pod's process goes on although the kubelet has sent it SIGTERM. */
export function outlivesSigterm(state: ClusterState, pod: PodObservation): boolean {
    const known = state.pods.get(pod.name);
    return (
        isGraceful(state, pod) &&
        known?.uid === pod.uid &&
        state.stores.some(({ claim, running }) => running && claim === pod.claim)
    );
}

/** Whether the pod's process takes time to end. */
export function isGraceful(state: ClusterState, pod: PodObservation): boolean {
    return pod.component === "tikv" && timeoutOf(state, pod) > 0;
}

/** Ends the processes that have let their leaders go, or have waited for long enough, and kills those whose time is over. */
export function stepShutdowns(state: ClusterState): void {
    for (const pod of [...state.pods.values()]) {
        if (pod.killedAt === undefined) {
            continue;
        }
        pod.stoppingSince ??= state.now;
        const store = state.stores.find(({ claim, running }) => running && claim === pod.claim);
        const waited = state.now - pod.stoppingSince;
        // Without a leader of PD it tries to reach one for ever.
        const isOver = waited >= timeoutOf(state, pod) && leaderOf(state) !== undefined;
        if (state.now >= pod.killedAt) {
            stopPod(state, pod, true);
        } else if (waited >= stopMilliseconds && (isOver || (store?.leaders ?? 0) === 0)) {
            stopPod(state, pod, false);
        }
    }
}

function timeoutOf({ timings }: ClusterState, { version, config = {} }: PodObservation): number {
    const set = (config.server as Record<string, unknown> | undefined)?.["graceful-shutdown-timeout"];
    const own = set === undefined ? undefined : goMilliseconds(String(set));
    return own ?? (doesByDefault(version) ? timings.gracefulShutdownMilliseconds : 0);
}

/** Whether a TiKV with this tag does so. A tag that is no version does not. */
function doesByDefault(tag: string): boolean {
    const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(tag)?.slice(1).map(Number) ?? [0, 0, 0];
    const [difference = 0] = found.map((part, index) => part - gracefulFrom[index]).filter((one) => one !== 0);
    return difference >= 0;
}
