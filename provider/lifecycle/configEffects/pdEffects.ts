import type { ConfigEffects } from "./configEffects";

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
    online: [{ keys: ["log.level"], how: "by SET CONFIG pd" }],
    bootstrap: [
        {
            keys: ["schedule.**", "replication.**", "pd-server.**", "replication-mode.**", "cluster-version"],
            instead: "PD has stored its own value since its first start; change it with SET CONFIG pd or pd-ctl",
        },
        {
            keys: ["initial-cluster", "initial-cluster-state", "initial-cluster-token", "join"],
            instead: "a member that has data takes its cluster from that data",
        },
    ],
};
