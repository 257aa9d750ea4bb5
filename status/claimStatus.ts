import { isSmaller, resizeInWords } from "../provider/lifecycle/vocabulary/claimState";
import type { ObservedClaim } from "../provider/lifecycle/vocabulary/observation";
import { bytesOf, hasData, isOtherDisk } from "../provider/lifecycle/volumes/dataVolumes";
import { growsAtStart } from "../provider/lifecycle/volumes/sizedClaims";
import type { Engine } from "../topology/members";
import type { ClaimStatus, MemberStatus, StoreStatus } from "./clusterStatus";
import { countsInWords, countsOf } from "./listed";

/** Returns the claims of a pod. */
export function claimStatuses(claims: readonly ObservedClaim[], pod: string, ordinal: number): ClaimStatus[] {
    return claims
        .filter((claim) => claim.ordinal === ordinal)
        .map((claim) => ({
            name: claim.name,
            template: claim.name.slice(0, -`-${pod}`.length),
            size: claim.state?.capacity ?? null,
            requested: claim.state?.requested ?? null,
            storageClass: claim.state?.storageClass ?? "",
            growth: growthOf(claim, claims),
        }));
}

/** A driver may make a volume larger than was asked for. */
function growthOf(claim: ObservedClaim, claims: readonly ObservedClaim[]): ClaimStatus["growth"] {
    const { capacity, requested, resize } = claim.state ?? {};
    if (resize === undefined && !isSmaller(capacity, requested)) {
        return null;
    }
    const needsStart = growsAtStart(claim, { claims });
    return {
        stage: resize?.of ?? "not begun",
        words: needsStart ? "the file system grows when the pod starts" : resizeInWords(resize),
        since: resize?.since === undefined ? null : new Date(resize.since).toISOString(),
        trouble: resize?.trouble ?? null,
        isRefused: resize?.isInfeasible ?? false,
        needsStart,
    };
}

/** Returns how far a volume is from its size, without the driver's words; undefined if it has its size. Those of several pods are the same. */
export function growthWords({ template, size, requested, growth }: ClaimStatus): string | undefined {
    if (growth === null) {
        return undefined;
    }
    return `volume ${template} has ${size ?? "no size"} of ${requested ?? "an unknown size"}: ${growth.words}`;
}

/** Returns the size of the volumes with a store's data, in bytes; null if it is not known of each. */
export function dataBytes(engine: Engine, claims: readonly ClaimStatus[]): number | null {
    const data = claims.filter(({ template }) => hasData(engine, template));
    return bytesOf(data.map(({ size }) => size ?? undefined)) ?? null;
}

/** Returns whether a store's disk, as it reports it, is another one than its claims by more than a file system takes. */
export function differsFromClaims({ capacityBytes, claimBytes }: StoreStatus): boolean {
    return capacityBytes !== null && claimBytes !== null && isOtherDisk(capacityBytes, claimBytes);
}

/** Returns whether a store uses less than its claims have: larger ones would not give it more. */
export function isLimited(store: StoreStatus): boolean {
    return differsFromClaims(store) && (store.capacityBytes ?? 0) < (store.claimBytes ?? 0);
}

/** Returns the sizes of a member's volumes: `100Gi`, `100Gi ×2, 200Gi`, or `tikv 100Gi; tikv-wal 10Gi`. Empty if it has none. */
export function volumesWords({ pods }: Pick<MemberStatus, "pods">): string {
    const claims = pods.flatMap((pod) => pod.claims);
    const templates = [...new Set(claims.map(({ template }) => template))];
    return templates
        .map((template) => {
            const sizes = claims.filter((one) => one.template === template).map(({ size }) => size ?? "no volume yet");
            return `${templates.length === 1 ? "" : `${template} `}${countsInWords(countsOf(sizes))}`;
        })
        .join("; ");
}
