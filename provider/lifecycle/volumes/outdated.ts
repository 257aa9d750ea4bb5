import { isSmaller } from "../vocabulary/claimState";
import { neverRan } from "../stages/stores";
import { type FixedClaim, outdatedIn, type OutdatedIn } from "../vocabulary/fixedFields";
import type { ObservedClaim, ObservedStatefulSet } from "../vocabulary/observation";
import { claimsOf, type PodView } from "../vocabulary/stage";
import { type WantedClaim, wantedClaims } from "./wantedClaims";

/**
 * Volumes that no change of their claims makes what the program wants: those of another class, and larger ones. What the program changes decides, not
 * what a claim is: one that a user enlarged, or restored from a snapshot with another class, stays.
 */

/** A claim whose volume is to be replaced. */
export interface OutdatedClaim extends WantedClaim {
    /** In what it differs from the program. */
    readonly parts: readonly OutdatedIn[];
}

/**
 * @returns the claims of a pod whose volumes are to be replaced: those that are marked, or will be before the StatefulSet gets the new templates. None
 * unless the program's templates and the claims' states are known.
 */
export function outdatedClaims(view: PodView): OutdatedClaim[] {
    return wantedClaims(view).flatMap(({ claim, wanted }) => {
        const changed = changeOf(view.member.statefulSet, wanted);
        const parts = outdatedIn.filter(
            (part) => (claim.outdated?.includes(part) || changed.includes(part)) && differs(claim, wanted, part),
        );
        return parts.length === 0 ? [] : [{ claim, wanted, parts }];
    });
}

/** @returns the claims of a pod that lack their mark, with what it is to say. */
export function unmarked(view: PodView): OutdatedClaim[] {
    return outdatedClaims(view).filter(
        ({ claim, parts }) => !claim.released && parts.some((part) => !claim.outdated?.includes(part)),
    );
}

/** @returns the claims with a mark that the program's templates do not ask for any more. */
export function falselyMarked(view: PodView): ObservedClaim[] {
    const outdated = new Set(outdatedClaims(view).map(({ claim }) => claim));
    return view.target.claims === undefined
        ? []
        : claimsOf(view).filter((claim) => claim.outdated && claim.state && !claim.terminating && !outdated.has(claim));
}

/** @returns the claims without a volume whose class or size is not the program's, of a pod whose process never ran: nothing is on them. */
export function emptyClaims(view: PodView): ObservedClaim[] {
    const isUnused = view.pod === undefined || neverRan(view);
    return wantedClaims(view).flatMap(({ claim, wanted }) => {
        const isUnbound = claim.state !== undefined && claim.state.phase === "Pending" && !claim.released;
        return isUnused && isUnbound && outdatedIn.some((part) => differs(claim, wanted, part)) ? [claim] : [];
    });
}

/** In what the program's template is not as the live one, so that a volume of the live one must be replaced. */
function changeOf(statefulSet: Pick<ObservedStatefulSet, "fixed"> | undefined, wanted: FixedClaim): OutdatedIn[] {
    const live = statefulSet?.fixed.claims.find(({ name }) => name === wanted.name);
    return live === undefined
        ? []
        : [
              ...(live.storageClass !== wanted.storageClass ? (["class"] as const) : []),
              ...(isSmaller(wanted.storage, live.storage) ? (["size"] as const) : []),
          ];
}

function differs({ state }: ObservedClaim, { storage, storageClass }: FixedClaim, part: OutdatedIn): boolean {
    return part === "class"
        ? state !== undefined && storageClass !== "" && state.storageClass !== storageClass
        : isSmaller(storage, state?.requested) || isSmaller(storage, state?.capacity);
}

/** @returns what changes of the pod's volumes, in words: `gp2 to gp3`. */
export function changeInWords(view: PodView): string {
    const changes = outdatedClaims(view).flatMap(({ claim: { state }, wanted, parts }) =>
        parts.map((part) =>
            part === "class"
                ? `${state?.storageClass || "no class"} to ${wanted.storageClass}`
                : `${state?.capacity ?? state?.requested} to ${wanted.storage}`,
        ),
    );
    return [...new Set(changes)].join(", ");
}
