import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("source", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
        ticdc: {
            replicas: config.getNumber("captures") ?? 3,
            config: { "gc-ttl": 86400, newarch: config.getBoolean("newArchitecture") ?? false },
            configUpdateStrategy: "RollingUpdate",
            gracefulShutdownTimeout: config.get("gracefulShutdownTimeout") ?? "10m",
            storageVolumes: [{ name: "sort", storageSize: "50Gi", mountPath: "/var/lib/ticdc" }],
        },
    },
});

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
