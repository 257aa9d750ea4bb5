import { claimName } from "../../../topology/podNames";
import type { FixedClaim } from "../vocabulary/fixedFields";
import type { ObservedClaim } from "../vocabulary/observation";
import { claimsOf, type PodView } from "../vocabulary/stage";

/** A pod's claim, and the template that the program has for it. */
export interface WantedClaim {
    readonly claim: ObservedClaim;
    readonly wanted: FixedClaim;
}

/** @returns the pod's claims with their templates; none unless the program's templates are known. */
export function wantedClaims(view: PodView): WantedClaim[] {
    const { target, observation, ordinal } = view;
    const { claims = [], component } = target;
    const wantedOf = new Map(claims.map((one) => [claimName(one.name, observation.cluster, component, ordinal), one]));
    return claimsOf(view).flatMap((claim) => {
        const wanted = wantedOf.get(claim.name);
        return wanted === undefined ? [] : [{ claim, wanted }];
    });
}

/** @returns whether the claim has a volume, and keeps it. */
export function hasVolume({ released, terminating, state }: ObservedClaim): boolean {
    return !released && !terminating && state?.phase === "Bound";
}
