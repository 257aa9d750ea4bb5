import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("proxied", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        // A stopping server finishes its transactions while TiProxy moves its connections to other servers.
        tidb: { replicas: 2, config: { "graceful-wait-before-shutdown": 15 }, terminationGracePeriodSeconds: 60 },
        tiproxy: {
            replicas: config.getNumber("proxies") ?? 2,
            version: "v1.3.0",
            requests: { cpu: config.get("proxyCpu") ?? "1" },
            // As TOML text, missing fields keep TiProxy's defaults. In a map they would become 0, as with TiDB
            // Operator.
            config: `log.level = "${config.get("proxyLogLevel") ?? "info"}"`,
        },
    },
});

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
