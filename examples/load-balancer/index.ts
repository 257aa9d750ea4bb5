import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("public", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: { replicas: 1, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: {
            replicas: 2,
            config: {},
            service: {
                type: "LoadBalancer",
                port: 3306,
                exposeStatus: false,
                externalTrafficPolicy: "Local",
                loadBalancerSourceRanges: [config.get("from") ?? "10.0.0.0/8"],
                annotations: { "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal" },
            },
        },
    },
});

export const host = cluster.sqlEndpoint;

// The first of TiDB's Services is the one for clients. The cloud assigns its addresses some time later.
export const addresses = cluster.members.tidb?.services[0].status.apply(
    (status) => status?.loadBalancer?.ingress?.map(({ hostname, ip }) => hostname ?? ip) ?? [],
);
