/** PD's scheduler that moves leaders off stores. It runs, and has a key in PD's etcd, while there is such a store. */
export const evictLeaderScheduler = "evict-leader-scheduler";

/** The schedulers that PD 8.5.4 runs once it has loaded them. Before that, it lists none. */
export const defaultSchedulers: readonly string[] = [
    "balance-region-scheduler",
    "balance-leader-scheduler",
    "balance-hot-region-scheduler",
    "evict-slow-store-scheduler",
];

/**
 * The share of the regions that must be reported to PD's leader before it loads its schedulers (pd pkg/core,
 * `CollectFactor`).
 */
export const shareForSchedulers = 0.9;

/** The field of the list of each scheduler that evicts leaders without being asked to, as PD 8.5.6 names the stores. */
export const ownEvictionFields = {
    "evict-slow-store-scheduler": "evict-stores",
    "evict-slow-trend-scheduler": "evict-by-trend-stores",
    "evict-stopping-store-scheduler": "evicted-stores",
} as const;

/** A scheduler that evicts leaders without being asked to. */
export type OwnScheduler = keyof typeof ownEvictionFields;
