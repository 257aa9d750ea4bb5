import { components } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import { withPodStarted } from "../vocabulary/actions/foreseen";
import type { Condition } from "../vocabulary/problemCodes";
import type { WaitMove } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { isServing } from "../stages/stores";

/** The conditions of a pod that Kubernetes brings about. One with a trouble does not start by itself. */
const broughtAbout: ReadonlySet<string> = new Set<Condition>(["pod-created", "pod-stopped", "pod-available"]);

/** @returns the cluster once Kubernetes has started the pod that is waited for; undefined if it is not a pod's start that is waited for. */
export function startedByKubernetes(seen: Observation, { step, target }: WaitMove): Observation | undefined {
    if (!broughtAbout.has(step)) {
        return undefined;
    }
    for (const component of components) {
        const ordinal = podOrdinal(target, seen.cluster, component);
        const member = seen.members[component];
        const pod = member?.pods.find(({ name }) => name === target);
        if (ordinal !== undefined && member !== undefined && pod?.trouble === undefined && !isServing(pod)) {
            return withPodStarted(seen, member, ordinal, target);
        }
    }
    return undefined;
}
