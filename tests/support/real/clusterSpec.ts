import type { ClusterChange } from "../e2e/stack";

/** The version of the programs. */
export const version = process.env.PULUMI_TIDB_VERSION ?? "v8.5.8";

/** Returns a cluster of 3 PD, 4 TiKV and 2 TiDB whose every change restarts pods or is set online, with changes. */
export function realSpec(change: ClusterChange = {}): ClusterChange {
    const { tikv: { config: tikv, ...moreTikv } = {}, pd: { config: pd, ...morePd } = {} } = change;
    return {
        version,
        ...change,
        pd: { replicas: 3, config: { replication: { "max-replicas": 3 }, ...(pd as object) }, ...morePd },
        tikv: {
            replicas: 4,
            requests: { storage: "4Gi" },
            limits: { storage: "4Gi" },
            configUpdateStrategy: "RollingUpdate",
            config: tikvConfig(tikv as object),
            ...moreTikv,
        },
        tidb: { replicas: 2, ...change.tidb },
        operations: { timeouts: { podReadySeconds: 300 }, ...change.operations },
    };
}

function tikvConfig(more: object = {}): object {
    return {
        log: { level: "warn" },
        storage: { "reserve-space": "0MB", "block-cache": { capacity: "256MB" } },
        // Machines limit open files, and TiKV does not start without twice these numbers.
        rocksdb: { "max-open-files": 4096 },
        raftdb: { "max-open-files": 2048 },
        ...more,
    };
}
