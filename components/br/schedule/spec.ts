import type { LocalObjectReference } from "../../kubernetes/pod";
import type { ManifestMetadata } from "../../manifestMetadata";
import type { BackupSpec, BrManifest } from "../spec";

/** Backups by a schedule, with the field names of tidb-operator's `BackupSchedule` (`pingcap.com/v1alpha1`). */
export interface BackupScheduleManifest {
    /** API version: `pingcap.com/v1alpha1`. Default: `pingcap.com/v1alpha1`. */
    apiVersion?: string;
    /** Kind: `BackupSchedule`. Default: `BackupSchedule`. */
    kind?: string;
    /** Name, namespace, labels and annotations. The CronJob is named `backup-<name>`. Its Jobs have the labels and annotations too. */
    metadata: ManifestMetadata;
    /** When what is backed up, and how long the backups are kept. */
    spec: BackupScheduleSpec;
}

/** When what is backed up, and how long the backups are kept. */
export interface BackupScheduleSpec {
    /** When a backup begins, in the form of cron: `0 2 * * *`, `@daily`, `@every 12h`. It has no time zone: the argument `timeZone` has it. */
    schedule: string;
    /** Whether no backup begins. A backup that runs goes on. When it ends, a time that was missed meanwhile is made up for at once, by one backup. Default: false. */
    pause?: boolean;
    /**
     * How many complete backups are kept, the newest ones. 0 means all. It cannot be combined with `maxReservedTime`. Default: all.
     * @asType integer
     * @minimum 0
     * @maximum 2147483647
     */
    maxBackups?: number;
    /**
     * How long a complete backup is kept, as a Go duration: `168h`. It is compared with the time from its end to the end of the newest
     * backup, by the clock of the storage. The newest is always kept. Default: for ever.
     */
    maxReservedTime?: string;
    /** What is backed up, and where to. Each backup gets a folder of its own in `prefix`. A schedule needs a `prefix` of its own. */
    backupTemplate: BackupSpec;
    /** Secrets used to pull the images, instead of those of `backupTemplate`. Default: those of `backupTemplate`. */
    imagePullSecrets?: LocalObjectReference[];
}

/**
 * What the schema describes.
 * @public for the generator of the schema
 */
export type BrObject = BrManifest | BackupScheduleManifest;
