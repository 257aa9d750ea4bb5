import * as pulumi from "@pulumi/pulumi";
import type { TidbClusterManifest } from "pulumi-tidb";

const config = new pulumi.Config();

/** A cluster with TLS between its members, and between TiDB and SQL clients. */
export const cluster: TidbClusterManifest & { metadata: { namespace: string } } = {
    metadata: { name: "basic", namespace: config.get("namespace") ?? "tidb" },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        tlsCluster: { enabled: true },
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tikv: {
            replicas: config.getNumber("tikvReplicas") ?? 3,
            requests: { storage: "100Gi" },
            config: { storage: { "reserve-space": config.get("tikvReserveSpace") ?? "2GB" } },
            configUpdateStrategy: "RollingUpdate",
        },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" }, tlsClient: { enabled: true } },
    },
};
