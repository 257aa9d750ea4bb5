import { claimName } from "../../../topology/podNames";
import { isSmaller } from "../vocabulary/claimState";
import type { FixedClaim } from "../vocabulary/fixedFields";
import type { ObservedClaim, ObservedStatefulSet } from "../vocabulary/observation";
import { claimsOf, type PodView } from "../vocabulary/stage";

/**
 * Volumes that no change of their claims makes what the program wants: those of another class, and larger ones. What the program changes decides, not
 * what a claim is: one that a user enlarged, or restored from a snapshot with another class, stays.
 */

/** A claim whose volume is replaced, and the template that the program has for it. */
export interface OutdatedClaim {
    readonly claim: ObservedClaim;
    readonly wanted: FixedClaim;
}

/**
 * @returns the claims of a pod whose volumes are to be replaced: those that are marked, or will be before the StatefulSet gets the new templates. None
 * unless the program's templates and the claims' states are known.
 */
export function outdatedClaims(view: PodView): OutdatedClaim[] {
    const { target, observation, ordinal, member } = view;
    const { claims = [], component } = target;
    const wantedOf = new Map(claims.map((one) => [claimName(one.name, observation.cluster, component, ordinal), one]));
    return claimsOf(view).flatMap((claim) => {
        const wanted = wantedOf.get(claim.name);
        const isChanged = claim.outdated === true || (wanted && isReplaced(member.statefulSet, wanted));
        return wanted !== undefined && isChanged && differs(claim, wanted) ? [{ claim, wanted }] : [];
    });
}

/** @returns the claims with a mark that the program's templates do not ask for any more. */
export function falselyMarked(view: PodView): ObservedClaim[] {
    const outdated = new Set(outdatedClaims(view).map(({ claim }) => claim));
    return view.target.claims === undefined
        ? []
        : claimsOf(view).filter((claim) => claim.outdated && claim.state && !claim.terminating && !outdated.has(claim));
}

/** Whether the program has another class for the template than the live StatefulSet, or a smaller size. */
function isReplaced(statefulSet: Pick<ObservedStatefulSet, "fixed"> | undefined, wanted: FixedClaim): boolean {
    const live = statefulSet?.fixed.claims.find(({ name }) => name === wanted.name);
    return live !== undefined && (live.storageClass !== wanted.storageClass || isSmaller(wanted.storage, live.storage));
}

function differs({ state }: ObservedClaim, { storage, storageClass }: FixedClaim): boolean {
    const hasOtherClass = state !== undefined && storageClass !== "" && state.storageClass !== storageClass;
    return hasOtherClass || isSmaller(storage, state?.requested) || isSmaller(storage, state?.capacity);
}

/** @returns what changes of the pod's volumes, in words: `gp2 to gp3`. */
export function changeInWords(view: PodView): string {
    const changes = outdatedClaims(view).map(({ claim: { state }, wanted }) =>
        wanted.storageClass !== "" && state?.storageClass !== wanted.storageClass
            ? `${state?.storageClass || "no class"} to ${wanted.storageClass}`
            : `${state?.capacity ?? state?.requested} to ${wanted.storage}`,
    );
    return [...new Set(changes)].join(", ");
}
