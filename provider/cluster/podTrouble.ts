import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Reasons for waiting that are normal while a container starts. */
const normalWhileStarting = new Set(["ContainerCreating", "PodInitializing"]);

/**
 * @returns what keeps the member's own container, which has the component's name, from starting: the scheduler, an init
 * container, or the container itself. In Kubernetes' own words.
 */
export function ownTrouble(pod: V1Pod, component: string): string | undefined {
    const scheduled = pod.status?.conditions?.find((condition) => condition.type === "PodScheduled");
    if (scheduled?.status === "False") {
        return `${scheduled.reason ?? "not scheduled"}: ${scheduled.message ?? "the scheduler gave no reason"}`;
    }
    const own = (pod.status?.containerStatuses ?? []).filter(({ name }) => name === component);
    // A sidecar init container (restartPolicy Always) holds up the own container only until that runs.
    const first = own.some(({ state }) => state?.running) ? [] : (pod.status?.initContainerStatuses ?? []);
    const trouble = firstTrouble([...first, ...own]);
    return (
        trouble ??
        (pod.status?.phase === "Failed" ? `the pod failed: ${pod.status.reason ?? "no reason given"}` : undefined)
    );
}

/** @returns what is wrong with the pod's other containers, in the same words. It means nothing for the member itself. */
export function sidecarTrouble(pod: V1Pod, component: string): string | undefined {
    return firstTrouble((pod.status?.containerStatuses ?? []).filter(({ name }) => name !== component));
}

function firstTrouble(containers: readonly V1ContainerStatus[]): string | undefined {
    for (const { name, image, state } of containers) {
        const { reason, message } = state?.waiting ?? {};
        if (reason && !normalWhileStarting.has(reason)) {
            return `container ${name} (${image}) is in ${reason}${message ? `: ${message}` : ""}`;
        }
    }
    return undefined;
}
