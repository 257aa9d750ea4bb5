import { isLowSpace } from "../facts/lowSpace";
import type { ClusterState, Store } from "./cluster";

/** The disks of stores, and which of them PD calls low on space. */

export const regionMebibytes = 96;
/** The size of a store's disk, where no fault gives it another one. */
const usualDiskBytes = 1024 ** 4;

/** The size of the store's disk. */
export function diskBytes({ faults }: ClusterState, { pod }: Store): number {
    return faults.stores[pod]?.diskBytes ?? usualDiskBytes;
}

/** How much of its disk the store's regions take. */
export function usedBytes({ regions }: Store): number {
    return regions * regionMebibytes * 1024 ** 2;
}

export function freeBytes(state: ClusterState, store: Store): number {
    return state.faults.stores[store.pod]?.freeBytes ?? Math.max(0, diskBytes(state, store) - usedBytes(store));
}

/** Whether PD moves regions to the store. */
export function takesRegions(state: ClusterState, store: Store): boolean {
    const disk = { capacity: diskBytes(state, store), available: freeBytes(state, store), regions: store.regions };
    return !isLowSpace(disk, Number(state.scheduleConfig["low-space-ratio"]));
}
