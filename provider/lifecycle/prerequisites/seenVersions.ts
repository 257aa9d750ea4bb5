import { imageTag } from "../../../topology/imageVersion";
import type { Component } from "../../../topology/members";
import type { Observation, ObservedClaim, ObservedMember, ObservedPod } from "../vocabulary/observation";

/** The members that the last update deployed: the tag that it asked for, and whether it let them run, if that is known. */
export type DeployedVersions = Partial<Record<Component, { version?: string; runs?: boolean }>>;

/** What is seen of the cluster: its members, and the id of its PD, which is noted once the cluster was healthy. */
export type SeenVersions = Pick<Observation, "members" | "pdClusterId">;

/** A tag that a member has run or may have run, and what shows it. */
export interface SeenVersion {
    tag: string;
    where: string;
    /** Whether a claim of an earlier cluster shows it: the last update did not deploy the member. Default: false. */
    isLeftOver?: boolean;
}

/**
 * Finds the versions that may have written a member's data: those of its pods. A pod whose own container has never started
 * does not count, because its image may not even exist; one of which that is not known counts. If no pod counts, what is
 * recorded on the claims does, and beside it the StatefulSet, or else the last update, but only if something may have run
 * before: the cluster was healthy once, or the member was suspended or has volumes without pods.
 */
export function versionsOf(
    member: ObservedMember | undefined,
    wasHealthy: boolean,
    before: DeployedVersions[Component],
): SeenVersion[] {
    const { pods = [], claims = [] } = member ?? {};
    const seen = pods.flatMap((pod) => versionOfPod(pod));
    return seen.length > 0
        ? seen
        : [
              ...versionBefore(member, wasHealthy, before),
              ...claims.flatMap((claim) => versionOfClaim(claim, before === undefined)),
          ];
}

/** Finds the version that was to run last, if it may have run. */
function versionBefore(
    member: ObservedMember | undefined,
    wasHealthy: boolean,
    before: DeployedVersions[Component],
): SeenVersion[] {
    const { pods = [], claims = [], statefulSet } = member ?? {};
    const hadPods = claims.length > 0 || statefulSet !== undefined || before?.runs === false;
    const mayHaveRun = pods.length > 0 ? !pods.every(neverStarted) : hadPods;
    if (!wasHealthy && !mayHaveRun) {
        return [];
    }
    if (statefulSet?.image !== undefined) {
        return [{ tag: imageTag(statefulSet.image), where: `StatefulSet ${statefulSet.name} has` }];
    }
    return before?.version === undefined ? [] : [{ tag: before.version, where: "the last update asked for" }];
}

/** @returns whether the member was there before, so that data of an earlier run may be there too. */
export function wasThere(member: ObservedMember | undefined, before: DeployedVersions[Component]): boolean {
    return before !== undefined || (member?.pods ?? []).length > 0 || keptClaims(member).length > 0;
}

/**
 * Finds the claims on whose data the member would start, and of which nothing shows which version wrote them: a claim
 * without a record, of a member that neither pods nor the last update show.
 */
export function unknownClaims(
    member: ObservedMember | undefined,
    wasHealthy: boolean,
    before: DeployedVersions[Component],
): ObservedClaim[] {
    const isShown =
        (member?.pods ?? []).some((pod) => versionOfPod(pod).length > 0) ||
        versionBefore(member, wasHealthy, before).length > 0;
    return isShown ? [] : keptClaims(member).filter(({ version }) => version === undefined);
}

/** A released claim is deleted before its ordinal comes back. */
function keptClaims(member: ObservedMember | undefined): ObservedClaim[] {
    return (member?.claims ?? []).filter(({ released, terminating }) => !released && !terminating);
}

function versionOfClaim({ name, version, released, terminating }: ObservedClaim, isLeftOver: boolean): SeenVersion[] {
    return version === undefined || released || terminating
        ? []
        : [{ tag: version, where: `claim ${name} was last used by`, isLeftOver }];
}

function neverStarted({ container }: ObservedPod): boolean {
    return container.known && container.value.is === "not-started";
}

function versionOfPod(pod: ObservedPod): SeenVersion[] {
    const { name, image, container } = pod;
    if (image === undefined || neverStarted(pod)) {
        return [];
    }
    const isRunning = container.known && container.value.is === "running";
    const verb = isRunning ? "runs" : container.known ? "has run" : "may run";
    return [{ tag: imageTag(image), where: `${name} ${verb}` }];
}
