import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const version = config.get("version") ?? "v8.5.3";
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const main = new TidbCluster("main", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version,
        pd: { replicas: 1, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 1, config: {}, service: { type: "ClusterIP" } },
    },
});

// This cluster has no PD. Its stores and servers join the PD of `main`, so it is deployed after `main`.
const analytics = new TidbCluster(
    "analytics",
    {
        metadata: { namespace: namespace.metadata.name },
        spec: {
            version,
            configUpdateStrategy: "RollingUpdate",
            cluster: { name: "main" },
            tikv: {
                replicas: config.getNumber("analyticsStores") ?? 2,
                requests: { cpu: "4", storage: "500Gi" },
                config: {
                    server: { labels: { pool: "analytics" } },
                    storage: { "reserve-space": config.get("reserveSpace") ?? "5GB" },
                },
                nodeSelector: config.getObject("analyticsNodes") ?? {},
            },
            tidb: { replicas: 1, config: {}, service: { type: "ClusterIP" } },
        },
    },
    { dependsOn: [main] },
);

export const host = main.sqlEndpoint;
export const analyticsHost = analytics.sqlEndpoint;
