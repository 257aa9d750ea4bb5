import type { ManifestMetadata } from "../../manifestMetadata";
import type { BrClusterRef, JobPodSpec } from "../jobSpec";

/** A compaction of a log backup, with the field names of tidb-operator's `CompactBackup` (`pingcap.com/v1alpha1`). */
export interface CompactBackupManifest {
    /** API version: `pingcap.com/v1alpha1`. Default: `pingcap.com/v1alpha1`. */
    apiVersion?: string;
    /** Kind: `CompactBackup`. Default: `CompactBackup`. */
    kind?: string;
    /** Name, namespace, labels and annotations. The Job is named `compactbackup-<name>`, and has the labels and annotations too. */
    metadata: ManifestMetadata;
    /** Which part of which log is compacted. */
    spec: CompactBackupSpec;
}

/** Which part of which log is compacted. The storage is that of the log backup. */
export interface CompactBackupSpec extends JobPodSpec {
    /** The time from which on the log is compacted, as a TSO or as a date and time with its time zone: `2026-05-11 01:42:23+0800`. */
    startTs: string;
    /** The time up to which the log is compacted, in the same forms. tikv-ctl fails if it is after the log backup's checkpoint. */
    endTs: string;
    /**
     * How many compactions run side by side. Default: 4.
     * @asType integer
     * @minimum 1
     * @maximum 2147483647
     */
    concurrency?: number;
    /** Image of TiKV, for its `tikv-ctl`: `pingcap/tikv:v8.5.5`. Without a tag, the version of TiKV is the tag. Default: the cluster's image of TiKV. */
    tikvImage?: string;
    /** The cluster. Only its version is used. */
    br: BrClusterRef;
}
