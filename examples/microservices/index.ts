import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("split", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {}, mode: "ms" },
        pdms: [
            { name: "tso", replicas: 2, requests: { cpu: config.get("tsoCpu") ?? "500m" } },
            { name: "scheduling", replicas: 2 },
        ],
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
    },
});

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
