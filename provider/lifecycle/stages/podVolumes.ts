import { claimName } from "../../../topology/podNames";
import type { FixedClaim } from "../vocabulary/fixedFields";
import type { Observation, ObservedStatefulSet } from "../vocabulary/observation";
import { claimsOf, type PodView } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";

/**
 * Volumes that the program adds, or takes out. Kubernetes changes no volume of a pod that runs, so each pod gets or loses them when it restarts. Once
 * the StatefulSet has one more, its controller stops at the lowest pod without it, and makes no pod above that one again
 * (kubernetes pkg/controller/statefulset/stateful_set_control.go).
 */

type Live = Pick<ObservedStatefulSet, "fixed"> | undefined;

const isIn = (claims: readonly FixedClaim[], { name }: FixedClaim) => claims.some((one) => one.name === name);

/** @returns the templates of the program that the live StatefulSet lacks. */
export function addedTemplates(live: Live, { claims = [] }: Pick<MemberTarget, "claims">): FixedClaim[] {
    return live === undefined ? [] : claims.filter((one) => !isIn(live.fixed.claims, one));
}

/** @returns the templates of the live StatefulSet that the program does not have; none unless the program's are known. */
export function droppedTemplates(live: Live, { claims }: Pick<MemberTarget, "claims">): FixedClaim[] {
    return claims === undefined ? [] : (live?.fixed.claims ?? []).filter((one) => !isIn(claims, one));
}

/**
 * @returns the observation with a StatefulSet that has all templates of the program. It keeps those that the program has dropped as long as its pod
 * template may mount them.
 */
export function withAddedTemplates(observation: Observation, target: MemberTarget): Observation {
    const member = observation.members[target.component];
    const { statefulSet } = member ?? {};
    if (member === undefined || statefulSet === undefined || addedTemplates(statefulSet, target).length === 0) {
        return observation;
    }
    const claims = [...(target.claims ?? []), ...droppedTemplates(statefulSet, target)];
    const made = { ...statefulSet, fixed: { ...statefulSet.fixed, claims } };
    return {
        ...observation,
        members: { ...observation.members, [target.component]: { ...member, statefulSet: made } },
    };
}

/** @returns the templates that the program and the StatefulSet have, and of which the pod has no volume. */
export function lackedVolumes({ pod, member, target }: PodView): readonly FixedClaim[] {
    const { volumes } = pod ?? {};
    const templates = member.statefulSet?.fixed.claims ?? [];
    return volumes === undefined || templates.every(({ name }) => volumes.includes(name))
        ? []
        : templates.filter((one) => !volumes.includes(one.name) && (!target.claims || isIn(target.claims, one)));
}

/** @returns the lowest of the pods that lacks a volume, above which Kubernetes makes no pod; undefined if none does. */
export function lowestLacking(views: readonly PodView[]): PodView | undefined {
    return views
        .filter((view) => lackedVolumes(view).length > 0)
        .reduce<PodView | undefined>((least, one) => (least && least.ordinal < one.ordinal ? least : one), undefined);
}

/** @returns which claims the pod gets with its restart, and which volumes it loses, in words; undefined if its volumes stay. */
export function volumeChangesInWords(view: PodView): string | undefined {
    const { observation, target, ordinal, pod, member } = view;
    const { component } = target;
    const there = claimsOf(view);
    const gets = lackedVolumes(view).map(({ name, storage, storageClass }) => {
        const claim = claimName(name, observation.cluster, component, ordinal);
        const kept = there.find((one) => one.name === claim && one.state?.phase === "Bound");
        const what = kept === undefined ? "" : ", with what is on it";
        return `gets claim ${claim} (${storage}${storageClass === "" ? "" : ` of ${storageClass}`}${what})`;
    });
    const loses = droppedTemplates(member.statefulSet, target)
        .filter(({ name }) => pod?.volumes?.includes(name))
        .map(({ name }) => `loses volume ${name}`);
    return [...gets, ...loses].join(", ") || undefined;
}
