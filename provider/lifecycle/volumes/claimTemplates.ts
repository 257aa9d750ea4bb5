import { claimTemplate } from "../../../topology/claimTemplate";
import type { Component } from "../../../topology/members";
import { canonicalQuantity } from "../../../topology/quantity";
import type { ClaimTemplate, FixedClaim, StatefulSetManifest } from "../vocabulary/fixedFields";
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

/**
 * @param claims the templates that it gets, by name as the live one has them.
 * @returns what to create instead of the live StatefulSet, for new pods to get these volumes.
 */
export function remakeOf(
    { manifest, ...live }: ObservedStatefulSet & { readonly manifest: StatefulSetManifest },
    component: Component,
    claims: readonly FixedClaim[],
): RemakeRecord {
    const liveOf = new Map(manifest.spec.volumeClaimTemplates?.map((one) => [one.metadata.name, one]));
    const templates = claims.map((claim) => templateOf(claim, liveOf.get(claim.name)));
    return {
        component,
        uid: live.uid,
        becomes: { ...live, fixed: { ...live.fixed, claims: [...claims] } },
        manifest: { ...manifest, spec: { ...manifest.spec, volumeClaimTemplates: templates } },
    };
}

/** What Kubernetes has added to the live template stays. */
function templateOf({ name, storage, storageClass, attributesClass }: FixedClaim, live?: ClaimTemplate): ClaimTemplate {
    const classes = {
        ...(storageClass === "" ? {} : { storageClassName: storageClass }),
        ...(attributesClass === undefined ? {} : { volumeAttributesClassName: attributesClass }),
    };
    if (live === undefined) {
        return claimTemplate(name, storage, classes);
    }
    const resources = { ...live.spec.resources, requests: { ...live.spec.resources.requests, storage } };
    return { ...live, spec: { ...live.spec, ...classes, resources } };
}
