import type { ObservedPod } from "../vocabulary/observation";
import { deadAfter } from "../stages/failover/verdict";
import type { MemberFailover, Verdict } from "../vocabulary/memberFailover";

/**
 * @param needed for how long Kubernetes must see it, in milliseconds.
 * @param counts what counts as dead. A pod that no node takes: a store's data may be on a node that is gone, but a server without
 * data waits for room, and one more would wait too. A process that has ended on a node that is Ready: for how long, only the
 * pod's condition says, which other containers and the node's clock change too, so it is no reason to delete a volume. Nor is a node
 * that itself reports that it is not Ready.
 * @returns what Kubernetes says of the pod: it is dead if its node is gone or not Ready, or if its process has ended and did not come
 * back. A pod that starts, or whose process runs without being Ready, is not.
 */
export function podVerdict(
    pod: ObservedPod | undefined,
    needed: number,
    { countsUnscheduled, countsEnded }: Pick<MemberFailover, "countsUnscheduled" | "countsEnded">,
): Verdict {
    if (pod === undefined) {
        return { is: "unknown", why: "its pod does not exist" };
    }
    if (pod.ready) {
        return { is: "alive", why: "its pod is Ready" };
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
            return countsEnded && pod.container.known && pod.container.value.is === "stopped"
                ? deadAfter("its process has ended", notReadyFor.value, needed)
                : { is: "alive", why: "Kubernetes does not report its process as ended" };
    }
}
