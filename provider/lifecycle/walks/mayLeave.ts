import { type Component, topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { isPodOf } from "../../../topology/podNames";
import { type Fact, mapFact } from "../vocabulary/evidence";
import { memberLifecycles } from "../members/memberLifecycles";
import type { Observation, ObservedMember, ObservedStatefulSet } from "../vocabulary/observation";
import type { GatePolicy, MemberTarget } from "../vocabulary/target";

/** Whether a member may leave the program. If something is not known, it may not. */

/** Proof that a member is unused: the template in which its user was configured not to use it. */
export interface Unused {
    by: Component;
    templateRevision: string;
}

/**
 * @param unused the proof from the last update's program that the member is unused.
 * @returns why a member must not leave the program; undefined if it may.
 */
export function refuseLeaving(
    observation: Observation,
    component: Component,
    policy: GatePolicy,
    unused: Unused | undefined,
): string | undefined {
    const lifecycle = memberLifecycles[component];
    if (lifecycle.leavesProgram === "refused") {
        return refuseDataHolder(observation, component);
    }
    const { usedBy } = topology[component];
    if (usedBy !== undefined && isInUse(observation, usedBy, unused)) {
        return `found none, expected the member to stay until ${usedBy} runs without it: ${component} would stop while ${usedBy} uses it. Put it back, configure ${usedBy} not to use it, run \`pulumi up\`, and then remove it`;
    }
    const seen = withAllOrdinals(observation, component);
    const reason = lifecycle.refuseReplicas(seen, leavingTarget(component, policy));
    return reason === undefined
        ? undefined
        : `found none, expected the member to stay until it can be scaled in to 0: ${reason}. Put it back until then`;
}

/** Whether pods of the user may still use the member: they run a template other than the one that stops using it. */
function isInUse(observation: Observation, usedBy: Component, unused: Unused | undefined): boolean {
    const { statefulSet, pods } = observation.members[usedBy] ?? { pods: [] };
    const isProven =
        unused?.by === usedBy &&
        statefulSet?.settled === true &&
        statefulSet.templateRevision === unused.templateRevision &&
        pods.every((pod) => pod.revision === statefulSet.updateRevision);
    return pods.length > 0 && !isProven;
}

/** A member that holds essential data may leave only once nothing of it is left. */
function refuseDataHolder(observation: Observation, component: Component): string | undefined {
    const member = observation.members[component];
    const held = member === undefined ? [] : unreleasedClaims(member);
    const inPd = podsInPd(observation, component);
    const replicas = member?.statefulSet?.replicas ?? 0;
    const left = [
        ...(replicas === 0 ? [] : [`${replicas} replicas`]),
        ...some(member?.pods.map((pod) => pod.name) ?? [], "running"),
        ...some(held, "not released"),
        ...(inPd.known ? some(inPd.value, "known to PD") : [`PD's entries for it are not known: ${inPd.why}`]),
    ];
    return left.length === 0
        ? undefined
        : `found none, expected the member to stay while anything of it is left (${left.join("; ")}): Pulumi would delete all of its pods at once, and the data would be lost. Put it back. To remove the whole cluster, use \`pulumi destroy\` or remove the whole TidbCluster from the program. To move its data to another cluster that shares its PD, first scale it in to 0 replicas`;
}

function some(names: readonly string[], what: string): string[] {
    return names.length === 0 ? [] : [`${names.join(", ")} ${what}`];
}

/** Pods of the member for which PD lists a store or a member. */
function podsInPd(observation: Observation, component: Component): Fact<string[]> {
    const { stores, members } = observation.pd;
    const ofMember = (names: (string | undefined)[]) =>
        names.filter((name) => name !== undefined && isPodOf(name, observation.cluster, component)) as string[];
    return memberLifecycles[component].looks.scale.includes("stores")
        ? mapFact(stores, (list) => ofMember(list.filter((store) => store.own).map((store) => store.podName)))
        : mapFact(members, (list) => ofMember(list.map((member) => member.podName)));
}

/** @returns the claims that were not released. Their volumes may hold the only replica of the data. */
export function unreleasedClaims(member: ObservedMember): string[] {
    return member.claims.filter((claim) => !claim.released).map((claim) => claim.name);
}

/** The target of a member that leaves the program. */
export function leavingTarget(component: Component, policy: GatePolicy): MemberTarget {
    return { component, replicas: 0, policy };
}

/**
 * @returns the observation with a StatefulSet that covers every ordinal that still has a pod or a claim. A suspended member
 * has no StatefulSet, but its stores are still in PD. Kubernetes' scale-in order does not matter, because the whole
 * StatefulSet is deleted.
 */
export function withAllOrdinals(observation: Observation, component: Component): Observation {
    const member = observation.members[component] ?? { component, pods: [], claims: [] };
    const ordinals = [
        ...member.pods.map((pod) => pod.ordinal),
        ...member.claims.filter((claim) => !claim.released).map((claim) => claim.ordinal),
    ];
    const replicas = Math.max(member.statefulSet?.replicas ?? 0, ...ordinals.map((ordinal) => ordinal + 1));
    const absent: ObservedStatefulSet = {
        name: memberName(observation.cluster, component),
        uid: "",
        terminating: false,
        replicas,
        settled: true,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
    };
    const live = member.statefulSet ?? absent;
    const statefulSet = { ...live, replicas, fixed: { ...live.fixed, podManagementPolicy: "Parallel" } };
    return { ...observation, members: { ...observation.members, [component]: { ...member, statefulSet } } };
}
