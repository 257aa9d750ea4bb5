import type { ConfigEffects } from "./configEffects";

const ofSchedule = [
    "max-merge-region-size",
    "max-merge-region-keys",
    "patrol-region-interval",
    "patrol-region-worker-count",
    "split-merge-interval",
    "max-snapshot-count",
    "max-pending-peer-count",
    "max-store-down-time",
    "max-movable-hot-peer-size",
    "leader-schedule-policy",
    "leader-schedule-limit",
    "region-schedule-limit",
    "replica-schedule-limit",
    "merge-schedule-limit",
    "hot-region-schedule-limit",
    "hot-region-cache-hits-threshold",
    "hot-regions-write-interval",
    "hot-regions-reserved-days",
    "high-space-ratio",
    "low-space-ratio",
    "tolerant-size-ratio",
    "region-score-formula-version",
    "scheduler-max-waiting-operator",
    "store-limit-version",
    "enable-remove-down-replica",
    "enable-replace-offline-replica",
    "enable-make-up-replica",
    "enable-remove-extra-replica",
    "enable-location-replacement",
    "enable-cross-table-merge",
    "enable-one-way-merge",
    "enable-debug-metrics",
    "enable-joint-consensus",
    "enable-heartbeat-concurrent-runner",
];

const ofReplication = [
    "max-replicas",
    "location-labels",
    "isolation-level",
    "strictly-match-label",
    "enable-placement-rules",
];

/**
 * PD stores the items that can be changed online in its etcd at its first start and reads them from there from then on.
 * Only `log.level` still follows the file.
 */
export const pdEffects: ConfigEffects = {
    sources: [
        "docs.pingcap.com/tidb/stable/dynamic-config, Modify PD configuration dynamically",
        "docs.pingcap.com/tidb-in-kubernetes/stable/modify-tidb-configuration, Modify PD configuration",
        "docs.pingcap.com/tidb/stable/pd-configuration-file",
    ],
    online: [{ keys: ["log.level"], how: "on PD's leader alone by SET CONFIG pd" }],
    setOnline: [
        {
            keys: [
                ...ofSchedule.map((key) => `schedule.${key}`),
                ...ofReplication.map((key) => `replication.${key}`),
                "pd-server.max-gap-reset-ts",
                "pd-server.flow-round-by-digit",
            ],
            on: "member",
        },
        // Each process has its own, which is not in etcd (tikv/pd server/server.go, `SetLogLevel`).
        { keys: ["log.level"], on: "pods" },
    ],
    bootstrap: [
        {
            keys: ["schedule.**", "replication.**", "pd-server.**", "replication-mode.**", "cluster-version"],
            instead:
                "if PD has such a setting, it has stored its own value since its first start; change it with SET CONFIG pd or pd-ctl",
        },
        {
            keys: ["initial-cluster", "initial-cluster-state", "initial-cluster-token", "join"],
            instead: "a member that has data takes its cluster from that data",
        },
    ],
};
