import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Backup, BackupSchedule, Restore, TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

const cluster = new TidbCluster("basic", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
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

// A cluster that begins with a backup: `pulumi config set restoreFrom first`.
const restoreFrom = config.get("restoreFrom");
const restore =
    restoreFrom === undefined
        ? undefined
        : new Restore("restore", {
              cluster,
              spec: { s3: { ...bucket, prefix: restoreFrom } },
              attempt: config.getNumber("restoreAttempt"),
          });

// One full backup: `pulumi config set backupTo first`. Each backup has its own name and its own prefix.
const backupTo = config.get("backupTo");
const backup =
    backupTo === undefined
        ? undefined
        : new Backup(
              `backup-${backupTo}`,
              {
                  cluster,
                  spec: {
                      s3: { ...bucket, prefix: backupTo },
                      br: { rateLimit: 128, checksum: true },
                      resources: { requests: { cpu: "1", memory: "2Gi" } },
                  },
                  attempt: config.getNumber("backupAttempt"),
              },
              { dependsOn: restore ? [restore] : [] },
          );

// A backup each night, of which the newest are kept: `pulumi config set schedule "0 2 * * *"`.
const schedule = config.get("schedule");
const nightly =
    schedule === undefined
        ? undefined
        : new BackupSchedule("scheduled", {
              cluster,
              timeZone: config.get("timeZone"),
              spec: {
                  schedule,
                  maxBackups: config.getNumber("maxBackups") ?? 7,
                  pause: config.getBoolean("pause"),
                  backupTemplate: {
                      s3: { ...bucket, prefix: "scheduled" },
                      br: { rateLimit: 128 },
                      resources: { requests: { cpu: "1", memory: "2Gi" } },
                  },
              },
          });

export const host = cluster.sqlEndpoint;
export const backupUrl = backup?.url;
export const scheduleUrl = nightly?.url;
