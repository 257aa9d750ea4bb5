import { isSmaller } from "../vocabulary/claimState";
import type { FixedClaim } from "../vocabulary/fixedFields";
import type { ObservedClaim, ObservedStatefulSet } from "../vocabulary/observation";
import { claimsOf, type PodView } from "../vocabulary/stage";
import { type WantedClaim, wantedClaims } from "./wantedClaims";

/**
 * Volumes that no change of their claims makes what the program wants: those of another class, and larger ones. What the program changes decides, not
 * what a claim is: one that a user enlarged, or restored from a snapshot with another class, stays.
 */

/**
 * @returns the claims of a pod whose volumes are to be replaced: those that are marked, or will be before the StatefulSet gets the new templates. None
 * unless the program's templates and the claims' states are known.
 */
export function outdatedClaims(view: PodView): WantedClaim[] {
    return wantedClaims(view).filter(
        ({ claim, wanted }) =>
            (claim.outdated === true || isReplaced(view.member.statefulSet, wanted)) && differs(claim, wanted),
    );
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
