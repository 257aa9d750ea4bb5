import type { Unwrap } from "@pulumi/pulumi";
import type { ManifestMetadata } from "./manifestMetadata";
import type { TidbClusterSpecArgs } from "./specArgs";

/**
 * The desired cluster as plain values: a `TidbClusterSpecArgs` without Outputs. Like there, a field that takes one of several
 * words takes any text here; the words are checked when a cluster is made.
 */
export type TidbClusterSpec = Unwrap<TidbClusterSpecArgs>;

/** A TiDB cluster, with the field names of tidb-operator's `TidbCluster` (`pingcap.com/v1alpha1`). */
export interface TidbClusterManifest {
    /** API version: `pingcap.com/v1alpha1`. Default: `pingcap.com/v1alpha1`. */
    apiVersion?: string;
    /** Kind: `TidbCluster`. Default: `TidbCluster`. */
    kind?: string;
    /** Name, namespace, labels and annotations. */
    metadata: ManifestMetadata;
    /** The desired cluster. */
    spec: TidbClusterSpec;
}
