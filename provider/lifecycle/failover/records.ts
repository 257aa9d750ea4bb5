import { podOrdinal } from "../../../topology/podNames";
import { memberLifecycles } from "../members/memberLifecycles";
import type { FailureRecord } from "../vocabulary/failureRecord";
import type { Observation } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/** What follows from the records of failovers: the number of replicas, and what nothing waits for. */

/** A failure on record, with the pod that failed. */
export type FailureOfPod = FailureRecord & { pod: string };

/** @returns the failures on record whose pods the program still wants; the others no longer count. */
export function failuresOf(
    { records, cluster }: Pick<Observation, "records" | "cluster">,
    { component, replicas }: Pick<MemberTarget, "component" | "replicas">,
): FailureOfPod[] {
    return Object.entries(records.failovers?.[component]?.failures ?? {})
        .filter(([pod]) => (podOrdinal(pod, cluster, component) ?? Infinity) < replicas)
        .map(([pod, failure]) => ({ ...failure, pod }));
}

/** @returns the target with one more replica for each counted replacement. @param target as the program asks for it. */
export function withReplacements<Target extends Pick<MemberTarget, "component" | "replicas">>(
    observation: Pick<Observation, "records" | "cluster">,
    target: Target,
): Target {
    const counted = failuresOf(observation, target).filter(({ counts }) => counts).length;
    return counted === 0 ? target : { ...target, replicas: target.replicas + counted, added: counted };
}

/**
 * @returns the target, with no fewer replicas than the plan has shown, as far as the StatefulSet has them. Where a planned replacement is
 * not made after all, because its pod is back or another one is down too, a pod would leave that nobody saw leave. The next plan shows it.
 */
export function notBelowPlan<Target extends Pick<MemberTarget, "component" | "replicas">>(
    target: Target,
    planned: number,
    { members }: Pick<Observation, "members">,
): Target {
    const live = members[target.component]?.statefulSet?.replicas ?? 0;
    return { ...target, replicas: Math.max(target.replicas, Math.min(planned, live)) };
}

/** @returns whether the pod's failure is on record and it has not come back, nor is about to: nothing waits for it. */
export function isReplaced(view: PodView): boolean {
    const { observation, target, podName, pod } = view;
    const failure = observation.records.failovers?.[target.component]?.failures[podName];
    return (
        failure !== undefined &&
        pod?.ready !== true &&
        memberLifecycles[target.component].failover?.livesAgain(view, failure) !== true
    );
}

/** @returns whether the pod is a replacement that the scheduler has refused: it may wait for its node as long as it must. */
export function lacksNode({ target: { replicas, added = 0, spares = 0 }, ordinal, pod }: PodView): boolean {
    const isReplacement = ordinal >= replicas - spares - added && ordinal < replicas - spares;
    return isReplacement && pod !== undefined && pod.node === undefined && pod.trouble !== undefined;
}

/**
 * @returns whether a counted replacement has never been there: the StatefulSet has fewer replicas than the records explain, and none
 * for this one. Where the program asks for fewer by now, an earlier record may name the pod that replaces a later one: then it is
 * the later one's.
 */
export function isNeverAdded(
    observation: Observation,
    target: MemberTarget,
    { pod, counts, replacedBy }: FailureOfPod,
): boolean {
    const live = observation.members[target.component]?.statefulSet?.replicas ?? Infinity;
    const ordinal = podOrdinal(replacedBy, observation.cluster, target.component) ?? -1;
    const newest = failuresOf(observation, target)
        .filter((one) => one.replacedBy === replacedBy)
        .at(-1);
    return (
        counts === true &&
        newest?.pod === pod &&
        ordinal >= live &&
        live < withReplacements(observation, target).replicas
    );
}

/** @returns whether failures are on record of pods that the program no longer asks for. */
export function mustForget(observation: Observation, target: MemberTarget): boolean {
    const all = Object.keys(observation.records.failovers?.[target.component]?.failures ?? {});
    return all.length > failuresOf(observation, target).length;
}
