import assert from "node:assert/strict";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import type { BrKind } from "../../../components/br/spec";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import type { LogStep } from "../../../provider/lifecycle/logBackup/target";

type Fields = Record<string, unknown>;

const s3 = { provider: "aws", region: "us-west-1", bucket: "backups", prefix: "log", secretName: "s3-secret" };
const s3Args = ["--storage=s3://backups/log", "--s3.region=us-west-1", "--s3.provider=aws"];
const pd = "--pd=basic-pd.db:2379";
const certificates = ["ca=ca.crt", "cert=tls.crt", "key=tls.key"].map((one) =>
    `--${one}`.replace("=", "=/var/lib/cluster-client-tls/"),
);
const gcs = { projectId: "p", bucket: "backups", prefix: "log", secretName: "gcs-secret" };
const azblob = { container: "backups", prefix: "log", storageAccount: "account", secretName: "azure-secret" };
const local = { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: "/nfs" }, prefix: "log" };
const br = { cluster: "basic" };
const minio = { ...s3, endpoint: "http://minio:9000", forcePathStyle: true };

/**
 * The arguments that the job program of tidb-operator v1.6.6 gives BR, read from its source: doStartLogBackup, doPauseLogBackup,
 * doResumeLogBackup, doStopLogBackup, doTruncateLogBackup and backupCommandTemplate in cmd/backup-manager/app/backup/backup.go; restoreData in
 * restore/restore.go; GenStorageArgsForFlag in pkg/backup/util/remote.go.
 */
const logs: [string, Fields, LogStep, Partial<BrCluster>, string[]][] = [
    ["start", { s3 }, "start", {}, ["log", "start", "--task-name=b1", pd, ...s3Args]],
    [
        "start from a TSO",
        { s3, commitTs: "400036290571534337" },
        "start",
        {},
        ["log", "start", "--task-name=b1", "--start-ts=400036290571534337", pd, ...s3Args],
    ],
    [
        "start from a date",
        { s3, commitTs: "2026-05-11 01:42:23+0800" },
        "start",
        {},
        ["log", "start", "--task-name=b1", "--start-ts=2026-05-11 01:42:23+0800", pd, ...s3Args],
    ],
    [
        "start with TLS",
        { s3 },
        "start",
        { tls: true },
        ["log", "start", "--task-name=b1", pd, ...certificates, ...s3Args],
    ],
    ["pause", { s3 }, "pause", {}, ["log", "pause", "--task-name=b1", pd, ...s3Args]],
    ["resume", { s3 }, "resume", {}, ["log", "resume", "--task-name=b1", pd, ...s3Args]],
    ["stop", { s3 }, "stop", {}, ["log", "stop", "--task-name=b1", pd, ...s3Args]],
    [
        "truncate",
        { s3, logTruncateUntil: "400036290571534337" },
        "truncate",
        {},
        ["log", "truncate", "--until=400036290571534337", pd, ...s3Args],
    ],
    ["start to GCS", { gcs }, "start", {}, ["log", "start", "--task-name=b1", pd, "--storage=gcs://backups/log/"]],
    [
        "start to Azure",
        { azblob },
        "start",
        {},
        ["log", "start", "--task-name=b1", pd, "--storage=azure://backups/log/?account-name=account"],
    ],
    ["start to a volume", { local }, "start", {}, ["log", "start", "--task-name=b1", pd, "--storage=local:///nfs/log"]],
    [
        "pause with settings of BR",
        {
            s3,
            br: {
                ...br,
                logLevel: "debug",
                statusAddr: "0.0.0.0:8080",
                sendCredToTikv: false,
                checkRequirements: false,
            },
        },
        "pause",
        {},
        [
            ...["log", "pause", "--task-name=b1", pd, "--log-level=debug", "--status-addr=0.0.0.0:8080"],
            ...["--send-credentials-to-tikv=false", ...s3Args, "--check-requirements=false"],
        ],
    ],
    [
        "start with options, which come last",
        { s3, br: { ...br, options: ["--gc-ttl=600"] } },
        "start",
        {},
        ["log", "start", "--task-name=b1", pd, ...s3Args, "--gc-ttl=600"],
    ],
];

