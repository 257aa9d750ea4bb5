import assert from "node:assert/strict";
import type { BrCluster } from "../../../components/br/brCluster";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import type { BrKind } from "../../../components/br/spec";
import { refusedFields } from "../../support/refusedFields";

const br = { cluster: "basic" };
const s3 = { provider: "minio", endpoint: "http://minio:9000", bucket: "backups", prefix: "log", secretName: "keys" };
const full = { s3: { ...s3, prefix: "full" } };
const basic: BrCluster = { name: "basic", namespace: "db", version: "v8.5.3", tls: false };

type Fields = Record<string, unknown>;
const manifest = (spec: Fields) => ({ metadata: { name: "b1", namespace: "db" }, spec: { br, s3, ...spec } });
const log = (spec: Fields = {}) => ({ backupMode: "log", ...spec });
const point = (spec: Fields = {}) => ({ restoreMode: "pitr", pitrFullBackupStorageProvider: full, ...spec });

const problems = (kind: BrKind, spec: Fields) => refusedFields(() => checkBr(kind, manifest(spec)));

describe("a log backup or a restore to a point in time that is refused", () => {
    for (const [what, kind, spec, expected] of [
        ["a command for a log without a log", "Backup", { logSubcommand: "log-stop" }, "spec.logSubcommand"],
        ["a log to be stopped without a log", "Backup", { logStop: true }, "spec.logStop"],
        [
            "a log to be truncated without a log",
            "Backup",
            { logTruncateUntil: "400036290571534337" },
            "spec.logTruncateUntil",
        ],
        [
            "two words for its state, as the operator refuses it",
            "Backup",
            log({ logSubcommand: "log-start", logStop: false }),
            "spec.logStop",
        ],
        [
            "a command that only the operator itself gives",
            "Backup",
            log({ logSubcommand: "log-truncate" }),
            "spec.logSubcommand",
        ],
        ["tables", "Backup", log({ tableFilter: ["shop.*"] }), "spec.tableFilter"],
        ["a database", "Backup", log({ backupType: "db", br: { ...br, db: "shop" } }), "spec.backupType"],
        ["a flag that `br log` does not take", "Backup", log({ br: { ...br, concurrency: 4 } }), "spec.br.concurrency"],
        [
            "a time without its zone, which BR refuses",
            "Backup",
            log({ commitTs: "2026-05-11 01:42:23" }),
            "spec.commitTs",
        ],
        ["seconds since 1970 for a TSO", "Backup", log({ logTruncateUntil: "1767225600" }), "spec.logTruncateUntil"],
        [
            "a point in time without its mode",
            "Restore",
            { pitrRestoredTs: "400036290571534337" },
            "spec.pitrRestoredTs",
        ],
        ["nowhere to begin", "Restore", { restoreMode: "pitr" }, "spec.pitrFullBackupStorageProvider"],
        [
            "two beginnings",
            "Restore",
            point({ logRestoreStartTs: "400036290571534337" }),
            "spec.pitrFullBackupStorageProvider",
        ],
        [
            "an end before its beginning",
            "Restore",
            point({
                pitrFullBackupStorageProvider: undefined,
                logRestoreStartTs: "2026-05-11T01:42:23Z",
                pitrRestoredTs: "2026-05-11 01:42:23+0800",
            }),
            "spec.pitrRestoredTs",
        ],
        [
            "a full backup in another kind of storage",
            "Restore",
            point({ pitrFullBackupStorageProvider: { gcs: { projectId: "p", bucket: "b" } } }),
            "spec.pitrFullBackupStorageProvider",
        ],
        [
            "a full backup at another endpoint, which BR would not be told",
            "Restore",
            point({ pitrFullBackupStorageProvider: { s3: { ...s3, prefix: "full", endpoint: "http://other:9000" } } }),
            "spec.pitrFullBackupStorageProvider.s3.endpoint",
        ],
        [
            "a full backup with another key",
            "Restore",
            point({ pitrFullBackupStorageProvider: { s3: { ...s3, prefix: "full", secretName: undefined } } }),
            "spec.pitrFullBackupStorageProvider.s3.secretName",
        ],
        [
            "the log for the full backup",
            "Restore",
            point({ pitrFullBackupStorageProvider: { s3 } }),
            "spec.pitrFullBackupStorageProvider.s3.prefix",
        ],
        [
            "a full backup that leaves the bucket's part",
            "Restore",
            point({ pitrFullBackupStorageProvider: { s3: { ...s3, prefix: "a/../b" } } }),
            "spec.pitrFullBackupStorageProvider.s3.prefix",
        ],
        [
            "a database, which `br restore point` does not take",
            "Restore",
            point({ backupType: "db", br: { ...br, db: "shop" } }),
            "spec.backupType",
        ],
    ] as [string, BrKind, Fields, string][]) {
        it(`has ${what}`, () => {
            assert.deepEqual(problems(kind, spec), [expected]);
        });
    }

    for (const [kind, whole, refused, taken] of [
        [
            "Backup",
            log(),
            [
                "--task-name=other",
                "--storage=s3://b/x",
                "-s=s3://b/x",
                "--pd=other:2379",
                "-u",
                "--until=1",
                "--start-ts=1",
            ],
            ["--gc-ttl=600", "--pd-concurrency=1", "--storage-x"],
        ],
        [
            "Restore",
            point(),
            ["--restored-ts=1", "--start-ts", "--full-backup-storage=s3://b/x", "--storage=s3://b/x", "-uother:2379"],
            ["--pitr-concurrency=8", "--pd-concurrency=1"],
        ],
    ] as [BrKind, Fields, string[], string[]][]) {
        it(`has arguments in a ${kind} that make something else of it than its fields say`, () => {
            for (const option of refused) {
                const options = ["--x", option];
                assert.deepEqual(problems(kind, { ...whole, br: { ...br, options } }), ["spec.br.options[1]"]);
            }
            assert.deepEqual(problems(kind, { ...whole, br: { ...br, options: taken } }), []);
        });
    }

    it("is of a cluster before v6.1.0", () => {
        const fieldsOf = (spec: Fields, version: string) =>
            refusedFields(() => renderBr("Backup", checkBr("Backup", manifest(spec)), { ...basic, version }));
        assert.deepEqual(fieldsOf(log(), "v6.0.0"), ["spec.backupMode"]);
        assert.deepEqual([fieldsOf(log(), "v6.1.0"), fieldsOf({}, "v6.0.0")], [[], []]);
    });
});

