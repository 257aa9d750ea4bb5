/** PD's scheduler that moves leaders off stores. It runs while there is such a store, and has a key in PD's etcd then. */
export const evictLeaderScheduler = "evict-leader-scheduler";

/** The schedulers that PD 8.5.4 runs once it has loaded them. Before, it lists none. */
export const defaultSchedulers: readonly string[] = [
    "balance-region-scheduler",
    "balance-leader-scheduler",
    "balance-hot-region-scheduler",
    "evict-slow-store-scheduler",
];

/** Share of the regions that PD's leader must have heard of before it loads its schedulers (pd pkg/core, `CollectFactor`). */
export const shareForSchedulers = 0.9;
