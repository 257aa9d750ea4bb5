import type { Component } from "../../../topology/members";
import { claimName } from "../../../topology/podNames";
import { isSmaller } from "../vocabulary/claimState";
import type { FixedClaim, FixedFields } from "../vocabulary/fixedFields";
import type { ObservedClaim } from "../vocabulary/observation";

/** A refused change: Pulumi would have to delete and recreate the StatefulSet. */
export interface RefusedChange {
    /** The field of the member's spec. */
    field: string;
    reason: string;
}

/** The field of most members with their volumes. */
export const usualVolumesField = "storageVolumes";

/** The claims of a member. */
interface MemberClaims {
    readonly cluster: string;
    readonly component: Component;
    readonly claims: readonly ObservedClaim[];
}

/**
 * @param member whose volumes cannot shrink.
 * @param volumesField the field of the spec with the volumes.
 * @returns the refusal for the first field that cannot become the wanted one; `undefined` if all can. A larger volume is none: it grows.
 */
export function refusedChange(
    live: FixedFields,
    wanted: FixedFields,
    member: MemberClaims,
    volumesField = usualVolumesField,
): RefusedChange | undefined {
    for (const field of ["podManagementPolicy", "serviceName"] as const) {
        if (live[field] !== wanted[field]) {
            return refuse(field, wanted[field], live[field]);
        }
    }
    const names = (all: FixedClaim[]) => all.map((claim) => claim.name).join(", ") || "none";
    if (names(live.claims) !== names(wanted.claims)) {
        return refuse(volumesField, names(wanted.claims), names(live.claims));
    }
    for (const [index, claim] of wanted.claims.entries()) {
        const now = live.claims[index];
        if (claim.storageClass !== now.storageClass) {
            const word = (one: string) => one || "the default class";
            return refuse("storageClassName", word(claim.storageClass), word(now.storageClass), claim.name);
        }
        const larger = isSmaller(claim.storage, now.storage)
            ? member.claims.find((one) => isOf(one, claim, member) && !isKnownToFit(one, claim.storage))
            : undefined;
        if (larger !== undefined) {
            return shrinks(claim, now.storage, larger);
        }
    }
    return undefined;
}

/** One that a scale-in has released is not used again. */
function isOf(claim: ObservedClaim, template: FixedClaim, { cluster, component }: MemberClaims): boolean {
    const { name, ordinal, released, terminating } = claim;
    return name === claimName(template.name, cluster, component, ordinal) && !released && !terminating;
}

function isKnownToFit({ state }: ObservedClaim, size: string): boolean {
    const { requested, capacity } = state ?? {};
    return requested !== undefined && !isSmaller(size, requested) && !isSmaller(size, capacity);
}

function shrinks({ name, storage }: FixedClaim, live: string, { name: claim, state }: ObservedClaim): RefusedChange {
    const has = state?.capacity ?? state?.requested ?? "a size that is not known";
    return {
        field: "requests.storage",
        reason: `found ${storage} for volume ${name}, expected ${live} or more: ${claim} has ${has}, and Kubernetes does not shrink a volume. Next: put the size back`,
    };
}

function refuse(field: string, found: string, expected: string, volume?: string): RefusedChange {
    const of = volume === undefined ? "" : ` for volume ${volume}`;
    return {
        field,
        reason: `found ${found}${of}, expected ${expected}, as in the live StatefulSet: Kubernetes cannot change this field of a StatefulSet, and this version of pulumi-tidb makes volumes larger and nothing else. Next: put back what the live StatefulSet has. To change it all the same, where the member can do without its data (PD and TiKV cannot): take the member out of the program, run \`pulumi up\`, and put it in again with the new value`,
    };
}
