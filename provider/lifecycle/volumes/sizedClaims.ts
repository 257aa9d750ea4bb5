import { isSmaller } from "../vocabulary/claimState";
import type { ObservedClaim } from "../vocabulary/observation";
import { claimsOf, type PodView } from "../vocabulary/stage";
import { outdatedClaims } from "./outdated";
import { automaticGrowth } from "./autoGrowth";
import { hasVolume, wantedClaims } from "./wantedClaims";

/** A pod's claim, and the size that it is to have. */
export interface SizedClaim {
    readonly claim: ObservedClaim;
    /** The larger one of the program's size and the one that `operations.volumes` gives it. */
    readonly wanted: string;
    /** Whether the program asks for it. A growth that only `operations.volumes` asks for fails nothing. */
    readonly isAsked: boolean;
    /** Why `operations.volumes` makes it grow now. Default: it does not. */
    readonly due?: { readonly why: string; readonly storeBytes: number };
}

/**
 * The claims of a pod that stay with it. One that is not Bound has no volume to enlarge: Kubernetes refuses to change its size.
 * @returns none unless the wanted sizes and the claims' states are known.
 */
export function sizedClaims(view: PodView): SizedClaim[] {
    const wantedOf = new Map(wantedClaims(view).map(({ claim, wanted }) => [claim, wanted.storage]));
    const replaced = new Set(outdatedClaims(view).map(({ claim }) => claim));
    return claimsOf(view).flatMap((claim) => {
        if (!hasVolume(claim) || replaced.has(claim)) {
            return [];
        }
        const programs = wantedOf.get(claim);
        const growth = automaticGrowth(claim, view);
        const { capacity, requested } = claim.state ?? {};
        const isAsked = isSmaller(capacity, programs) || isSmaller(requested, programs);
        const { size = programs, due } = growth !== undefined && "size" in growth ? growth : {};
        const wanted = isSmaller(size, programs) ? programs : size;
        return wanted === undefined ? [] : [{ claim, wanted, isAsked, ...(due ? { due } : {}) }];
    });
}

/**
 * @returns the claims that request less than the program wants; and those that request more, which their driver has not given them, as
 * Kubernetes lets a claim request less again that is still more than its volume has (`RecoverVolumeExpansionFailure`).
 */
export function smallClaims(view: PodView): SizedClaim[] {
    return sizedClaims(view).filter(({ claim: { state }, wanted }) => {
        const { requested, capacity, resize } = state ?? {};
        const hasFailed = resize?.isInfeasible === true || resize?.trouble !== undefined;
        const isTooMuch = isSmaller(wanted, requested) && isSmaller(capacity, wanted) && hasFailed;
        return isSmaller(requested, wanted) || isTooMuch;
    });
}

/** @returns the claims that request enough, and whose volumes have not grown yet. */
export function growingClaims(view: PodView): SizedClaim[] {
    const small = new Set(smallClaims(view).map(({ claim }) => claim));
    return sizedClaims(view).filter(
        ({ claim, wanted }) => !small.has(claim) && isSmaller(claim.state?.capacity, wanted),
    );
}

/** A node enlarges a file system that is in use within seconds; some drivers only do it when the pod starts. */
const fileSystemMilliseconds = 120_000;

/**
 * A driver that enlarges no mounted file system has failed by then (`NodeResizeError`), and a failure of the disk's growth stays in the claim until
 * the end: neither says that a new pod does not help.
 * @returns whether the file system of the claim, or of another one of the member and its class, has waited for so long that only a new pod is known to enlarge it.
 */
export function growsAtStart(claim: ObservedClaim, { claims }: { readonly claims: readonly ObservedClaim[] }): boolean {
    const isOfClass = ({ state }: ObservedClaim) => state?.storageClass === claim.state?.storageClass;
    return waits(claim) && claims.some((one) => isOfClass(one) && waits(one, fileSystemMilliseconds));
}

function waits({ state }: ObservedClaim, least = 0): boolean {
    const { of, waited = 0, isInfeasible = false } = state?.resize ?? {};
    return of === "file-system" && !isInfeasible && waited >= least;
}

/** @returns the claims whose file system is still to be enlarged, by the node or by a new pod. */
export function waitingFileSystems(view: PodView): ObservedClaim[] {
    return claimsOf(view).filter((claim) => waits(claim));
}

/** @returns whether the pod must start again for its volume to grow. Once it has, it is waited for. */
export function mustStartForVolume(view: PodView): boolean {
    const { pod, member } = view;
    return (
        pod !== undefined &&
        claimsOf(view).some((claim) => growsAtStart(claim, member) && pod.createdAt < (claim.state?.resize?.since ?? 0))
    );
}
