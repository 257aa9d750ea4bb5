import type { ConfigEffects } from "./configEffects";

/** The two RocksDB instances. Each item exists under both names. */
const databases = ["rocksdb", "raftdb"];

const ofDatabase = [
    "max-total-wal-size",
    "max-background-jobs",
    "max-background-flushes",
    "max-open-files",
    "compaction-readahead-size",
    "bytes-per-sync",
    "wal-bytes-per-sync",
    "writable-file-max-buffer-size",
    "rate-bytes-per-sec",
];

const ofColumnFamily = [
    "block-cache-size",
    "write-buffer-size",
    "max-write-buffer-number",
    "max-bytes-for-level-base",
    "target-file-size-base",
    "level0-file-num-compaction-trigger",
    "level0-slowdown-writes-trigger",
    "level0-stop-writes-trigger",
    "max-compaction-bytes",
    "max-bytes-for-level-multiplier",
    "disable-auto-compactions",
    "soft-pending-compaction-bytes-limit",
    "hard-pending-compaction-bytes-limit",
    "titan.blob-run-mode",
];

const ofRaftstore = [
    "raft-max-inflight-msgs",
    "raft-log-gc-tick-interval",
    "raft-log-gc-threshold",
    "raft-log-gc-count-limit",
    "raft-log-gc-size-limit",
    "raft-max-size-per-msg",
    "raft-entry-max-size",
    "raft-entry-cache-life-time",
    "max-apply-unpersisted-log-limit",
    "split-region-check-tick-interval",
    "region-split-check-diff",
    "region-compact-check-interval",
    "region-compact-check-step",
    "region-compact-min-tombstones",
    "region-compact-tombstones-percent",
    "pd-heartbeat-tick-interval",
    "pd-store-heartbeat-tick-interval",
    "snap-mgr-gc-tick-interval",
    "snap-gc-timeout",
    "lock-cf-compact-interval",
    "lock-cf-compact-bytes-threshold",
    "messages-per-tick",
    "max-peer-down-duration",
    "max-leader-missing-duration",
    "abnormal-leader-missing-duration",
    "peer-stale-state-check-interval",
    "consistency-check-interval",
    "raft-store-max-leader-lease",
    "merge-check-tick-interval",
    "cleanup-import-sst-interval",
    "local-read-batch-size",
    "apply-yield-write-size",
    "hibernate-timeout",
    "apply-pool-size",
    "store-pool-size",
    "apply-max-batch-size",
    "store-max-batch-size",
    "store-io-pool-size",
    "periodic-full-compact-start-max-cpu",
];

/** What TiKV takes over from `POST /config` on its status port, as TiDB's `SET CONFIG tikv` uses it. */
const onlineKeys = [
    "log.level",
    ...ofRaftstore.map((key) => `raftstore.${key}`),
    "readpool.unified.max-thread-count",
    "readpool.unified.max-tasks-per-worker",
    "readpool.unified.auto-adjust-pool-size",
    "coprocessor.split-region-on-table",
    "coprocessor.batch-split-limit",
    "coprocessor.region-max-size",
    "coprocessor.region-split-size",
    "coprocessor.region-max-keys",
    "coprocessor.region-split-keys",
    "pessimistic-txn.wait-for-lock-timeout",
    "pessimistic-txn.wake-up-delay-duration",
    "pessimistic-txn.pipelined",
    "gc.ratio-threshold",
    "gc.batch-keys",
    "gc.max-write-bytes-per-sec",
    "gc.enable-compaction-filter",
    "gc.compaction-filter-skip-version-check",
    ...databases.flatMap((database) => ofDatabase.map((key) => `${database}.${key}`)),
    ...databases.flatMap((database) => ofColumnFamily.map((key) => `${database}.*.${key}`)),
    "storage.block-cache.capacity",
    "backup.num-threads",
    "split.qps-threshold",
    "split.split-balance-score",
    "split.split-contained-score",
];

export const tikvEffects: ConfigEffects = {
    sources: [
        "docs.pingcap.com/tidb/stable/dynamic-config, Modify TiKV configuration dynamically",
        "docs.pingcap.com/tidb/stable/tikv-configuration-file, storage",
    ],
    online: [{ how: "by SET CONFIG tikv", keys: onlineKeys }],
    setOnline: [{ keys: onlineKeys, on: "pods" }],
    bootstrap: [
        {
            keys: ["storage.api-version"],
            instead:
                "stores that hold data other than TiDB's refuse to start with another value, which needs a new cluster, and RawKV backup and restore of the data",
            isRefused: true,
        },
        {
            keys: ["storage.enable-ttl"],
            instead:
                "stores that have data refuse to start with another value, which needs a new cluster, to which the data is moved",
            isRefused: true,
        },
        {
            keys: ["storage.engine"],
            instead:
                "a store keeps the engine that it was created with; another one needs a new cluster, to which the data is moved",
        },
    ],
};