const full = { s3: { ...s3, prefix: "full" } };
const points: [string, Fields, string[]][] = [
    [
        "a full backup and a log in S3",
        { s3, pitrFullBackupStorageProvider: full, pitrRestoredTs: "400036290571534337" },
        [pd, ...s3Args, "--restored-ts=400036290571534337", "--full-backup-storage=s3://backups/full"],
    ],
    [
        "a log alone",
        { s3, logRestoreStartTs: "400036290571534337", pitrRestoredTs: "2026-05-11 01:42:23+0800" },
        [pd, ...s3Args, "--restored-ts=2026-05-11 01:42:23+0800", "--start-ts=400036290571534337"],
    ],
    [
        "GCS",
        {
            gcs,
            pitrFullBackupStorageProvider: { gcs: { ...gcs, prefix: "full" } },
            pitrRestoredTs: "400036290571534337",
        },
        [
            ...[pd, "--storage=gcs://backups/log/", "--restored-ts=400036290571534337"],
            "--full-backup-storage=gcs://backups/full/",
        ],
    ],
    [
        "Azure",
        {
            azblob,
            pitrFullBackupStorageProvider: { azblob: { ...azblob, prefix: "full" } },
            pitrRestoredTs: "400036290571534337",
        },
        [
            ...[pd, "--storage=azure://backups/log/?account-name=account", "--restored-ts=400036290571534337"],
            "--full-backup-storage=azure://backups/full/?account-name=account",
        ],
    ],
    [
        "a volume",
        {
            local,
            pitrFullBackupStorageProvider: { local: { ...local, prefix: "full" } },
            pitrRestoredTs: "400036290571534337",
        },
        [
            ...[pd, "--storage=local:///nfs/log", "--restored-ts=400036290571534337"],
            "--full-backup-storage=local:///nfs/full",
        ],
    ],
    [
        "a filter, settings and options, which come before the time",
        {
            s3,
            pitrFullBackupStorageProvider: full,
            pitrRestoredTs: "400036290571534337",
            tableFilter: ["shop.*"],
            br: {
                ...br,
                concurrency: 64,
                checksum: false,
                rateLimit: 8,
                onLine: true,
                options: ["--pitr-concurrency=8"],
            },
        },
        [
            ...[pd, ...s3Args, "--filter", "shop.*", "--concurrency=64", "--checksum=false", "--ratelimit=8"],
            ...["--online=true", "--pitr-concurrency=8", "--restored-ts=400036290571534337"],
            "--full-backup-storage=s3://backups/full",
        ],
    ],
];

describe("BR's arguments for logs, beside tidb-operator's", () => {
    const basic: BrCluster = { name: "basic", namespace: "db", version: "v8.5.3", tls: false };
    const render = (kind: BrKind, spec: Fields, cluster: Partial<BrCluster> = {}) => {
        const manifest = { metadata: { name: "b1", namespace: "db" }, spec: { br, ...spec } };
        return renderBr(kind, checkBr(kind, manifest), { ...basic, ...cluster });
    };
    const argsOf = (job: KubernetesObject) =>
        (job.spec as { template: { spec: { containers: { args: string[] }[] } } }).template.spec.containers[0].args;

    for (const [what, spec, step, cluster, expected] of logs) {
        it(`are the same for a log backup: ${what}`, () => {
            const { log } = render("Backup", { backupMode: "log", ...spec }, cluster);
            assert.deepEqual([...log!.commands[step], ...argsOf(log!.job)], expected);
        });
    }

    for (const [what, spec, expected] of points) {
        it(`are the same for a point in time: ${what}`, () => {
            const { job } = render("Restore", { restoreMode: "pitr", ...spec });
            assert.deepEqual(argsOf(job), ["restore", "point", ...expected]);
        });
    }

    it("differ on purpose in the style of paths of the full backup, and in a time that is not given", () => {
        const fullAtMinio = { s3: { ...minio, prefix: "full" } };
        const { job } = render("Restore", {
            restoreMode: "pitr",
            s3: minio,
            pitrFullBackupStorageProvider: fullAtMinio,
        });
        assert.deepEqual(argsOf(job), [
            ...["restore", "point", pd, "--storage=s3://backups/log?force-path-style=true"],
            ...["--s3.region=us-west-1", "--s3.provider=aws", "--s3.endpoint=http://minio:9000"],
            "--full-backup-storage=s3://backups/full?force-path-style=true",
        ]);
    });
});
