import { canonicalQuantity } from "../../../topology/quantity";
import type { FixedClaim, StatefulSetManifest } from "../vocabulary/fixedFields";
import type { ObservedStatefulSet } from "../vocabulary/observation";
import type { RemakeRecord } from "../vocabulary/operationRecords";
import type { MemberTarget } from "../vocabulary/target";

/** The sizes in the claim templates of a StatefulSet, which its new pods get. */

/** @returns the templates of the program whose size the live StatefulSet does not have. */
export function otherTemplates(
    statefulSet: Pick<ObservedStatefulSet, "fixed"> | undefined,
    { claims = [] }: Pick<MemberTarget, "claims">,
): FixedClaim[] {
    const sizeOf = new Map(statefulSet?.fixed.claims.map(({ name, storage }) => [name, storage]));
    return claims.filter(({ name, storage }) => {
        const live = sizeOf.get(name);
        return live !== undefined && canonicalQuantity(live) !== canonicalQuantity(storage);
    });
}

/** @returns what to create instead of the live StatefulSet, for new pods to get the sizes. */
export function remakeOf(
    { manifest, ...live }: ObservedStatefulSet & { readonly manifest: StatefulSetManifest },
    { component, claims = [] }: Pick<MemberTarget, "component" | "claims">,
): RemakeRecord {
    const sizeOf = new Map(claims.map(({ name, storage }) => [name, storage]));
    const { volumeClaimTemplates: templates = [] } = manifest.spec;
    const sized = templates.map((template) => {
        const { metadata, spec } = template;
        const { requests } = spec.resources;
        const storage = sizeOf.get(metadata.name) ?? requests.storage;
        return { ...template, spec: { ...spec, resources: { ...spec.resources, requests: { ...requests, storage } } } };
    });
    const fixed = live.fixed.claims.map((claim) => ({ ...claim, storage: sizeOf.get(claim.name) ?? claim.storage }));
    return {
        component,
        uid: live.uid,
        becomes: { ...live, fixed: { ...live.fixed, claims: fixed } },
        manifest: { ...manifest, spec: { ...manifest.spec, volumeClaimTemplates: sized } },
    };
}
