import { type Component, components } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { isPodOf, podName } from "../../../topology/podNames";
import type { Move } from "../vocabulary/move";
import type { Observation, ObservedMember, ObservedPod } from "../vocabulary/observation";

/** A pod that is not right, and without which a wait may not end. */
export interface WaitedPod {
    readonly component: Component;
    readonly name: string;
    /** Undefined: it does not exist. */
    readonly pod: ObservedPod | undefined;
    /** Whether it has, or would get, the template that the StatefulSet has now: another template is about to come. */
    readonly hasNewestTemplate: boolean;
}

/** The pods that a wait is about. */
export interface WaitedPods {
    /** Those that are not Ready, stop, or do not exist. */
    readonly pods: readonly WaitedPod[];
    /** Whether the wait cannot end as long as one of them is not Ready. Otherwise the others may end it. */
    readonly needsEach: boolean;
}

/** Waits for one pod. On a node that is lost it stops without an end. */
const forOnePod = ["pod-created", "pod-available", "pod-stopped"];
/** Waits for a member as a whole, which may do without some of its pods. */
const forMember = ["available", "pd-answers"];

/** @returns the pods that a wait, or its timeout, is about; `undefined` if it is not about pods that are to become Ready. */
export function waitedPods(move: Move, { members, cluster }: Observation): WaitedPods | undefined {
    const at = move.kind === "wait" ? move : move.kind === "fail" ? move.problem : undefined;
    if (at?.target === undefined || ![...forOnePod, ...forMember].includes(at.step)) {
        return undefined;
    }
    const { target } = at;
    const component = components.find((one) => target === memberName(cluster, one) || isPodOf(target, cluster, one));
    const member = component && members[component];
    if (member === undefined) {
        return undefined;
    }
    const all = podsOf(member, cluster);
    if (forOnePod.includes(at.step)) {
        return { pods: all.filter(({ name }) => name === target).filter(isNotRight), needsEach: true };
    }
    // If one of them is Ready, what else is missing may still come.
    return { pods: all.filter(isNotRight), needsEach: all.length > 0 && all.every(isNotRight) };
}

function podsOf({ component, statefulSet, pods }: ObservedMember, cluster: string): WaitedPod[] {
    const names = Array.from({ length: statefulSet?.replicas ?? 0 }, (_, ordinal) =>
        podName(cluster, component, ordinal),
    );
    return names.map((name) => {
        const pod = pods.find((one) => one.name === name);
        const update = statefulSet?.settled ? statefulSet.updateRevision : undefined;
        const hasNewestTemplate = update !== undefined && (pod === undefined || pod.revision === update);
        return { component, name, pod, hasNewestTemplate };
    });
}

function isNotRight({ pod }: WaitedPod): boolean {
    return pod === undefined || !pod.ready || pod.terminating;
}
