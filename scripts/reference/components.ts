import { type TypeOnPage, typesPage } from "./typeTables";

const types: readonly TypeOnPage[] = [
    [
        "backup/args.ts",
        "BackupArgs",
        "The arguments of `new Backup(name, args, opts)`, together with `BrArgs`. See [Backup and restore](../backup.md).",
    ],
    [
        "backup/args.ts",
        "CompactBackupArgs",
        "The arguments of `new CompactBackup(name, args, opts)`, together with `BrArgs`. See [Compaction](../backup.md#compaction-of-a-log-backup).",
    ],
    [
        "backup/args.ts",
        "RestoreArgs",
        "The arguments of `new Restore(name, args, opts)`, together with `BrArgs` and `RestoreSafetyArgs`.",
    ],
    ["backup/args.ts", "RestoreSafetyArgs", "What a Restore takes beside its spec and its cluster."],
    [
        "backup/args.ts",
        "BrArgs",
        "What Backup, Restore and CompactBackup take beside their spec, together with `JobRunArgs` and [`AccessArgs`](program.md#accessargs).",
    ],
    ["backup/args.ts", "BrMetadataArgs", "`metadata` of a Backup, a Restore, a CompactBackup or a BackupSchedule."],
    ["backup/args.ts", "ExistingClusterArgs", "`cluster`, if the program does not deploy it."],
    ["jobRunArgs.ts", "JobRunArgs", "How the Job of a component runs."],
    ["br/spec.ts", "BackupSpec", "`spec` of a Backup, together with `BrJobSpec`, `JobPodSpec` and `StorageProvider`."],
    [
        "br/spec.ts",
        "RestoreSpec",
        "`spec` of a Restore, together with `BrJobSpec`, `JobPodSpec` and `StorageProvider`.",
    ],
    [
        "br/compact/spec.ts",
        "CompactBackupSpec",
        "`spec` of a CompactBackup, together with `JobPodSpec` and `StorageProvider`.",
    ],
    ["br/jobSpec.ts", "JobPodSpec", "Fields of `spec` that a Backup, a Restore and a CompactBackup share."],
    ["br/spec.ts", "BrJobSpec", "Fields of `spec` that a Backup and a Restore share."],
    ["br/spec.ts", "BackupBrConfig", "`spec.br` of a Backup, together with `BrConfig` and `BrClusterRef`."],
    ["br/spec.ts", "RestoreBrConfig", "`spec.br` of a Restore, together with `BrConfig` and `BrClusterRef`."],
    ["br/spec.ts", "BrConfig", "Fields of `spec.br` that a Backup and a Restore share."],
    ["br/jobSpec.ts", "BrClusterRef", "`spec.br` of a CompactBackup, and fields that the others share."],
    [
        "br/sql/fields.ts",
        "TidbAccessConfig",
        "`spec.from` of a Backup and `spec.to` of a Restore. See [SQL dumps](../backup.md#sql-dumps).",
    ],
    ["br/sql/fields.ts", "DumplingConfig", "`spec.dumpling` of a Backup."],
    ["br/jobSpec.ts", "StorageProvider", "Where a backup is: one of these fields of `spec`."],
    ["br/jobSpec.ts", "S3StorageProvider", "`spec.s3`."],
    ["br/jobSpec.ts", "GcsStorageProvider", "`spec.gcs`."],
    ["br/jobSpec.ts", "AzblobStorageProvider", "`spec.azblob`."],
    ["br/jobSpec.ts", "LocalStorageProvider", "`spec.local`."],
    [
        "backup/scheduleArgs.ts",
        "BackupScheduleArgs",
        "The arguments of `new BackupSchedule(name, args, opts)`, together with `ScheduleRunArgs`. See [Backup schedules](../backup-schedule.md).",
    ],
    [
        "backup/scheduleArgs.ts",
        "ScheduleRunArgs",
        "What a BackupSchedule takes beside its manifest, together with [`AccessArgs`](program.md#accessargs).",
    ],
    ["br/schedule/spec.ts", "BackupScheduleSpec", "`spec` of a BackupSchedule."],
    [
        "initializer/args.ts",
        "TidbInitializerArgs",
        "The arguments of `new TidbInitializer(name, args, opts)`, together with `JobRunArgs` and [`AccessArgs`](program.md#accessargs). See [Initializer](../initializer.md).",
    ],
    ["initializer/spec.ts", "InitializerSpec", "`spec` of a TidbInitializer."],
    ["localVolumes/spec.ts", "LocalVolumesArgs", "The arguments of `new LocalVolumes(name, args, opts)`."],
    ["localVolumes/spec.ts", "LocalVolumeClass", "`classes` of LocalVolumes."],
    [
        "controller/args.ts",
        "LifecycleControllerArgs",
        "The arguments of `new LifecycleController(name, args, opts)`. See [The controller](../controller.md).",
    ],
];

/** @returns the page of the components beside TidbCluster. */
export function componentsPage(): string {
    return typesPage(
        "The other components",
        "What a program passes to the components beside [TidbCluster](program.md). `Input<T>` is a value or an Output of another resource.",
        types,
    );
}
