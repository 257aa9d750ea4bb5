import type * as pulumi from "@pulumi/pulumi";
import type { AccessArgs } from "../access";
import type { BackupScheduleSpec } from "../br/schedule/spec";
import type { TidbCluster } from "../tidbCluster";
import type { BackupSpecArgs, BrMetadataArgs, ExistingClusterArgs, Inputs } from "./args";

/** When what is backed up, and how long the backups are kept, in a program. */
export type BackupScheduleSpecArgs = {
    [Key in keyof Omit<BackupScheduleSpec, "backupTemplate">]: Inputs<BackupScheduleSpec[Key]>;
} & { backupTemplate: BackupSpecArgs };

/** What a BackupSchedule takes beside its manifest. */
interface ScheduleRunArgs extends AccessArgs {
    /** The cluster: a TidbCluster of the program, which is deployed first and says how Kubernetes is reached unless that is set here, or what BR must know of another one. */
    cluster: TidbCluster | ExistingClusterArgs;
    /** Time zone of `spec.schedule`, by its name: `Europe/Berlin`. Default: `Etc/UTC`. */
    timeZone?: pulumi.Input<string>;
    /** How many seconds late a backup may begin after its time, if nothing could begin it then, at least 10. Default: as long as no later one is due: late is better than not at all. */
    startingDeadlineSeconds?: pulumi.Input<number>;
    /** Image that deletes old backups: rclone 1.75 or later, with `/bin/sh` and `awk`. Used with `maxBackups` or `maxReservedTime`. Default: `rclone/rclone:1.75.1`. */
    retentionImage?: pulumi.Input<string>;
}

/** Arguments of a BackupSchedule. */
export interface BackupScheduleArgs extends ScheduleRunArgs {
    /** Name, namespace, labels and annotations. The CronJob is named `backup-<name>`. */
    metadata?: BrMetadataArgs;
    /** When what is backed up, and how long the backups are kept. */
    spec: BackupScheduleSpecArgs;
}

/** Arguments of `BackupSchedule.fromYaml`: all of a BackupSchedule except `metadata` and `spec`. */
export interface YamlBackupScheduleArgs extends ScheduleRunArgs {
    /** The object to create, as `BackupSchedule/NAME`, if the file has several. Default: the only one of its kind. */
    only?: string;
}
