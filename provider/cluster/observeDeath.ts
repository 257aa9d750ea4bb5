import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { NodeCondition, ObservedPod } from "../lifecycle/vocabulary/observation";
import { isReady, type NodeAnswer } from "./containerState";

const apiServer = "the API server";

/**
 * @param node the pod's node, if it was read.
 * @param time the time by the API server's clock. Times of the control plane are compared with nothing else.
 * @param at when the pod was read, by the run's own clock.
 * @returns what Kubernetes knows about whether a pod that is not Ready is dead.
 */
export function observeDeath(
    pod: V1Pod,
    node: NodeAnswer | undefined,
    time: number | undefined,
    at: number,
): NonNullable<ObservedPod["death"]> {
    return { node: nodeCondition(pod, node, time, at), notReadyFor: unchangedFor(pod, time, at) };
}

/**
 * Kubelet writes since when a pod is Ready by its node's clock, and one that is behind would make a pod well that has just started. When
 * a status was changed last, the API server itself writes next to the fields (`managedFields`).
 * @param whole the pod that is Ready, with its `managedFields`; undefined if it is gone.
 * @param time the time by the API server's clock.
 * @param at when the pod was read, by the run's own clock.
 * @returns for how long at least the pod is Ready: nothing in its status has changed since.
 */
export function readyAtLeast(whole: V1Pod | undefined, time: number | undefined, at: number): Fact<number> {
    if (whole === undefined || !isReady(whole)) {
        return notKnown("the pod is no longer Ready");
    }
    const written = (whole.metadata?.managedFields ?? []).filter(({ subresource }) => subresource === "status");
    const times = written.map((one) => (one.time === undefined ? NaN : new Date(one.time).getTime()));
    const last = Math.max(...times);
    return duration(Number.isFinite(last) ? new Date(last) : undefined, time, at);
}

/**
 * @param time the time by the API server's clock.
 * @param at when the pod was read, by the run's own clock.
 * @returns for how long the pod's condition Ready is as it is; since the pod's creation if it has none yet.
 */
function unchangedFor(pod: V1Pod, time: number | undefined, at: number): Fact<number> {
    const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
    return duration(ready?.lastTransitionTime ?? pod.metadata?.creationTimestamp, time, at);
}

function nodeCondition(
    { spec }: V1Pod,
    node: NodeAnswer | undefined,
    time: number | undefined,
    at: number,
): Fact<NodeCondition> {
    const name = spec?.nodeName;
    if (!name) {
        return known({ is: "unscheduled" }, apiServer, at);
    }
    if (node === undefined) {
        return notKnown(`node ${name} was not read`);
    }
    if (node === "absent") {
        return known({ is: "absent" }, apiServer, at);
    }
    if ("trouble" in node) {
        return notKnown(node.trouble);
    }
    const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready === undefined) {
        return notKnown(`node ${name} has no Ready condition`);
    }
    if (ready.status === "True") {
        return known({ is: "ready" }, apiServer, at);
    }
    const since = duration(ready.lastTransitionTime, time, at);
    const reason = ready.reason ?? `Ready is ${ready.status}`;
    // Only Unknown is written by the control plane, because it hears nothing.
    const own = ready.status === "Unknown" ? {} : { byOwnClock: true as const };
    return since.known ? known({ is: "not-ready", for: since.value, reason, ...own }, apiServer, at) : since;
}

function duration(since: Date | string | undefined, time: number | undefined, at: number): Fact<number> {
    if (time === undefined) {
        return notKnown("the API server does not say what time it is");
    }
    return since === undefined
        ? notKnown("Kubernetes does not say since when")
        : known(Math.max(0, time - new Date(since).getTime()), apiServer, at);
}
