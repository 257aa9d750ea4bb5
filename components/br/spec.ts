import type { ManifestMetadata } from "../manifestMetadata";
import type { CompactBackupManifest } from "./compact/spec";
import type { BrClusterRef, JobPodSpec, StorageProvider } from "./jobSpec";
import type { DumplingConfig, TidbAccessConfig } from "./sql/fields";

/** A backup by BR, with the field names of tidb-operator's `Backup` (`pingcap.com/v1alpha1`). */
export interface BackupManifest {
    /** API version: `pingcap.com/v1alpha1`. Default: `pingcap.com/v1alpha1`. */
    apiVersion?: string;
    /** Kind: `Backup`. Default: `Backup`. */
    kind?: string;
    /** Name, namespace, labels and annotations. The Job is named `backup-<name>`, and has the labels and annotations too. */
    metadata: ManifestMetadata;
    /** What is backed up, and where to. */
    spec: BackupSpec;
}

/** A restore by BR, with the field names of tidb-operator's `Restore` (`pingcap.com/v1alpha1`). */
export interface RestoreManifest {
    /** API version: `pingcap.com/v1alpha1`. Default: `pingcap.com/v1alpha1`. */
    apiVersion?: string;
    /** Kind: `Restore`. Default: `Restore`. */
    kind?: string;
    /** Name, namespace, labels and annotations. The Job is named `restore-<name>`, and has the labels and annotations too. */
    metadata: ManifestMetadata;
    /** What is restored, and where from. */
    spec: RestoreSpec;
}

/** Settings of BR. */
export interface BrConfig extends BrClusterRef {
    /** The database, with `backupType` `db` or `table`. Default: none. */
    db?: string;
    /** The table, with `backupType: table`. Default: none. */
    table?: string;
    /** How much BR logs: `debug`, `info`, `warn`, `error`. Default: BR's. */
    logLevel?: string;
    /** Address at which BR serves its state over HTTP: `0.0.0.0:8080`. Default: none. */
    statusAddr?: string;
    /**
     * How many parts each TiKV works on at once. Default: BR's.
     * @asType integer
     * @minimum 1
     * @maximum 4294967295
     */
    concurrency?: number;
    /**
     * Limit of the speed of each TiKV, in MiB/s. Default: none.
     * @asType integer
     * @minimum 1
     * @maximum 4294967295
     */
    rateLimit?: number;
    /** Whether BR compares the data with checksums at the end. Default: BR's. */
    checksum?: boolean;
    /** Whether BR checks first whether the cluster's version fits. Default: true. */
    checkRequirements?: boolean;
    /** Whether BR sends its credentials of the storage to the TiKVs. If not, they need their own, as they do with a workload identity of Google. Default: true. */
    sendCredToTikv?: boolean;
    /** More arguments of BR. They come last and override the others: `--lastbackupts=…`. Default: none. */
    options?: string[];
}

/** Settings of BR for a backup. */
export interface BackupBrConfig extends BrConfig {
    /** How old the state is that is backed up, as a Go duration: `1h`. It must be younger than TiDB's GC life time. Default: now. */
    timeAgo?: string;
}

/** Settings of BR for a restore. */
export interface RestoreBrConfig extends BrConfig {
    /** Whether the cluster serves other tables meanwhile: TiKV then keeps accepting their writes, and the restore is slower. Default: false. */
    onLine?: boolean;
}

/** What a Backup and a Restore have in common: the work, the storage and the Job's pod. */
export interface BrJobSpec extends JobPodSpec {
    /** What is backed up or restored: everything, a database or a table. `tableFilter` is more precise. Default: `full`. */
    backupType?: "full" | "db" | "table";
    /** Which tables: `shop.*`, `!shop.tmp_*`. Rules that come later override earlier ones. Default: what `backupType` says. */
    tableFilter?: string[];
}

/** What is backed up, and where to. */
export interface BackupSpec extends BrJobSpec {
    /** How it is backed up: `snapshot`, the state at one time, or `log`, every change from a time on. Must be plain, not an Output. Default: `snapshot`. */
    backupMode?: "snapshot" | "log";
    /**
     * The time whose state is backed up, or from which on a log backup writes changes, as a TSO or as a date and time: `2026-05-11 01:42:23`.
     * With `backupMode: log` a date needs its time zone: `2026-05-11 01:42:23+0800`. Default: now.
     */
    commitTs?: string;
    /**
     * What a log backup is to be: `log-start`, running; `log-pause`, paused; `log-stop`, stopped. Only with `backupMode: log`. Default: `log-start`.
     */
    logSubcommand?: "log-start" | "log-pause" | "log-stop";
    /**
     * The time up to which a log backup's changes are deleted, as a TSO or as a date and time with its time zone: `2026-05-11 01:42:23+0800`.
     * Nothing before it can be restored after that. Only with `backupMode: log`. Default: nothing is deleted.
     */
    logTruncateUntil?: string;
    /** Older form of `logSubcommand: log-stop`. Only with `backupMode: log`. Default: false. */
    logStop?: boolean;
    /** Settings of BR, with the cluster. Not with `from` or `dumpling`. */
    br: BackupBrConfig;
    /** How Dumpling reaches TiDB. With it, or with `dumpling`, the backup is a dump: SQL files. Default: none, then BR backs up. */
    from?: TidbAccessConfig;
    /** Settings of Dumpling. Default: none. */
    dumpling?: DumplingConfig;
    /**
     * What happens to the stored data once the Backup has left the program: `Retain`, which keeps them; `Delete`: the next update of its
     * cluster deletes them, as its preview says; or `OnFailure`, which does so only if the backup failed, an hour later. Both need a `prefix`,
     * and a TidbCluster of the same program. Default: `Retain`.
     */
    cleanPolicy?: "Retain" | "OnFailure" | "Delete";
}

/** What is restored, and where from. */
export interface RestoreSpec extends BrJobSpec {
    /**
     * What is restored from: `snapshot`, a backup of the state at one time; or `pitr`, the log backup in this storage up to a point in time, after a
     * full backup. Default: `snapshot`.
     */
    restoreMode?: "snapshot" | "pitr";
    /**
     * The point in time, as a TSO or as a date and time with its time zone: `2026-05-11 01:42:23+0800`. Only with `restoreMode: pitr`. Default: the
     * end of the log.
     */
    pitrRestoredTs?: string;
    /**
     * The full backup that is restored first. It must be in the same kind of storage as the log, with the same settings but for the bucket and the
     * prefix. `restoreMode: pitr` needs either this or `logRestoreStartTs`. Default: none.
     */
    pitrFullBackupStorageProvider?: StorageProvider;
    /** The time from which on the log is restored, if the cluster holds a restored full backup already. Default: that of the full backup. */
    logRestoreStartTs?: string;
    /** Settings of BR, with the cluster. Not with `to`. */
    br: RestoreBrConfig;
    /** How TiDB Lightning reaches TiDB. With it, the files of a dump are loaded. Default: none, then BR restores. */
    to?: TidbAccessConfig;
}

/** A Backup, a Restore or a CompactBackup. */
export type BrManifest = BackupManifest | RestoreManifest | CompactBackupManifest;

/** The kinds of BR's work. */
export const brKinds = ["Backup", "Restore", "CompactBackup"] as const;
export type BrKind = (typeof brKinds)[number];
