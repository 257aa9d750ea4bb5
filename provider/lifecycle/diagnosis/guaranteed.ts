import type { Container, Pod } from "./objects";
import { type Component, topology } from "../../../topology/members";
import { amountsOf } from "./amounts";
import type { Cause } from "./cause";
import type { PodFacts } from "./facts";

/** Kubernetes' rule: in each container, requests and limits of both are set and equal (https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/). */
const resources = ["cpu", "memory"] as const;

/**
 * @param isWanted whether the user wants Guaranteed pods. Otherwise only a member is named whose own container is set up for it,
 * so that nothing but another container of the pod prevents it.
 * @returns the members whose pods are not Guaranteed, with what differs.
 */
export function notGuaranteed(pods: readonly PodFacts[], isWanted: boolean): Cause[] {
    const seen = new Map<Component, Set<string>>();
    for (const { component, pod } of pods) {
        if (component === undefined || pod === undefined || pod.status?.qosClass === "Guaranteed") {
            continue;
        }
        const differing = differences(pod);
        const own = differing.some(({ container }) => container === component);
        if (differing.length > 0 && (isWanted || !own)) {
            const words = differing.map(({ words: one }) => one).join(", ");
            seen.set(component, (seen.get(component) ?? new Set()).add(words));
        }
    }
    return [...seen].map(([component, words]) => ({
        of: component,
        reason: "NotGuaranteed",
        what: `the pods of ${topology[component].title} are not Guaranteed: ${[...words].join("; ")}`,
        fix: "set requests and limits of CPU and memory to the same values in each container",
    }));
}

function differences({ spec }: Pod): { container: string; words: string }[] {
    const all: readonly Container[] = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
    return all.flatMap((container) => {
        const [requests, limits] = [container.resources?.requests ?? {}, container.resources?.limits ?? {}];
        return resources
            .filter(
                (one) =>
                    limits[one] === undefined ||
                    amountsOf(limits)[one] !== (amountsOf(requests)[one] ?? amountsOf(limits)[one]),
            )
            .map((one) => ({
                container: container.name,
                words: `container ${container.name} requests ${requests[one] ?? "no"} ${one} with ${limits[one] === undefined ? "no limit" : `a limit of ${limits[one]}`}`,
            }));
    });
}
