import { imageTag } from "../../../topology/imageVersion";
import { type Component, topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation, ObservedMember, ObservedPod } from "../vocabulary/observation";

/**
 * The version that ran on each volume, recorded on its claim. Claims outlive their cluster: `pulumi destroy` keeps them.
 * The record is the only evidence of which version wrote them once the pods and the stack's state are gone.
 */

/**
 * Returns the move that records the version of a member's pods on their claims. A pod counts once its own container has
 * started: from then on that version may have changed the data, even if the update fails later. An image that never started
 * has changed nothing.
 *
 * If the record does not appear on a claim, it is tried again after some seconds, and nothing waits for it: a claim without
 * a record is a warning in the next deployment.
 *
 * @returns `undefined` if the claims have their records, or the observation does not show what runs.
 */
export function noteVersion(observation: Observation, component: Component, memory: Memory): Move | undefined {
    const member = observation.members[component];
    if (member === undefined || topology[component].ownReleases) {
        return undefined;
    }
    const missing = member.pods.flatMap((pod) => missingRecords(pod, member));
    const { version } = missing[0] ?? {};
    if (version === undefined) {
        return undefined;
    }
    const claims = missing.filter((one) => one.version === version).map(({ name, uid }) => ({ name, uid }));
    const action = { do: "note-version", version, claims } as const;
    const target = memberName(observation.cluster, component);
    return mayAct(memory, action, observation.now)
        ? { kind: "act", action, step: "version-recorded", target }
        : undefined;
}

function missingRecords(
    pod: ObservedPod,
    { claims }: ObservedMember,
): { name: string; uid: string; version: string }[] {
    if (pod.image === undefined || !hasStarted(pod)) {
        return [];
    }
    const version = imageTag(pod.image);
    return claims
        .filter(({ ordinal, released, terminating }) => ordinal === pod.ordinal && !released && !terminating)
        .filter((claim) => claim.version !== version)
        .map(({ name, uid }) => ({ name, uid, version }));
}

function hasStarted({ container }: ObservedPod): boolean {
    return container.known && container.value.is !== "not-started";
}
