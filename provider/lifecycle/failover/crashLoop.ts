import type { ObservedPod } from "../vocabulary/observation";

/**
 * A process that ends shortly after each start. Without a readiness probe its pod is Ready for seconds after each, which resets the time
 * of the pod's condition but is no recovery. Facts from kubernetes pkg/kubelet/kuberuntime and client-go util/flowcontrol: kubelet waits
 * before each restart, first 10 s, then twice as long as before, at most 5 minutes, and begins again at 10 s after a run of 10 minutes.
 */
const firstBackOff = 10_000;
const longestBackOff = 300_000;
/** Restarts of an earlier loop of the same pod. */
const fewRestarts = 10;

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
 * @param now the run's own clock.
 * @returns for how long at least the pod's process has been ending again and again, in milliseconds; undefined if kubelet does not
 * report that it waits before a restart. Kubelet's own waits count, and one run of which both times are known; or the time for which this
 * run has watched it. A clock of a node that is off cannot lengthen it by more than the present wait.
 */
export function crashLoopFor(pod: ObservedPod, period: number, now: number): number | undefined {
    const { lastRun, backOff, death } = pod;
    if (!isInCrashLoop(pod, period) || !lastRun || backOff === undefined || !death?.notReadyFor.known) {
        return undefined;
    }
    const shown = Math.min(death.notReadyFor.value, backOff) + shownRun(pod) + earlierWaits(backOff);
    return Math.max(shown, watchedFor(pod, period, now));
}

/** @returns for how long this run has watched the crash loop: no gap between two of its looks hides a whole period of anything else. */
export function watchedFor({ crashesSeen = [] }: ObservedPod, period: number, now: number): number {
    const first = crashesSeen.filter(({ after }) => after >= period).at(-1);
    return first === undefined ? 0 : now - first.since;
}

/**
 * @returns whether kubelet's waits can show at one moment that the pod has crashed for a period. They show no more than the sum of one
 * loop's waits up to the longest; a kubelet may have a shorter longest wait (`crashLoopBackOff.maxContainerRestartPeriod`).
 */
export function canShow(pod: ObservedPod, period: number): boolean {
    const { backOff = 0, restarts = 0 } = pod;
    const doublings = Math.log2(backOff / firstBackOff);
    // One that has not grown for so many restarts is the longest.
    const mayGrow = Number.isInteger(doublings) && restarts <= doublings + fewRestarts;
    const longest = mayGrow ? Math.max(backOff, longestBackOff) : backOff;
    return longest + shownRun(pod) + earlierWaits(longest) >= period;
}

function shownRun({ lastRun, readyChangedAt }: ObservedPod): number {
    // With a readiness probe the pod was not Ready in its last run either, so that run is in the time of its condition.
    return lastRun === undefined
        ? 0
        : Math.min(
              lastRun.finishedAt - lastRun.startedAt,
              Math.max(0, (readyChangedAt ?? lastRun.startedAt) - lastRun.startedAt),
          );
}

/** @returns the least that kubelet has waited before the earlier restarts of the same loop. */
function earlierWaits(backOff: number): number {
    const before = backOff / 2;
    return before < firstBackOff ? 0 : before + earlierWaits(before);
}
