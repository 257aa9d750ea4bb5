import type { KubernetesObject } from "../../kubernetes/object";
import { ManifestError } from "../../problem";
import type { BrCluster } from "../brCluster";
import { sourceOf } from "../checkBr";
import type { BrKind } from "../spec";
import { storageOf } from "../storages";
import { accessProblems, sqlAccessOf } from "./access";
import { sqlJob } from "./job";
import type { SqlManifest } from "./spec";
import { sqlVersionProblems } from "./versions";

/** Checks a Backup or Restore by SQL against its cluster, and renders it. @throws ManifestError that lists every error. */
export function renderSql(
    kind: BrKind,
    manifest: SqlManifest,
    cluster: BrCluster,
    backupVersion: string | undefined,
): { job: KubernetesObject; does: string; url: string } {
    const problems = [
        ...accessProblems(kind, manifest, cluster),
        ...sqlVersionProblems(kind, manifest.spec, cluster, backupVersion),
    ];
    if (problems.length > 0) {
        throw new ManifestError(problems, sourceOf(kind, manifest));
    }
    const { url } = storageOf(manifest.spec);
    const { host, port } = sqlAccessOf(manifest, cluster);
    const does =
        kind === "Backup"
            ? `dump the databases of TiDB at ${host}:${port} to ${url}`
            : `load the dump ${url} into TiDB at ${host}:${port}`;
    return { job: sqlJob(kind, manifest, cluster), does, url };
}
