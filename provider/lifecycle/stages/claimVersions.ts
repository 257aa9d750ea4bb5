import { compareVersions, imageTag, versionOfTag } from "../../../topology/imageVersion";
import { type Component, topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation, ObservedClaim, ObservedMember, ObservedPod } from "../vocabulary/observation";
import { onceFor } from "../vocabulary/onceFor";
import { claimsAt } from "../vocabulary/podIndex";

/**
 * The version that ran on each volume, and whether it used TLS between members, recorded on its claim. Claims outlive their cluster: `pulumi destroy` keeps them.
 * The record is the only evidence of which version wrote them once the pods and the stack's state are gone.
 */

/** When versions are recorded. */
export type NoteTime =
    /** While the pods stay: what is not known now can be recorded later. */
    | "during"
    /** Before the pods go, so nothing shows afterwards what they ran: a container of which nothing is known may have run. */
    | "last";

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
export function noteVersion(
    observation: Observation,
    component: Component,
    memory: Memory,
    time: NoteTime = "during",
): Move | undefined {
    const member = observation.members[component];
    if (member === undefined || topology[component].ownReleases) {
        return undefined;
    }
    const target = memberName(observation.cluster, component);
    const missing = missingOf[time](member);
    for (const { version, tls } of missing) {
        const alike = missing.filter((one) => one.version === version && one.tls === tls);
        const claims = alike.map(({ name, uid }) => ({ name, uid }));
        const action = { do: "note-version", version, ...(tls === undefined ? {} : { tls }), claims } as const;
        if (mayAct(memory, action, observation.now)) {
            return { kind: "act", action, step: "version-recorded", target };
        }
    }
    return undefined;
}

const missingAt = (time: NoteTime) =>
    onceFor((member: ObservedMember) => member.pods.flatMap((pod) => missingRecords(pod, member, time)));

/** Most decisions find the same member as the one before. */
const missingOf: Record<NoteTime, ReturnType<typeof missingAt>> = {
    during: missingAt("during"),
    last: missingAt("last"),
};

function missingRecords(
    pod: ObservedPod,
    { claims }: ObservedMember,
    time: NoteTime,
): { name: string; uid: string; version: string; tls?: boolean }[] {
    const { image, clusterTls: tls } = pod;
    if (image === undefined) {
        return [];
    }
    const version = imageTag(image);
    const isMissing = hasStarted(pod)
        ? (recorded: ObservedClaim) => recorded.version !== version || (tls !== undefined && recorded.tls !== tls)
        : (recorded: ObservedClaim) => time === "last" && mayHaveStarted(pod) && mayBeNewer(version, recorded.version);
    return claimsAt(claims, pod.ordinal)
        .filter(({ released, terminating }) => !released && !terminating)
        .filter(isMissing)
        .map(({ name, uid }) => ({ name, uid, version, tls }));
}

function hasStarted({ container }: ObservedPod): boolean {
    return container.known ? container.value.is !== "not-started" : container.ranSince !== undefined;
}

function mayHaveStarted({ container }: ObservedPod): boolean {
    return !container.known && container.reported !== "not-started";
}

/** A record that is too new only leads to a refusal that the user can overrule; one that is too old loses data. */
function mayBeNewer(tag: string, recorded: string | undefined): boolean {
    const [one, other] = [versionOfTag(tag), recorded === undefined ? undefined : versionOfTag(recorded)];
    return tag !== recorded && (one === undefined || other === undefined || compareVersions(one, other) > 0);
}
