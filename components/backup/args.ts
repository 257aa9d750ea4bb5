import type * as pulumi from "@pulumi/pulumi";
import type { AccessArgs } from "../access";
import type { JobRunArgs } from "../jobRunArgs";
import type { TidbCluster } from "../tidbCluster";
import type { CompactBackupSpec } from "../br/compact/spec";
import type { BackupSpec, RestoreSpec } from "../br/spec";

/** A type whose values may be Outputs, at every depth. */
export type Inputs<T> = pulumi.Input<
    T extends readonly (infer Item)[] ? Inputs<Item>[] : T extends object ? { [Key in keyof T]: Inputs<T[Key]> } : T
>;

/** Fields of a spec whose values may be Outputs. With a TidbCluster as `cluster`, `br` needs no name of it. */
type BrSpecArgs<Spec extends { br: object }> = { [Key in keyof Omit<Spec, "br">]: Inputs<Spec[Key]> } & {
    br?: { [Key in keyof Spec["br"]]?: Inputs<Spec["br"][Key]> };
};

/** What is backed up, and where to, in a program. */
export type BackupSpecArgs = BrSpecArgs<BackupSpec>;

/** What is restored, and where from, in a program. */
export type RestoreSpecArgs = BrSpecArgs<RestoreSpec>;

/** Which part of which log is compacted, in a program. */
export type CompactBackupSpecArgs = BrSpecArgs<CompactBackupSpec>;

/** A cluster that the program does not deploy. `spec.br` has its name and namespace, or the host in `spec.from` or `spec.to`. */
export interface ExistingClusterArgs {
    /** Version of its TiKV: `v8.5.3`. */
    version: pulumi.Input<string>;
    /** Whether its members use TLS (`spec.tlsCluster.enabled`). Default: false. */
    tls?: pulumi.Input<boolean>;
    /** Its label `app.kubernetes.io/instance`, if it is not its name. Only a Restore uses it. Default: its name. */
    instance?: pulumi.Input<string>;
    /** Its `spec.clusterDomain`. Only a Restore with TLS uses it. Default: none. */
    clusterDomain?: pulumi.Input<string>;
}

/** Name and namespace of a Backup, Restore or CompactBackup. */
export interface BrMetadataArgs {
    /** Name. The Job is named after it: `backup-<name>`, `restore-<name>` or `compactbackup-<name>`. Default: the resource's name. */
    name?: pulumi.Input<string>;
    /** Namespace of the Job, with its Secrets. Default: that of the TidbCluster in `cluster`; otherwise `default`. */
    namespace?: pulumi.Input<string>;
    /** Labels of the Job and its pod. Default: none. */
    labels?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Annotations of the Job and its pod. Default: none. */
    annotations?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/** What a Backup, a Restore and a CompactBackup take beside their spec. */
interface BrArgs extends JobRunArgs, AccessArgs {
    /** Name, namespace, labels and annotations. */
    metadata?: BrMetadataArgs;
    /** The cluster: a TidbCluster of the program, which is deployed first and says how Kubernetes is reached unless that is set here, or what BR must know of another one. */
    cluster: TidbCluster | ExistingClusterArgs;
}

/** Arguments of a Backup. */
export interface BackupArgs extends BrArgs {
    /** What is backed up, and where to. */
    spec: BackupSpecArgs;
    /** Image of rclone that deletes the data with a `cleanPolicy`, with its tag. Default: `rclone/rclone:1.75.1`. */
    cleanImage?: pulumi.Input<string>;
}

/** Arguments of a CompactBackup. */
export interface CompactBackupArgs extends BrArgs {
    /** Which part of which log is compacted. */
    spec: CompactBackupSpecArgs;
}

/** What a Restore takes beside its spec and its cluster. */
export interface RestoreSafetyArgs {
    /**
     * Whether the cluster may hold data already. BR then restores beside it, and fails where a table exists; TiDB Lightning adds rows
     * to it. Must be plain, not an Output. Default: false: a cluster with a schema that users created is refused.
     */
    allowExistingData?: boolean;
    /**
     * Version of the cluster that the backup was taken from: `backup.clusterVersion`, or `v8.5.3`. A backup of a later version is
     * refused. Default: not known, then only BR itself checks the version, in the Job; TiDB Lightning does not.
     */
    backupVersion?: pulumi.Input<string>;
}

/** Arguments of a Restore. */
export interface RestoreArgs extends BrArgs, RestoreSafetyArgs {
    /** What is restored, and where from. */
    spec: RestoreSpecArgs;
}

/** Arguments of any of them. */
export type AnyBrArgs = BackupArgs | RestoreArgs | CompactBackupArgs;