describe("a log backup", () => {
    const render = (spec: Fields) => renderBr("Backup", checkBr("Backup", manifest(log(spec))), basic);

    for (const [spec, wanted, first] of [
        [{}, "running", "start"],
        [{ logSubcommand: "log-start" }, "running", "start"],
        [{ logSubcommand: "log-pause" }, "paused", "pause"],
        [{ logSubcommand: "log-stop" }, "stopped", "stop"],
        [{ logStop: true }, "stopped", "stop"],
        [{ logStop: false }, "running", "start"],
    ] as const) {
        it(`with ${JSON.stringify(spec)} is to be ${wanted}`, () => {
            const { log: rendered, job, does } = render(spec);
            assert.equal(rendered?.wanted, wanted);
            assert.equal(job.metadata.name, "backup-b1-log");
            assert.deepEqual(job.spec.template.spec.containers[0].args.slice(0, 3), ["log", first, "--task-name=b1"]);
            assert.equal(does, "back up the log of the cluster db/basic to s3://backups/log");
        });
    }

    it("says its storage's endpoint and account, also where `br.options` names the endpoint", () => {
        assert.equal(render({}).log?.endpoint, "http://minio:9000");
        assert.equal(render({ br: { ...br, options: ["--s3.endpoint=http://other"] } }).log?.endpoint, "http://other");
        const azblob = { container: "backups", prefix: "log", storageAccount: "ours", sasToken: "x" };
        const { endpoint, account } = render({ s3: undefined, azblob }).log!;
        assert.deepEqual([endpoint, account], [undefined, "ours"]);
    });

    it("takes a date as BR reads it, with its zone", () => {
        for (const commitTs of ["2026-05-11 01:42:23+0800", "2026-05-11T01:42:23.5Z", "2026-05-11 01:42:23-07:30"]) {
            assert.deepEqual(render({ commitTs }).log?.commands.start, [
                "log",
                "start",
                "--task-name=b1",
                `--start-ts=${commitTs}`,
            ]);
        }
    });
});
