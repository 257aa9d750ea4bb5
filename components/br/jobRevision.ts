import { jobRevisionAnnotation } from "../../topology/annotations";
import type { KubernetesObject } from "../kubernetes/object";
import { stableDigest } from "../kubernetes/templateRevision";
import type { BrCluster } from "./brCluster";
import type { CompactBackupManifest } from "./compact/spec";
import { tikvImage } from "./compact/versions";
import type { BrKind, BrManifest } from "./spec";
import { isSql, type SqlManifest } from "./sql/spec";
import { sqlImage } from "./sql/versions";
import { brImage, hasTag } from "./versions";

/**
 * Adds the digest of what the Job does. An image whose tag follows the version of TiKV counts without it: after an upgrade of the cluster the
 * work that was done is still what the program describes.
 */
export function withJobRevision(
    job: KubernetesObject,
    kind: BrKind,
    manifest: BrManifest | SqlManifest,
    cluster: BrCluster,
): KubernetesObject {
    const followed = followedImages(kind, manifest, cluster);
    const text = JSON.stringify(job.spec, (key, value: unknown) =>
        key === "image" && followed.includes(value as string) ? "of the cluster's version" : value,
    );
    const annotations = { ...job.metadata.annotations, [jobRevisionAnnotation]: stableDigest(JSON.parse(text)) };
    return { ...job, metadata: { ...job.metadata, annotations } };
}

function followedImages(kind: BrKind, manifest: BrManifest | SqlManifest, cluster: BrCluster): string[] {
    const { toolImage } = manifest.spec;
    const follows = (image: string | undefined) => !image || !hasTag(image);
    const { version } = cluster;
    const tool = isSql(manifest) ? sqlImage(kind, toolImage, version) : brImage(toolImage, version);
    const compaction = kind === "CompactBackup" ? (manifest as CompactBackupManifest).spec : undefined;
    return [
        ...(follows(toolImage) ? [tool] : []),
        ...(compaction && follows(compaction.tikvImage) ? [tikvImage(compaction, cluster)] : []),
    ];
}
