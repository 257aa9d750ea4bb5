import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("volumes", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: {
            replicas: 1,
            requests: { storage: "10Gi" },
            storageVolumes: [{ name: "log", storageSize: "5Gi", mountPath: "/var/log/pd" }],
            config: { log: { file: { filename: "/var/log/pd/pd.log" } } },
        },
        tikv: {
            replicas: 3,
            requests: { storage: "100Gi" },
            // The Raft log has a separate volume, so its many small writes do not wait for data writes.
            storageVolumes: [
                { name: "raft", storageSize: "20Gi", mountPath: "/var/lib/raft" },
                { name: "log", storageSize: "5Gi", mountPath: "/var/log/tikv" },
            ],
            config: {
                "raft-engine": { dir: "/var/lib/raft/engine" },
                log: { file: { filename: "/var/log/tikv/tikv.log" } },
            },
        },
        tidb: {
            replicas: 1,
            service: { type: "ClusterIP" },
            storageVolumes: [{ name: "slowlog", storageSize: "5Gi", mountPath: "/var/log/slow" }],
            slowLogVolumeName: "slowlog",
            config: {},
        },
    },
});

export const host = cluster.sqlEndpoint;
