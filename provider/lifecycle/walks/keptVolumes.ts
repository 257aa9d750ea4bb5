import { claimName } from "../../../topology/podNames";
import { type RefusedChange, usualVolumesField } from "../volumes/refusedChange";
import type { FixedFields } from "../vocabulary/fixedFields";
import { memberLifecycles } from "../members/memberLifecycles";
import { withReplacements } from "../failover/records";
import type { Observation, ObservedClaim, ObservedMember } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";

function keptClaims({ claims }: ObservedMember): ObservedClaim[] {
    return claims.filter((claim) => !claim.released && !claim.terminating);
}

function names(all: readonly { readonly name: string }[]): string {
    return all.map(({ name }) => name).join(", ");
}

/** @returns the refusal of fewer replicas than a StatefulSet that is to be recreated has pods or volumes for; `undefined` if there is none. */
export function refusedReplicas(
    observation: Pick<Observation, "cluster" | "members" | "records">,
    target: Pick<MemberTarget, "component" | "replicas">,
): RefusedChange | undefined {
    const { component, replicas } = target;
    const member = observation.members[component];
    if (member === undefined || member.statefulSet) {
        return undefined;
    }
    // Replacements of the dead come back with the rest: the program does not count them.
    const allowed = withReplacements(observation, target).replicas;
    const beyond = <T extends { readonly ordinal: number }>(all: readonly T[]): T[] =>
        all.filter(({ ordinal }) => ordinal >= allowed);
    const claims = memberLifecycles[component].inPd ? beyond(keptClaims(member)) : [];
    // The controller of the new StatefulSet takes pods over that an earlier one has left, and deletes those that are too many.
    const pods = beyond(member.pods.filter(({ terminating }) => !terminating));
    const leftOut = [...claims, ...pods];
    if (leftOut.length === 0) {
        return undefined;
    }
    const had = Math.max(...leftOut.map(({ ordinal }) => ordinal)) + 1 - (allowed - replicas);
    const [verb, whom] = pods.length === 1 ? ["exists", "it"] : ["exist", "them"];
    const why =
        claims.length > 0
            ? `${names(claims)} of an earlier one may hold data that PD relies on. Deploy ${had} replicas and scale in afterwards; or delete those claims if their data is no longer needed`
            : `${names(pods)} of an earlier one still ${verb}: a new StatefulSet would delete ${whom} at once, without a step. Deploy ${had} replicas and scale in afterwards`;
    return { field: "replicas", reason: `found ${replicas}, expected ${had}: there is no StatefulSet, and ${why}` };
}

/**
 * A StatefulSet that is recreated (its member was suspended, or someone deleted it) must find its earlier volumes: they
 * hold stores and members that PD still relies on.
 * @returns why it must not be created as specified; `undefined` if it may be.
 */
export function refusedForVolumes(
    observation: Observation,
    target: MemberTarget,
    wanted: FixedFields,
): RefusedChange | undefined {
    const { component } = target;
    const member = observation.members[component];
    const tooFew = refusedReplicas(observation, target);
    if (tooFew !== undefined || member === undefined || member.statefulSet) {
        return tooFew;
    }
    if (!memberLifecycles[component].inPd) {
        return undefined;
    }
    const kept = keptClaims(member);
    const templates = wanted.claims.map((claim) => claim.name);
    const unused = kept.filter(
        ({ name, ordinal }) =>
            !templates.some((template) => name === claimName(template, observation.cluster, component, ordinal)),
    );
    return unused.length === 0
        ? undefined
        : {
              field: memberLifecycles[component].volumesField ?? usualVolumesField,
              reason: `found ${templates.join(", ") || "none"}, but ${names(unused)} of an earlier StatefulSet may hold data that PD relies on, and no pod would use it. Restore the volume names; or delete those claims if their data is no longer needed`,
          };
}
