import type { ObservedPod } from "../vocabulary/observation";

/**
 * A process that ends shortly after each start. Without a readiness probe its pod is Ready for seconds after each, which resets the time
 * of the pod's condition but is no recovery. Facts from kubernetes pkg/kubelet/kuberuntime and client-go util/flowcontrol: kubelet waits
 * before each restart, first 10 s, then twice as long as before, at most 5 minutes, and begins again at 10 s after a run of 10 minutes.
 */
const firstBackOff = 10_000;

/**
 * @param period how long a pod must be Ready to be well, in milliseconds.
 * @returns whether the pod has restarted and is not known to have been Ready for a whole period since: that it is Ready, or starts,
 * says nothing yet.
 */
export function isInCrashLoop({ lastRun, restarts = 0, ready, readyAtLeast }: ObservedPod, period: number): boolean {
    const hasRunShortly = lastRun !== undefined && restarts > 0 && lastRun.finishedAt - lastRun.startedAt < period;
    return hasRunShortly && !(ready && readyAtLeast?.known && readyAtLeast.value >= period);
}

/** @returns whether an observation lacks for how long a pod is Ready whose process has ended before. */
export function lacksReadyTime(pod: ObservedPod | undefined, period: number): boolean {
    return pod?.ready === true && pod.readyAtLeast === undefined && isInCrashLoop(pod, period);
}

/**
 * @returns for how long at least the pod's process has been ending again and again, in milliseconds; undefined if kubelet does not
 * report that it waits before a restart. Kubelet's own waits count, and one run of which both times are known. A clock of a
 * node that is off cannot lengthen it by more than the present wait.
 */
export function crashLoopFor(pod: ObservedPod, period: number): number | undefined {
    const { lastRun, backOff, death, readyChangedAt } = pod;
    if (!isInCrashLoop(pod, period) || !lastRun || backOff === undefined || !death?.notReadyFor.known) {
        return undefined;
    }
    const { startedAt, finishedAt } = lastRun;
    // With a readiness probe the pod was not Ready in its last run either, so that run is in the time of its condition.
    const run = Math.min(finishedAt - startedAt, Math.max(0, (readyChangedAt ?? startedAt) - startedAt));
    return Math.min(death.notReadyFor.value, backOff) + run + earlierWaits(backOff);
}

/** @returns the least that kubelet has waited before the earlier restarts of the same loop. */
function earlierWaits(backOff: number): number {
    const before = backOff / 2;
    return before < firstBackOff ? 0 : before + earlierWaits(before);
}
