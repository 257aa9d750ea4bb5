import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Backup, CompactBackup, Restore, TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("basic", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: { replicas: 1, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 1, config: {}, service: { type: "ClusterIP" } },
    },
});

const keys = new k8s.core.v1.Secret("s3-keys", {
    metadata: { name: "s3-keys", namespace: namespace.metadata.name },
    stringData: {
        access_key: config.requireSecret("accessKey"),
        secret_key: config.requireSecret("secretKey"),
    },
});
const bucket = {
    provider: config.get("provider") ?? "aws",
    region: config.get("region") ?? "us-east-1",
    endpoint: config.get("endpoint"),
    bucket: config.require("bucket"),
    secretName: keys.metadata.name,
};
const at = (prefix: string) => ({ s3: { ...bucket, prefix } });

// A cluster that begins with what another one held at a time: `pulumi config set restoreFrom monday`.
const restoreFrom = config.get("restoreFrom");
if (restoreFrom !== undefined) {
    new Restore("restore", {
        cluster,
        spec: {
            ...at("log"),
            restoreMode: "pitr",
            pitrFullBackupStorageProvider: at(restoreFrom),
            pitrRestoredTs: config.get("restoreUntil"),
        },
        attempt: config.getNumber("restoreAttempt"),
    });
}

// Every change, all the time: `pulumi config set log start`, and later `pause` or `stop`.
const log = config.get("log") as "start" | "pause" | "stop" | undefined;
const logBackup =
    log === undefined
        ? undefined
        : new Backup("log", {
              cluster,
              spec: {
                  ...at("log"),
                  backupMode: "log",
                  logSubcommand: `log-${log}`,
                  logTruncateUntil: config.get("truncateUntil"),
              },
              attempt: config.getNumber("logAttempt"),
          });

// A full backup, after the log has begun: `pulumi config set backupTo monday`. Each has its own name and its own prefix.
const backupTo = config.get("backupTo");
if (backupTo !== undefined) {
    new Backup(
        `backup-${backupTo}`,
        { cluster, spec: at(backupTo), attempt: config.getNumber("backupAttempt") },
        { dependsOn: logBackup ? [logBackup] : [] },
    );
}

// Files beside the log that BR restores faster, from v8.5.5 on: `pulumi config set compactUntil "2026-11-23 00:00:00+0000"`.
const compactUntil = config.get("compactUntil");
if (compactUntil !== undefined) {
    const startTs = config.get("compactFrom") ?? "2020-01-01 00:00:00Z";
    new CompactBackup("compaction", { cluster, spec: { ...at("log"), startTs, endTs: compactUntil } });
}

export const host = cluster.sqlEndpoint;
export const logUrl = logBackup?.url;
