import type { V1ContainerStatus, V1Node, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { goDurationSeconds } from "../../topology/goDuration";
import { labelFor } from "../lifecycle/storeLabels/nodeLabels";
import { type Fact, known, mapFact, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ContainerFact, ContainerState, ObservedPod } from "../lifecycle/vocabulary/observation";

/** The API server's answer for a node: the node, that it does not exist, or why this user could not read it. */
export type NodeAnswer = V1Node | "absent" | { trouble: string };

const apiServer = "the API server";

/** @returns the status of the member's own container, which has the component's name. Sidecars do not count. */
function ownStatus(pod: V1Pod, component: string): V1ContainerStatus | undefined {
    return pod.status?.containerStatuses?.find(({ name }) => name === component);
}

export function isReady({ status }: V1Pod): boolean {
    return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/**
 * @returns the node that must be read to know what the own container does. None for a container that its node reported as
 * running in a pod that is Ready, and none for a pod without a node.
 */
export function nodeToRead(pod: V1Pod, component: string): string | undefined {
    return ownStatus(pod, component)?.state?.running && isReady(pod) ? undefined : pod.spec?.nodeName;
}

/**
 * @param node the pod's node, if `nodeToRead` names one.
 * @param at when the pod was read, by the run's own clock.
 * @returns what the member's own container does. That it does not run is known only from a node that is Ready: any other
 * node may still run what it no longer reports. That it runs in a pod that is not Ready is not known if its node is absent or not Ready.
 */
export function observeContainer(
    pod: V1Pod,
    component: string,
    node: NodeAnswer | undefined,
    at: number,
): ContainerFact {
    const status = ownStatus(pod, component);
    const running = status?.state?.running;
    if (running) {
        if (running.startedAt === undefined) {
            return notKnown(`container ${component} is running, but its node does not report since when`);
        }
        const startedAt = new Date(running.startedAt).getTime();
        // Once a node is silent, Kubernetes changes the pod's condition Ready alone, and keeps the last report of the container.
        const silent = wasRead(node) && !isReady(pod) ? nodeTrouble(pod.spec?.nodeName ?? "", node) : undefined;
        return silent === undefined
            ? known({ is: "running", startedAt }, apiServer, at)
            : { ...notKnown(silent), ranSince: startedAt };
    }
    const name = pod.spec?.nodeName;
    if (!name) {
        return known({ is: "not-started" }, apiServer, at);
    }
    const trouble = nodeTrouble(name, node);
    const state = reported(status, pod);
    if (trouble !== undefined) {
        return {
            ...notKnown(trouble),
            ...(node !== undefined && !wasRead(node) && state?.is === "not-started" ? { reported: state.is } : {}),
        };
    }
    return state
        ? known(state, `node ${name}`, at)
        : notKnown(`node ${name} has not reported the state of container ${component}`);
}

function wasRead(node: NodeAnswer | undefined): boolean {
    return node === "absent" || (node !== undefined && !("trouble" in node));
}

function nodeTrouble(name: string, node: NodeAnswer | undefined): string | undefined {
    if (node === undefined) {
        return `node ${name} was not read`;
    }
    if (node === "absent") {
        return `node ${name} is not in the cluster, and may still run what it no longer reports`;
    }
    if ("trouble" in node) {
        return node.trouble;
    }
    const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
    return ready?.status === "True"
        ? undefined
        : `node ${name} is not Ready (${ready?.reason ?? "it has no Ready condition"}), and may still run what it no longer reports`;
}

/** @returns the labels of a node that was read. */
export function labelsOfNode(name: string, node: NodeAnswer, at: number): Fact<Readonly<Record<string, string>>> {
    if (node === "absent") {
        return notKnown(`node ${name} is not in the cluster`);
    }
    return "trouble" in node ? notKnown(node.trouble) : known(node.metadata?.labels ?? {}, `node ${name}`, at);
}

/** @returns the zone of a node that was read; its value is undefined if the node has no label for it. */
export function zoneOf(name: string, node: NodeAnswer, at: number): Fact<string | undefined> {
    return mapFact(labelsOfNode(name, node, at), (labels) => labelFor("zone", labels));
}

function reported(status: V1ContainerStatus | undefined, pod: V1Pod): ContainerState | undefined {
    // The node sets these phases once all containers of the pod have ended.
    if (pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") {
        return { is: "stopped" };
    }
    if (status?.state?.terminated) {
        return { is: "stopped" };
    }
    if (status?.state?.waiting) {
        const hasRun = status.lastState?.terminated !== undefined || status.restartCount > 0;
        return { is: hasRun ? "stopped" : "not-started" };
    }
    return undefined;
}

/** As kubelet words it (kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go): the status has the wait nowhere else. */
const backOffMessage = /^back-off (\S+) restarting failed container/;

/** @returns the restarts of the member's own container, as far as its node reports them. */
export function observeRestarts(
    pod: V1Pod,
    component: string,
): Pick<ObservedPod, "restarts" | "lastRun" | "backOff" | "exitCode"> {
    const status = ownStatus(pod, component);
    const { exitCode } = status?.state?.terminated ?? {};
    const { startedAt, finishedAt } = status?.state?.terminated ?? status?.lastState?.terminated ?? {};
    const waits = backOffMessage.exec(status?.state?.waiting?.message ?? "")?.[1];
    const seconds = waits === undefined ? undefined : goDurationSeconds(waits);
    return {
        ...(status?.restartCount ? { restarts: status.restartCount } : {}),
        ...(startedAt && finishedAt
            ? { lastRun: { startedAt: new Date(startedAt).getTime(), finishedAt: new Date(finishedAt).getTime() } }
            : {}),
        ...(seconds === undefined ? {} : { backOff: seconds * 1000 }),
        ...(exitCode === undefined ? {} : { exitCode }),
    };
}
