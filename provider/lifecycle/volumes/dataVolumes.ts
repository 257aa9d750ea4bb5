import type { Engine } from "../../../topology/members";
import { amountOf } from "../vocabulary/claimState";

/** The templates of the volumes whose size a store reports as its capacity: not those for logs. */
const dataTemplates: Readonly<Record<Engine, RegExp>> = { tikv: /^tikv$/, tiflash: /^data\d+$/ };

/** @returns whether the volumes of a claim template have a store's data. */
export function hasData(engine: Engine, template: string): boolean {
    return dataTemplates[engine].test(template);
}

/** @returns the sum of sizes in bytes; undefined if one of them is not known, or there is none. */
export function bytesOf(sizes: readonly (string | undefined)[]): number | undefined {
    const amounts = sizes.map(amountOf);
    const known = amounts.filter((amount) => amount !== undefined);
    return known.length === 0 || known.length < amounts.length
        ? undefined
        : Number(known.reduce((sum, amount) => sum + amount, 0n) / 1_000_000_000n);
}

/** A file system has less room than its volume, by less than this share. */
const fileSystemShare = 0.1;

/** @returns whether a store's disk, as it reports it, is another one than its volumes by more than a file system takes. */
export function isOtherDisk(storeBytes: number, volumeBytes: number): boolean {
    return Math.abs(volumeBytes - storeBytes) > fileSystemShare * volumeBytes;
}
