import type { MemberNote, MemberNotes } from "../provider/lifecycle/vocabulary/ownership";
import type { Observation, ObservedMember, ObservedPod } from "../provider/lifecycle/vocabulary/observation";
import { runsNewest } from "../provider/lifecycle/vocabulary/revision";
import { viewOf } from "../provider/lifecycle/vocabulary/stage";
import { defaultPolicy } from "../provider/lifecycle/vocabulary/target";
import { withReplacements } from "../provider/lifecycle/failover/records";
import { namesOfDeleted, wayOut } from "../provider/lifecycle/walks/volumesStay";
import { imageTag, runningVersion } from "../topology/imageVersion";
import { type Component, topology } from "../topology/members";
import { podName } from "../topology/podNames";
import { claimStatuses } from "./claimStatus";
import type { DiscoveryStatus, MemberStatus, PodStatus } from "./clusterStatus";
import { countsOf } from "./listed";
import { memberRole, memberTrouble, serverVersion } from "./memberHealth";
import { known, notKnown, readingOf } from "./reading";
import type { DeployedDiscovery } from "../provider/cluster/deployedCluster";

/** Returns the status of each member that was observed. @param notes the program's members, as the Lease has them. */
export function memberStatuses(observation: Observation, notes: MemberNotes): MemberStatus[] {
    return Object.values(observation.members).map((member) =>
        memberStatus(observation, member, notes[member.component]),
    );
}

function memberStatus(observation: Observation, member: ObservedMember, noted: MemberNote | undefined): MemberStatus {
    const { component, statefulSet } = member;
    const wanted = wantedOf(observation, component, noted) ?? statefulSet?.replicas ?? 0;
    const expected = Math.max(wanted, statefulSet?.replicas ?? 0);
    const ordinals = new Set([
        ...Array.from({ length: expected }, (_, ordinal) => ordinal),
        ...member.pods.map(({ ordinal }) => ordinal),
    ]);
    const pods = [...ordinals]
        .sort((one, other) => one - other)
        .map((ordinal) => podStatus(observation, member, ordinal, ordinal >= wanted));
    const started = pods.filter(({ name }) => member.pods.some((pod) => pod.name === name && hasStarted(pod)));
    return {
        component,
        title: topology[component].title,
        wanted,
        replicas: statefulSet?.replicas ?? null,
        isSuspended: noted?.suspended === true && statefulSet === undefined,
        ready: pods.filter(({ phase }) => phase === "ready").length,
        version: versionOf(statefulSet?.image),
        revision: (statefulSet?.settled ? statefulSet.updateRevision : undefined) ?? null,
        running: versionsOf(started.map(({ version }) => version)),
        tags: versionsOf(started.map(({ tag }) => tag)),
        upToDate: pods.filter(({ isUpToDate }) => isUpToDate).length,
        pods,
    };
}

/** With the replacements of the dead, which the program does not know of. */
function wantedOf(observation: Observation, component: Component, noted: MemberNote | undefined): number | undefined {
    return noted && withReplacements(observation, { component, replicas: noted.replicas }).replicas;
}

function podStatus(
    observation: Observation,
    { component, statefulSet, pods, claims: all }: ObservedMember,
    ordinal: number,
    isUnwanted: boolean,
): PodStatus {
    const name = podName(observation.cluster, component, ordinal);
    const pod = pods.find((one) => one.ordinal === ordinal);
    const isLeaving = isUnwanted || pod?.terminating === true;
    const trouble = readingOf(memberTrouble(component, observation, name, isLeaving), (value) => value);
    const claims = claimStatuses(all, name, ordinal);
    if (pod === undefined) {
        const none = {
            node: null,
            zone: known(null),
            version: null,
            tag: null,
            isUpToDate: null,
            losesVolumes: null,
            notReady: null,
            role: null,
        };
        return { name, phase: "missing", trouble, claims, ...none };
    }
    const tag = versionOf(pod.image);
    return {
        name,
        phase: pod.terminating ? "stopping" : pod.ready ? "ready" : "not ready",
        node: pod.node ?? null,
        zone: zoneOf(pod),
        version: tag === null ? null : runningVersion(tag, serverVersion(component, observation, pod)),
        tag,
        isUpToDate: runsNewest(pod, statefulSet) ?? null,
        trouble,
        losesVolumes: isLeaving ? null : losesVolumes(observation, component, ordinal),
        notReady: pod.ready ? null : (pod.trouble ?? pod.sidecarTrouble ?? null),
        claims,
        role: memberRole(component, observation, name),
    };
}

function losesVolumes(observation: Observation, component: Component, ordinal: number): PodStatus["losesVolumes"] {
    const view = viewOf(observation, { component, replicas: ordinal + 1, policy: defaultPolicy }, ordinal);
    const claims = namesOfDeleted(view);
    return claims.length === 0 ? null : { claims, next: wayOut(view) };
}

function zoneOf({ node, zone }: ObservedPod): PodStatus["zone"] {
    if (zone === undefined) {
        return node === undefined ? known(null) : notKnown("nodes were not read");
    }
    return readingOf(zone, (value) => value ?? null);
}

function hasStarted({ container }: ObservedPod): boolean {
    return !container.known || container.value.is !== "not-started";
}

function versionsOf(versions: readonly (string | null)[]): MemberStatus["running"] {
    return countsOf(versions.filter((one) => one !== null)).map(([version, pods]) => ({ version, pods }));
}

/** Returns discovery's status. */
export function discoveryStatus(discovery: DeployedDiscovery | undefined): DiscoveryStatus | null {
    return (
        (discovery && {
            wanted: discovery.replicas,
            ready: discovery.ready,
            upToDate: discovery.updated,
            image: discovery.image ?? null,
        }) ??
        null
    );
}

function versionOf(image: string | undefined): string | null {
    return image === undefined ? null : imageTag(image);
}
