import type { ObservedPod } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";
import { deadAfter } from "../stages/failover/verdict";
import type { MemberFailover, Verdict } from "../vocabulary/memberFailover";
import { canShow, crashLoopFor, isInCrashLoop, watchedFor } from "./crashLoop";
import { templateDoubt } from "./templateDoubt";

/**
 * @param view the pod among the others of its member.
 * @param needed for how long Kubernetes must see it, in milliseconds.
 * @param counts what counts as dead. A pod that no node takes: a store's data may be on a node that is gone, but a server without
 * data waits for room, and one more would wait too. A process that has ended once on a node that is Ready: for how long, only the
 * pod's condition says, which other containers and the node's clock change too, so it is no reason to delete a volume. One that ends
 * again and again is, for as long as kubelet's own waits show it. A node that itself reports that it is not Ready is none.
 * @returns what Kubernetes says of the pod: it is dead if its node is gone or not Ready, or if its process has ended and did not come
 * back for longer than some seconds. A process that its template may have ended says nothing about its volume, see `templateDoubt`. A pod that starts, or whose process runs without being Ready, is not; one that runs after a
 * restart that followed a short run is not known to be alive.
 */
export function podVerdict(
    view: PodView,
    needed: number,
    { countsUnscheduled, countsEnded }: Pick<MemberFailover, "countsUnscheduled" | "countsEnded">,
): Verdict {
    const { pod } = view;
    if (pod === undefined) {
        return { is: "unknown", why: "its pod does not exist" };
    }
    if (pod.ready) {
        return isInCrashLoop(pod, needed) ? restarted("is Ready") : { is: "alive", why: "its pod is Ready" };
    }
    if (pod.death === undefined) {
        return { is: "unknown", why: "its node was not read" };
    }
    const { node, notReadyFor } = pod.death;
    if (!node.known || !notReadyFor.known) {
        const why = node.known ? (notReadyFor as { why: string }).why : node.why;
        return { is: "unknown", why: `Kubernetes does not tell: ${why}` };
    }
    switch (node.value.is) {
        case "absent":
            return deadAfter(`node ${pod.node} is gone`, notReadyFor.value, needed);
        case "not-ready": {
            const why = `node ${pod.node} is not Ready (${node.value.reason})`;
            if (!countsEnded && node.value.byOwnClock) {
                return { is: "unknown", why: `${why}, but since when, only that node's own clock says` };
            }
            return deadAfter(why, Math.min(node.value.for, notReadyFor.value), needed);
        }
        case "unscheduled":
            return countsUnscheduled
                ? deadAfter("no node takes its pod", notReadyFor.value, needed)
                : { is: "alive", why: "no node takes its pod, so one more would wait too" };
        case "ready":
            return endedVerdict(view, pod, notReadyFor.value, needed, countsEnded);
    }
}

function endedVerdict(
    view: PodView,
    pod: ObservedPod,
    notReadyFor: number,
    needed: number,
    countsEnded: boolean,
): Verdict {
    const isLooping = isInCrashLoop(pod, needed);
    if (!pod.container.known || pod.container.value.is !== "stopped") {
        return isLooping ? restarted("runs") : { is: "alive", why: "Kubernetes does not report its process as ended" };
    }
    const doubt = isLooping || countsEnded ? templateDoubt(view, needed) : undefined;
    if (doubt !== undefined) {
        return { is: "unknown", why: `its process ${isLooping ? "ends again and again" : "has ended"}, and ${doubt}` };
    }
    const { now } = view.observation;
    const loopFor = crashLoopFor(pod, needed, now);
    if (loopFor !== undefined) {
        const why = `its process ends again and again, restarted ${times(pod)}`;
        const lasted = countsEnded ? Math.max(loopFor, notReadyFor) : loopFor;
        return lasted >= needed || canShow(pod, needed)
            ? deadAfter(why, lasted, needed)
            : deadAfter(`${why}; ${mustBeWatched}`, watchedFor(pod, needed, now), needed);
    }
    return countsEnded
        ? deadAfter("its process has ended", notReadyFor, needed)
        : isLooping
          ? { is: "unknown", why: "its process has ended, and kubelet does not report how long it waits to restart it" }
          : { is: "alive", why: "its process has ended and may start again" };
}

const mustBeWatched = "kubelet's waits show less than the period, so one run must watch it, as the controller does";

function restarted(does: string): Verdict {
    return { is: "unknown", why: `its pod ${does} since a restart, and was Ready for seconds before it` };
}

function times({ restarts = 0 }: ObservedPod): string {
    return restarts === 1 ? "once" : `${restarts} times`;
}
