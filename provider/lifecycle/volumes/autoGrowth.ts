import { topology } from "../../../topology/members";
import { canonicalQuantity } from "../../../topology/quantity";
import { isUp } from "../stages/stores";
import { bytesInWords } from "../vocabulary/bytesInWords";
import { amountOf, isSmaller, resizeInWords } from "../vocabulary/claimState";
import type { Notice } from "../vocabulary/notices";
import type { ObservedClaim } from "../vocabulary/observation";
import { claimsOf, type PodView } from "../vocabulary/stage";
import type { GrownBy, GrowthPolicy } from "../vocabulary/volumeGrowth";
import { bytesOf, hasData, isOtherDisk } from "./dataVolumes";
import { hasVolume } from "./wantedClaims";

/** Volumes that grow with their use (`operations.volumes`). Only of stores does PD tell how full their disks are; what it does not tell grows nothing. */

/** What `operations.volumes` means for a claim now. */
export type AutomaticGrowth =
    /** It gets a size. `due`: why, and by which size of the store's disk; without it the size is requested already. */
    | { readonly size: string; readonly due?: { readonly why: string; readonly storeBytes: number } }
    /** Its disk is full enough, and it does not grow. */
    | { readonly notice: Notice };

/** @returns what `operations.volumes` means for a claim; undefined if nothing, also where something about it is not known. */
export function automaticGrowth(claim: ObservedClaim, view: PodView): AutomaticGrowth | undefined {
    const { growth } = view.target;
    const { capacity, requested } = claim.state ?? {};
    if (growth === undefined || !hasVolume(claim) || !dataClaims(view).includes(claim)) {
        return undefined;
    }
    if (isSmaller(capacity, requested)) {
        return underWay(claim);
    }
    const disk = diskOf(view);
    const volumes = bytesOf(dataClaims(view).map(({ state }) => state?.capacity));
    if (capacity === undefined || requested === undefined || disk === undefined || volumes === undefined) {
        return undefined;
    }
    return disk.usedPercent < growth.growAt || view.member.claims.some(isFailing)
        ? undefined
        : grownFrom(claim, capacity, growth, { ...disk, volumes });
}

/** @returns the last growth of a claim, if it was an automatic one: the size that it requests is the recorded one. */
export function lastGrowth({ state }: ObservedClaim): GrownBy | undefined {
    const { grown, requested } = state ?? {};
    return grown !== undefined && amountOf(grown.to) === amountOf(requested) ? grown : undefined;
}

/** @returns such a growth in words: `grown by pulumi-tidb (operations.volumes) from 100Gi on 2026-11-30`. */
export function grownInWords({ from, at }: GrownBy): string {
    return `grown by pulumi-tidb (operations.volumes) from ${from} on ${at.slice(0, 10)}`;
}

/** @returns the claims of a store's data; none if the member has no stores. */
function dataClaims(view: PodView): ObservedClaim[] {
    const { engine } = topology[view.target.component];
    return claimsOf(view).filter(
        ({ name }) => engine !== undefined && hasData(engine, name.slice(0, -`-${view.podName}`.length)),
    );
}

/** A growth that another one has begun is left to it. */
function underWay(claim: ObservedClaim): AutomaticGrowth | undefined {
    const { requested = "", capacity, resize } = claim.state ?? {};
    if (lastGrowth(claim) === undefined) {
        return undefined;
    }
    const words = resize?.trouble === undefined ? "" : ` (${resize.trouble})`;
    return isFailing(claim)
        ? notGrown(
              `${claim.name} has ${capacity} of ${requested}: ${resizeInWords(resize)}${words}. Next: end what the driver says; Kubernetes tries again`,
          )
        : { size: requested };
}

/** Whether a driver has failed to give a claim what it requests. It is not asked for more volumes meanwhile. */
function isFailing({ released, terminating, state }: ObservedClaim): boolean {
    const { requested, capacity, resize } = state ?? {};
    const hasFailed = resize?.trouble !== undefined || resize?.isInfeasible === true;
    return !released && !terminating && isSmaller(capacity, requested) && hasFailed;
}

/** A store's disk, as PD reports it. */
interface Disk {
    readonly bytes: number;
    readonly usedPercent: number;
}

/** PD reports the disk of the last heartbeat, which for a store that is Up is a moment old. */
function diskOf({ store }: PodView): Disk | undefined {
    const { capacityBytes: bytes, availableBytes: free } = store ?? {};
    return isUp(store) && bytes && free !== undefined && free <= bytes
        ? { bytes, usedPercent: (100 * (bytes - free)) / bytes }
        : undefined;
}

/** @param disk a disk that is full enough. `volumes`: the size of the volumes that it is on. */
function grownFrom(
    claim: ObservedClaim,
    capacity: string,
    { growAt, by, max }: GrowthPolicy,
    { bytes, usedPercent, volumes }: Disk & { readonly volumes: number },
): AutomaticGrowth {
    const used = `used ${Math.floor(usedPercent)}% of ${bytesInWords(bytes)}`;
    if (isOtherDisk(bytes, volumes) || !isReported(lastGrowth(claim), bytes)) {
        return notGrown(
            `${claim.name} (${capacity}) does not grow: PD reports ${used}. Next: wait a minute if it has just grown; else its store has a limit, such as limits.storage, or another disk`,
        );
    }
    if (!isSmaller(capacity, max)) {
        const message = `${claim.name} has ${capacity}, and operations.volumes.max is ${max}: ${used}. Next: raise max, or add a store`;
        return { notice: { code: "volume-at-max", message } };
    }
    const { expands, state } = claim;
    return expands?.known === true && !expands.value
        ? notGrown(
              `${claim.name} (${capacity}): ${used}, but StorageClass ${state?.storageClass || "(none)"} does not allow expansion. Next: set allowVolumeExpansion if its driver can do it, or add a store`,
          )
        : { size: larger(capacity, by, max), due: { why: `${used}, growAt ${growAt}%`, storeBytes: bytes } };
}

/** Whether PD reports the larger file system: until it does, it shows the fullness of before. Sizes are rounded, so half of the growth will do. */
function isReported(grown: GrownBy | undefined, bytes: number): boolean {
    const [from = 0, to = 0] = [bytesOf([grown?.from]), bytesOf([grown?.to])];
    return grown === undefined || bytes >= grown.storeBytes + (to - from) / 2;
}

const gibibyte = 1_000_000_000n * 1024n ** 3n;

function larger(size: string, by: number, max: string): string {
    const hundredths = (amountOf(size) ?? 0n) * BigInt(100 + by);
    const step = 100n * gibibyte;
    const next = `${(hundredths + step - 1n) / step}Gi`;
    return String(canonicalQuantity(isSmaller(max, next) ? max : next));
}

function notGrown(message: string): AutomaticGrowth {
    return { notice: { code: "volume-not-grown", message } };
}
