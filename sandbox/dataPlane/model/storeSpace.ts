import { isLowSpace } from "../facts/lowSpace";
import type { ClusterState, Store } from "./cluster";

/** The disks of stores, and which of them PD calls low on space. */

export const regionMebibytes = 96;
/** The size of each store's disk. */
export const diskBytes = 1024 ** 4;

/** How much of its disk the store's regions take. */
export function usedBytes({ regions }: Store): number {
    return regions * regionMebibytes * 1024 ** 2;
}

export function freeBytes({ faults }: ClusterState, store: Store): number {
    return faults.stores[store.pod]?.freeBytes ?? Math.max(0, diskBytes - usedBytes(store));
}

/** Whether PD moves regions to the store. */
export function takesRegions(state: ClusterState, store: Store): boolean {
    const disk = { capacity: diskBytes, available: freeBytes(state, store), regions: store.regions };
    return !isLowSpace(disk, Number(state.scheduleConfig["low-space-ratio"]));
}
