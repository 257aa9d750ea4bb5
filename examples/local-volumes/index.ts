import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { LocalVolumes, TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

// Each mount point in this folder of a node is one volume.
const disks = new LocalVolumes("local-disks", { classes: [{ name: "local-ssd", hostDir: "/mnt/local-ssd" }] });

const cluster = new TidbCluster(
    "local",
    {
        metadata: { namespace: namespace.metadata.name },
        spec: {
            version: config.get("version") ?? "v8.5.3",
            pd: { replicas: 3, requests: { storage: "10Gi" }, storageClassName: "local-ssd", config: {} },
            tikv: {
                replicas: config.getNumber("stores") ?? 3,
                requests: { storage: "500Gi" },
                storageClassName: "local-ssd",
                config: {},
            },
            tidb: { replicas: 2, service: { type: "ClusterIP" }, config: {} },
        },
    },
    { dependsOn: [disks] },
);

export const host = cluster.sqlEndpoint;
