import type { KubernetesObject } from "../kubernetes/object";
import { ManifestError, specError, type SpecProblem } from "../problem";
import { shown } from "../validation/path";
import type { BrCluster } from "./brCluster";
import { sourceOf } from "./checkBr";
import { brJob } from "./job";
import type { BrKind, BrManifest } from "./spec";
import { storageOf } from "./storages";
import { versionProblems } from "./versions";

/** What becomes of a Backup or Restore. */
export interface RenderedBr {
    readonly job: KubernetesObject;
    /** What BR does, in words: `back up the cluster db/basic to s3://backups/full`. */
    readonly does: string;
    /** Where the data are, without secrets. */
    readonly url: string;
}

/**
 * Checks a Backup or Restore against its cluster, and renders it.
 *
 * @param manifest one that was checked by itself.
 * @param backupVersion the version that the backup of a Restore was taken from, if it is known.
 * @throws ManifestError that lists every error.
 */
export function renderBr(kind: BrKind, manifest: BrManifest, cluster: BrCluster, backupVersion?: string): RenderedBr {
    const problems = [
        ...clusterProblems(manifest, cluster),
        ...versionProblems(kind, manifest.spec.toolImage, cluster, backupVersion),
    ];
    if (problems.length > 0) {
        throw new ManifestError(problems, sourceOf(kind, manifest));
    }
    const { url } = storageOf(manifest.spec);
    const where = `${cluster.namespace}/${cluster.name}`;
    return {
        job: brJob(kind, manifest, cluster),
        does: kind === "Backup" ? `back up the cluster ${where} to ${url}` : `restore ${url} into the cluster ${where}`,
        url,
    };
}

function clusterProblems({ spec, metadata }: BrManifest, { name, namespace, tls }: BrCluster): SpecProblem[] {
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
