import type { Component } from "../../../topology/members";
import { claimName } from "../../../topology/podNames";
import { isSmaller } from "../vocabulary/claimState";
import { droppedTemplates } from "../stages/podVolumes";
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

/** The claims of a member, and what the program lets happen to their volumes. */
interface MemberClaims {
    readonly cluster: string;
    readonly component: Component;
    readonly claims: readonly ObservedClaim[];
    /** Whether volumes may be replaced (`spec.enablePVCReplace`). Default: they may. */
    readonly replacesVolumes?: false;
}

/**
 * @param member whose volumes are replaced where Kubernetes cannot change them.
 * @param volumesField the field of the spec with the volumes.
 * @returns the refusal for the first field that cannot become the wanted one; `undefined` if all can. A larger volume grows; one that is smaller, or of
 * another class, is replaced.
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
    const dropped = droppedTemplates({ fixed: live }, wanted).find(
        ({ name }) => !name.startsWith(`${member.component}-`),
    );
    if (dropped !== undefined) {
        const { name } = dropped;
        const reason = `found no volume ${name}, expected it: the data of each pod are on it. Next: put it back; a second cluster on the same PD can take its place`;
        return { field: volumesField, reason };
    }
    for (const claim of wanted.claims) {
        const now = live.claims.find(({ name }) => name === claim.name);
        if (now === undefined) {
            continue;
        }
        const refused =
            refusedAttributes(claim, now) ?? refusedClass(claim, now, member) ?? refusedSize(claim, now, member);
        if (refused !== undefined) {
            return refused;
        }
    }
    return undefined;
}

/** Without a name nothing shows which volumes have the default class already. */
function refusedClass(
    { name, storageClass }: FixedClaim,
    { storageClass: now }: FixedClaim,
    member: MemberClaims,
): RefusedChange | undefined {
    const field = "storageClassName";
    const was = now || "the default class";
    if (storageClass === now) {
        return undefined;
    }
    const why = noReplacement(member);
    if (why !== undefined) {
        return {
            field,
            reason: `found ${storageClass || "the default class"} for volume ${name}, expected ${was}: ${why}`,
        };
    }
    return storageClass === ""
        ? {
              field,
              reason: `found nothing for volume ${name}, expected a name: the volumes have ${was}. Next: name the class that they are to have`,
          }
        : undefined;
}

/** Kubernetes takes no class off a claim. */
function refusedAttributes(claim: FixedClaim, { attributesClass: now }: FixedClaim): RefusedChange | undefined {
    return claim.attributesClass === undefined && now !== undefined
        ? {
              field: "volumeAttributesClassName",
              reason: `found nothing for volume ${claim.name}, expected a name: the volumes have ${now}, and Kubernetes takes no VolumeAttributesClass off a claim. Next: name one with the parameters that they are to have`,
          }
        : undefined;
}

function refusedSize({ name, storage }: FixedClaim, now: FixedClaim, member: MemberClaims): RefusedChange | undefined {
    const larger = isSmaller(storage, now.storage)
        ? member.claims.find((one) => isOf(one, name, member) && !isKnownToFit(one, storage))
        : undefined;
    if (larger === undefined) {
        return undefined;
    }
    const why = noReplacement(member);
    const { requested, capacity = requested } = larger.state ?? {};
    const has = capacity ?? "a size that is not known";
    if (capacity !== undefined && why === undefined) {
        return undefined;
    }
    const next = why ?? "whether its volume is to be replaced is not known";
    return {
        field: "requests.storage",
        reason: `found ${storage} for volume ${name}, expected ${now.storage} or more: ${larger.name} has ${has}, Kubernetes does not shrink a volume, and ${next}`,
    };
}

/** @returns why the member's volumes are not replaced; undefined if they are. */
function noReplacement({ component, replacesVolumes }: MemberClaims): string | undefined {
    if (replacesVolumes === false) {
        return "spec.enablePVCReplace is false, so no volume is replaced. Next: put the value back, or take that field out";
    }
    return component === "pump"
        ? "a Pump's volume is not replaced, because its binlog is nowhere else. Next: put the value back, or take Pump out of the program, run `pulumi up`, and put it in again"
        : undefined;
}

/** One that a scale-in has released is not used again. */
function isOf(claim: ObservedClaim, template: string, { cluster, component }: MemberClaims): boolean {
    const { name, ordinal, released, terminating } = claim;
    return name === claimName(template, cluster, component, ordinal) && !released && !terminating;
}

function isKnownToFit({ state }: ObservedClaim, size: string): boolean {
    const { requested, capacity } = state ?? {};
    return requested !== undefined && !isSmaller(size, requested) && !isSmaller(size, capacity);
}

function refuse(field: string, found: string, expected: string): RefusedChange {
    return {
        field,
        reason: `found ${found}, expected ${expected}, as in the live StatefulSet: Kubernetes cannot change this field of a StatefulSet, and this version of pulumi-tidb cannot either. Next: put back what the live StatefulSet has. To change it all the same, where the member can do without its data (PD and TiKV cannot): take the member out of the program, run \`pulumi up\`, and put it in again with the new value`,
    };
}
