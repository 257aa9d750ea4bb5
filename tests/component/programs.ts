import type { TidbClusterArgs } from "../../components/tidbClusterArgs";

/** 3 PD, 3 TiKV, 2 TiDB, as in `examples/basic`. */
export function basicSpec(): TidbClusterArgs["spec"] {
    return {
        version: "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
    };
}
