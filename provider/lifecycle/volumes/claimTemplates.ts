import { canonicalQuantity } from "../../../topology/quantity";
import type { FixedClaim, StatefulSetManifest } from "../vocabulary/fixedFields";
import type { ObservedStatefulSet } from "../vocabulary/observation";
import type { RemakeRecord } from "../vocabulary/operationRecords";
import type { MemberTarget } from "../vocabulary/target";

/** The sizes and classes in the claim templates of a StatefulSet, which its new pods get. */

/** @returns the templates of the program whose size or classes the live StatefulSet does not have. */
export function otherTemplates(
    statefulSet: Pick<ObservedStatefulSet, "fixed"> | undefined,
    { claims = [] }: Pick<MemberTarget, "claims">,
): FixedClaim[] {
    const liveOf = new Map(statefulSet?.fixed.claims.map((one) => [one.name, one]));
    return claims.filter(({ name, storage, storageClass, attributesClass }) => {
        const live = liveOf.get(name);
        const isSame = live?.storageClass === storageClass && live.attributesClass === attributesClass;
        return live !== undefined && !(isSame && isSameSize(live.storage, storage));
    });
}

function isSameSize(one: string, other: string): boolean {
    return canonicalQuantity(one) === canonicalQuantity(other);
}

/** @returns what to create instead of the live StatefulSet, for new pods to get the sizes and classes. */
export function remakeOf(
    { manifest, ...live }: ObservedStatefulSet & { readonly manifest: StatefulSetManifest },
    { component, claims = [] }: Pick<MemberTarget, "component" | "claims">,
): RemakeRecord {
    const wantedOf = new Map(claims.map((one) => [one.name, one]));
    const { volumeClaimTemplates: templates = [] } = manifest.spec;
    const sized = templates.map((template) => {
        const { metadata, spec } = template;
        const { requests } = spec.resources;
        const wanted = wantedOf.get(metadata.name);
        const storage = wanted?.storage ?? requests.storage;
        const { storageClass: storageClassName = "", attributesClass: volumeAttributesClassName } = wanted ?? {};
        const named = {
            ...(storageClassName === "" ? {} : { storageClassName }),
            ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
        };
        const resources = { ...spec.resources, requests: { ...requests, storage } };
        return { ...template, spec: { ...spec, ...named, resources } };
    });
    const fixed = live.fixed.claims.map((claim) => ({ ...claim, ...wantedOf.get(claim.name) }));
    return {
        component,
        uid: live.uid,
        becomes: { ...live, fixed: { ...live.fixed, claims: fixed } },
        manifest: { ...manifest, spec: { ...manifest.spec, volumeClaimTemplates: sized } },
    };
}
