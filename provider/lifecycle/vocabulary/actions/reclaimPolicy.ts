import type { BoundVolume, ReclaimPolicy } from "../boundVolume";
import { counted } from "../counted";
import { known } from "../evidence";
import { foreseen, withClaims } from "./foreseen";
import { type KindsOf, namesOf, uidsOf } from "./actionKind";

/** A claim with the volume that is bound to it. */
export interface BoundClaim {
    readonly name: string;
    readonly uid: string;
    readonly volume: BoundVolume;
}

/** What decides what becomes of volumes once their claims are deleted. Nothing happens to their data now. */
export interface ReclaimAction {
    do: "set-reclaim-policy";
    policy: ReclaimPolicy;
    claims: readonly BoundClaim[];
}

/** The claims of more volumes are only counted. */
const mostInWords = 3;

export const reclaimActions: KindsOf<ReclaimAction> = {
    "set-reclaim-policy": {
        describe: ({ policy, claims }) =>
            `set reclaim policy ${policy} on ${counted(claims.length, "volume")}${claims.length > mostInWords ? "" : ` (${namesOf(claims)})`}`,
        on: ({ policy, claims }) => `${policy} ${uidsOf(claims)}`,
        // It deletes nothing: it counts once somebody deletes a claim, and the program says it.
        needsNoConsent: () => true,
        // Volumes are cluster-wide, and the cluster works with any policy.
        isOptional: true,
        perform: ({ policy, claims }, { kubernetes, eachTried }) =>
            eachTried(claims, ({ volume }) => kubernetes.setReclaimPolicy(volume, policy)),
        foresee: (seen, { policy, claims }) =>
            claims.reduce(
                (all, claim) =>
                    withClaims(all, [claim], (one) => [
                        { ...one, volume: known({ ...claim.volume, reclaimPolicy: policy }, foreseen, seen.now) },
                    ]),
                seen,
            ),
    },
};
