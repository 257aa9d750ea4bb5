import { imageTag } from "../../../topology/imageVersion";
import type { Component } from "../../../topology/members";
import type {
    Observation,
    ObservedClaim,
    ObservedMember,
    ObservedPod,
    ObservedStatefulSet,
} from "../vocabulary/observation";

/** The members that the last update deployed: what it asked for, as far as that is known. */
export type DeployedMembers = Partial<Record<Component, DeployedMember>>;

interface DeployedMember {
    /** Tag of the image. */
    version?: string;
    /** Whether the member was to run. */
    runs?: boolean;
    /** Whether members used TLS (`spec.tlsCluster`). */
    tls?: boolean;
    /** Set if the cluster was being restored (`spec.recoveryMode`). Default: it was not, or it is not known. */
    recovers?: true;
}

/** What is seen of the cluster: its members, and the id of its PD, which is noted once the cluster was healthy. */
export type SeenMembers = Pick<Observation, "members" | "pdClusterId">;

/** A tag that a member has run or may have run, and what shows it. */
export interface SeenVersion {
    tag: string;
    where: string;
    /** Whether a claim of an earlier cluster shows it: the cluster has nothing of the member yet. Default: false. */
    isLeftOver?: boolean;
    /** Whether the last update is all that shows it, which names no pod and no claim. Default: false. */
    isAskedFor?: boolean;
    /** Whether it was asked for, and no record of the claims says that it ran. Default: false. */
    isUnrecorded?: boolean;
}

/** What shows something about a member, from what there is. `undefined`: nothing. */
export interface Readers<T> {
    pod: (pod: ObservedPod) => T | undefined;
    statefulSet: (statefulSet: ObservedStatefulSet) => T | undefined;
    update: (before: DeployedMember) => T | undefined;
}

/**
 * Finds how a member may have run when it wrote its data: what its pods show. A pod whose own container has never started
 * does not count, because its image may not even exist; one of which that is not known counts, see `neverStarted`. If no pod
 * counts, the StatefulSet does, then the last update, but only if something may have run before: the cluster was healthy once, or the
 * member was suspended or has volumes without pods.
 */
export function seenOf<T>(
    member: ObservedMember | undefined,
    wasHealthy: boolean,
    before: DeployedMember | undefined,
    readers: Readers<T>,
): T[] {
    const { pods = [], claims = [], statefulSet } = member ?? {};
    const given = (value: T | undefined): T[] => (value === undefined ? [] : [value]);
    const isIdle = (pod: ObservedPod): boolean => neverStarted(pod, wasHealthy);
    const seen = pods.filter((pod) => !isIdle(pod)).flatMap((pod) => given(readers.pod(pod)));
    if (seen.length > 0) {
        return seen;
    }
    const hadPods = claims.length > 0 || statefulSet !== undefined || before?.runs === false;
    const mayHaveRun = pods.length > 0 ? !pods.every(isIdle) : hadPods;
    if (!wasHealthy && !mayHaveRun) {
        return [];
    }
    const ofTemplate = statefulSet === undefined ? [] : given(readers.statefulSet(statefulSet));
    return ofTemplate.length > 0 || before === undefined ? ofTemplate : given(readers.update(before));
}

/**
 * Finds the versions that may have written a member's data. Each ordinal's volumes count by themselves: a pod shows the
 * version if its container has started; otherwise what is recorded on the ordinal's claims counts. If no pod counts, the
 * StatefulSet or the last update counts too. If every claim has a record, the records say what ran: a version that was
 * only asked for is then marked as unrecorded.
 *
 * @param replicas how many pods the program asks for, as far as that is known.
 */
