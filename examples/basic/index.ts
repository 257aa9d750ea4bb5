import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
// `pulumi destroy` deletes this namespace, and with it the volumes. `{ retainOnDelete: true }` as its third argument keeps both.
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("basic", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tikv: {
            replicas: config.getNumber("tikvReplicas") ?? 3,
            requests: { storage: "100Gi" },
            config: { storage: { "reserve-space": config.get("tikvReserveSpace") ?? "2GB" } },
            configUpdateStrategy: "RollingUpdate",
        },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
    },
});

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
