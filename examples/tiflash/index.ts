import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("htap", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        configUpdateStrategy: "RollingUpdate",
        pd: { replicas: 1, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 1, config: {}, service: { type: "ClusterIP" } },
        tiflash: {
            replicas: config.getNumber("tiflashReplicas") ?? 2,
            // The first volume also holds the Raft log and the logs. If the volumes differ, make it the faster one.
            storageClaims: [
                { resources: { requests: { storage: "200Gi" } } },
                { resources: { requests: { storage: "200Gi" } } },
            ],
            config: { config: { logger: { level: config.get("tiflashLogLevel") ?? "info" } } },
        },
    },
});

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