export function versionsOf(
    member: ObservedMember | undefined,
    wasHealthy: boolean,
    before: DeployedMember | undefined,
    replicas?: number,
): SeenVersion[] {
    const shown = (member?.pods ?? []).filter((pod) => pod.image !== undefined && !neverStarted(pod, wasHealthy));
    const hasRun = new Set(
        shown
            .filter(({ container }) => container.known || container.ranSince !== undefined)
            .map(({ ordinal }) => ordinal),
    );
    const claims = startedClaims(member, before, replicas);
    const recorded = claims
        .filter(({ ordinal }) => !hasRun.has(ordinal))
        .flatMap((claim) => versionOfClaim(claim, isLeftOver(member, before)));
    const seen = seenOf(member, wasHealthy, before, versionReaders);
    if (shown.length > 0) {
        return [...seen, ...recorded];
    }
    const records = claims.map(({ version }) => version);
    const isRecorded = ({ tag }: SeenVersion) =>
        records.length === 0 || records.some((one) => [undefined, tag].includes(one));
    return [...seen.map((one) => (isRecorded(one) ? one : { ...one, isUnrecorded: true })), ...recorded];
}

/** @returns whether nothing is there that a member runs in, or has its data on. */
export function hasNothing(member: ObservedMember | undefined): boolean {
    return isLeftOver(member, undefined) && keptClaims(member).length === 0;
}

/** @returns whether the member was there before, so that data of an earlier run may be there too. */
export function wasThere(
    member: ObservedMember | undefined,
    before: DeployedMember | undefined,
    replicas?: number,
): boolean {
    return !isLeftOver(member, before) || startedClaims(member, before, replicas).length > 0;
}

/**
 * Finds the claims on whose data the member would start, and of which nothing shows which version wrote them: a claim
 * without a record, of a member that neither pods nor the last update show.
 */
export function unknownClaims(
    member: ObservedMember | undefined,
    wasHealthy: boolean,
    before: DeployedMember | undefined,
    replicas?: number,
): ObservedClaim[] {
    const isShown = seenOf(member, wasHealthy, before, versionReaders).length > 0;
    return isShown ? [] : startedClaims(member, before, replicas).filter(({ version }) => version === undefined);
}

/** @returns whether the member's claims are all that there is: a cluster of the same name left them. */
export function isLeftOver(member: ObservedMember | undefined, before: DeployedMember | undefined): boolean {
    return before === undefined && member?.statefulSet === undefined && (member?.pods ?? []).length === 0;
}

/** Finds the claims on which pods start, or have started. A new member starts no pod on left claims of higher ordinals. */
export function startedClaims(
    member: ObservedMember | undefined,
    before: DeployedMember | undefined,
    replicas = Infinity,
): ObservedClaim[] {
    const kept = keptClaims(member);
    return isLeftOver(member, before) ? kept.filter(({ ordinal }) => ordinal < replicas) : kept;
}

const versionReaders: Readers<SeenVersion> = {
    pod: (pod) => ofImage(pod.image, `${pod.name} ${verbOf(pod)}`),
    statefulSet: ({ name, image }) => ofImage(image, `StatefulSet ${name} has`),
    update: ({ version }) =>
        version === undefined ? undefined : { tag: version, where: "the last update asked for", isAskedFor: true },
};

function ofImage(image: string | undefined, where: string): SeenVersion | undefined {
    return image === undefined ? undefined : { tag: imageTag(image), where };
}

/** A released claim is deleted before its ordinal comes back. */
function keptClaims(member: ObservedMember | undefined): ObservedClaim[] {
    return (member?.claims ?? []).filter(({ released, terminating }) => !released && !terminating);
}

function versionOfClaim({ name, version }: ObservedClaim, isOfEarlier: boolean): SeenVersion[] {
    return version === undefined
        ? []
        : [{ tag: version, where: `claim ${name} was last used by`, isLeftOver: isOfEarlier }];
}

/**
 * Whether the pod's own container has never started. Without the right to read nodes, what the pod reports suffices in a
 * cluster that was never healthy.
 */
function neverStarted({ container }: ObservedPod, wasHealthy: boolean): boolean {
    return container.known ? container.value.is === "not-started" : !wasHealthy && container.reported === "not-started";
}

/** @returns whether the pod's own container runs, in words. */
export function verbOf({ container }: ObservedPod): string {
    const isRunning = container.known && container.value.is === "running";
    return isRunning ? "runs" : container.known ? "has run" : "may run";
}
