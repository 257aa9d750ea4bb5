import type { KubernetesObject } from "../kubernetes/object";
import { ManifestError, specError, type SpecProblem } from "../problem";
import { shown } from "../validation/path";
import type { BrCluster } from "./brCluster";
import { deletesData } from "./clean/cleanPolicy";
import { compactJob } from "./compact/job";
import type { CompactBackupManifest } from "./compact/spec";
import { compactVersionProblems } from "./compact/versions";
import { sourceOf } from "./checkBr";
import { brJob } from "./job";
import { firstLogJob, isLogBackup, logVersionProblems, type RenderedLogBackup, renderLogBackup } from "./logBackup";
import type { BackupManifest, BrKind, BrManifest, RestoreSpec } from "./spec";
import { renderSql } from "./sql/renderSql";
import { isSql, type SqlManifest } from "./sql/spec";
import { storageOf } from "./storages";
import { versionProblems } from "./versions";

/** What becomes of a Backup, Restore or CompactBackup. */
export interface RenderedBr {
    /** The Job; that of a log backup's first step. */
    readonly job: KubernetesObject;
    /** Only of a log backup. */
    readonly log?: RenderedLogBackup;
    /** What it does, in words: `back up the cluster db/basic to s3://backups/full`. */
    readonly does: string;
    /** Where the data are, without secrets. */
    readonly url: string;
}

/**
 * Checks a Backup, Restore or CompactBackup against its cluster, and renders it.
 *
 * @param manifest one that was checked by itself.
 * @param backupVersion the version that the backup of a Restore was taken from, if it is known.
 * @throws ManifestError that lists every error.
 */
export function renderBr(
    kind: BrKind,
    manifest: BrManifest | SqlManifest,
    cluster: BrCluster,
    backupVersion?: string,
): RenderedBr {
    if (isSql(manifest)) {
        return renderSql(kind, manifest, cluster, backupVersion);
    }
    const compact = kind === "CompactBackup" ? (manifest as CompactBackupManifest) : undefined;
    const problems = [
        // The Job of a compaction does not ask the cluster.
        ...clusterProblems(manifest, compact ? { ...cluster, tls: false } : cluster),
        ...versionProblems(kind, manifest.spec.toolImage, cluster, backupVersion),
        ...logVersionProblems(manifest, cluster),
        ...(compact ? compactVersionProblems(compact.spec, cluster) : []),
    ];
    if (problems.length > 0) {
        throw new ManifestError(problems, sourceOf(kind, manifest));
    }
    const { url } = storageOf(manifest.spec);
    const where = `${cluster.namespace}/${cluster.name}`;
    if (compact) {
        const { startTs, endTs } = compact.spec;
        const does = `compact the log ${url} of the cluster ${where} from ${startTs} until ${endTs}`;
        return { job: compactJob(compact, cluster), does, url };
    }
    if (isLogBackup(manifest)) {
        const log = renderLogBackup(manifest as BackupManifest, cluster);
        return { job: firstLogJob(log), log, does: `back up the log of the cluster ${where} to ${url}`, url };
    }
    return { job: brJob(kind, manifest, cluster), does: doesWhat(kind, manifest, url, where), url };
}

function doesWhat(kind: BrKind, { spec }: BrManifest, url: string, where: string): string {
    if (kind === "Backup") {
        return `back up the cluster ${where} to ${url}`;
    }
    const { restoreMode, pitrFullBackupStorageProvider: full, pitrRestoredTs } = spec as RestoreSpec;
    const until = pitrRestoredTs ? ` until ${pitrRestoredTs}` : "";
    return restoreMode === "pitr"
        ? `restore ${full ? `${storageOf(full).url} and ` : ""}the log ${url}${until} into the cluster ${where}`
        : `restore ${url} into the cluster ${where}`;
}

function clusterProblems({ spec, metadata }: BrManifest, { name, namespace, tls, isOwn }: BrCluster): SpecProblem[] {
    const { cleanPolicy } = spec as BackupManifest["spec"];
    const { cluster, clusterNamespace } = spec.br;
    const own = metadata.namespace ?? "default";
    const given = clusterNamespace || own;
    return [
        ...(cluster === name
            ? []
            : [
                  specError(
                      "spec.br.cluster",
                      shown(cluster),
                      `${name}, the TidbCluster that is the argument \`cluster\``,
                  ),
              ]),
        ...(given === namespace
            ? []
            : [specError("spec.br.clusterNamespace", shown(given), `${namespace}, the namespace of ${name}`)]),
        ...(deletesData(cleanPolicy) && !isOwn
            ? [
                  specError(
                      "spec.cleanPolicy",
                      cleanPolicy,
                      "Retain, unless `cluster` is a TidbCluster of the program, whose gates delete the data",
                  ),
              ]
            : []),
        ...(deletesData(cleanPolicy) && own !== namespace
            ? [
                  specError(
                      "metadata.namespace",
                      shown(own),
                      `${namespace}, the namespace of the cluster, whose gates delete the data with spec.cleanPolicy ${cleanPolicy}`,
                  ),
              ]
            : []),
        // A pod mounts only Secrets of its own namespace.
        ...(tls && own !== namespace
            ? [
                  specError(
                      "metadata.namespace",
                      shown(own),
                      `${namespace}, the namespace of the cluster, whose client certificate the Job mounts`,
                  ),
              ]
            : []),
    ];
}
