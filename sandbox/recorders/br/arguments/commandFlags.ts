import { type Flags, flagsOf } from "./flags";

/** The flags of `br backup` (br/pkg/task/backup.go, v8.5). */
export const backupFlags: Flags = {
    ...flagsOf("duration", ["timeago"]),
    ...flagsOf("uint64", ["lastbackupts"]),
    ...flagsOf("string", ["backupts", "compression=zstd", "keyspace-name", "replica-read-label"]),
    ...flagsOf("int64", ["gcttl=300"]),
    ...flagsOf("int32", ["compression-level"]),
    ...flagsOf("uint32", ["concurrency=4"]),
    ...flagsOf("uint", ["table-concurrency=64"]),
    ...flagsOf("bool", ["remove-schedulers", "ignore-stats=true", "use-backupmeta-v2=true", "use-checkpoint=true"]),
};

/** Those of `br backup full`, for snapshots of volumes (backup_ebs.go). */
export const backupFullFlags: Flags = {
    ...flagsOf("string", ["type=kv", "volume-file=./backup.json", "progress-file=progress.txt"]),
    ...flagsOf("bool", ["skip-aws", "operator-paused-gc-and-scheduler"]),
    ...flagsOf("uint", ["cloud-api-concurrency=8"]),
};

/** The flags of `br restore` (restore.go). */
export const restoreFlags: Flags = {
    ...flagsOf("bool", [
        "no-schema",
        "load-stats=true",
        "use-checkpoint=true",
        "wait-tiflash-ready",
        "allow-pitr-from-incremental=true",
        "online",
        "with-sys-table=true",
        "use-fsr",
    ]),
    ...flagsOf("string", ["with-tidb-placement-mode=STRICT", "keyspace-name", "granularity=coarse-grained"]),
    ...flagsOf("uint", [
        "tikv-max-restore-concurrency=128",
        "pd-concurrency=1",
        "stats-concurrency=12",
        "ddl-batch-size=128",
    ]),
    ...flagsOf("uint32", ["concurrency=128"]),
    ...flagsOf("uint64", ["merge-region-size-bytes=100663296", "merge-region-key-count=960000"]),
    ...flagsOf("duration", ["batch-flush-interval=16s"]),
    ...flagsOf("stringArray", ["reset-sys-users=cloud_admin,root"]),
};

/** Those of `br restore full`, for snapshots of volumes (restore_ebs_meta.go). */
export const restoreFullFlags: Flags = {
    ...flagsOf("string", [
        "type=kv",
        "output-file=output.json",
        "volume-type=gp3",
        "progress-file=progress.txt",
        "target-az",
    ]),
    ...flagsOf("bool", ["prepare", "skip-aws", "volume-encrypted"]),
    ...flagsOf("uint", ["cloud-api-concurrency=8"]),
    ...flagsOf("int64", ["volume-iops", "volume-throughput"]),
};

/** Those of `br restore point` (restore.go). */
export const restorePointFlags: Flags = {
    ...flagsOf("string", ["start-ts", "restored-ts", "full-backup-storage"]),
    ...flagsOf("uint32", ["pitr-batch-count=8", "pitr-batch-size=16777216", "pitr-concurrency=16"]),
};

/** The name of a log backup's task (stream.go). */
export const taskFlags: Flags = flagsOf("string", ["task-name"]);

/** The flags of `br log start`, `pause`, `status` and `truncate` (stream.go), besides the name of the task. */
export const logStartFlags: Flags = {
    ...taskFlags,
    ...flagsOf("string", ["start-ts", "end-ts=999999999999999999"]),
    ...flagsOf("int64", ["gc-ttl=1800"]),
};
export const logPauseFlags: Flags = { ...taskFlags, ...flagsOf("int64", ["gc-ttl=86400"]) };
export const logStatusFlags: Flags = { ...flagsOf("string", ["task-name=*"]), ...flagsOf("bool", ["json"]) };
export const logTruncateFlags: Flags = { ...flagsOf("string", ["until"]), ...flagsOf("bool", ["dry-run", "yes y"]) };
