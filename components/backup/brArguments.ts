import type { AnyBrArgs, BackupArgs, CompactBackupArgs, RestoreArgs } from "./args";
import { besideSpec } from "../besideSpec";
import { imageProblems } from "../br/schedule/options";
import type { BrKind } from "../br/spec";
import { jobRunProblems } from "../jobRunArgs";
import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import { TidbCluster } from "../tidbCluster";
import { shown, shownWithKind } from "../validation/path";
import { unknownFields } from "../validation/unknownField";

const names: Readonly<Record<BrKind, readonly string[]>> = {
    Backup: ["metadata", "spec", ...besideSpec.Backup] satisfies (keyof BackupArgs)[],
    Restore: ["metadata", "spec", ...besideSpec.Restore] satisfies (keyof RestoreArgs)[],
    CompactBackup: ["metadata", "spec", ...besideSpec.CompactBackup] satisfies (keyof CompactBackupArgs)[],
};

/** @returns the errors in the arguments of a Backup, Restore or CompactBackup beside its manifest. */
export function brArgumentProblems(kind: BrKind, args: AnyBrArgs): SpecProblem[] {
    const { metadata, cluster, spec, attempt, wait, timeoutSeconds, allowExistingData, cleanImage } =
        args as unknown as Record<string, unknown>;
    return [
        ...unknownFields("", args, names[kind]),
        ...metadataProblems(metadata),
        ...(isMap(spec) ? [] : [specError("spec", shownWithKind(spec), "a map")]),
        ...(cluster instanceof TidbCluster ? [] : existingProblems(cluster)),
        ...jobRunProblems({ attempt, wait, timeoutSeconds }),
        ...(kind === "Backup" && isMap(spec) ? modeProblems(spec.backupMode, wait) : []),
        ...(typeof cleanImage === "string" ? imageProblems("cleanImage", cleanImage) : []),
        ...(allowExistingData === undefined || typeof allowExistingData === "boolean"
            ? []
            : [specError("allowExistingData", shown(allowExistingData), "true or false, not an Output")]),
    ];
}

function modeProblems(mode: unknown, wait: unknown): SpecProblem[] {
    return [
        ...(typeof mode === "object" && mode !== null
            ? [
                  specError(
                      "spec.backupMode",
                      shown(mode),
                      "snapshot or log, not an Output: it decides which resources exist",
                  ),
              ]
            : []),
        ...(mode === "log" && wait === false
            ? [specError("wait", "false", "true with spec.backupMode log, whose steps follow each other")]
            : []),
    ];
}

/** @returns the errors in the metadata of a component. */
export function metadataProblems(metadata: unknown): SpecProblem[] {
    if (metadata === undefined) {
        return [];
    }
    return isMap(metadata)
        ? unknownFields("metadata", metadata, ["name", "namespace", "labels", "annotations"])
        : [specError("metadata", shownWithKind(metadata), "a map")];
}

/** @returns the errors in what a program says of a cluster that it does not deploy. */
export function existingProblems(cluster: unknown): SpecProblem[] {
    if (!isMap(cluster)) {
        const expected = "a TidbCluster, or a map with the version of another cluster";
        return [specError("cluster", shownWithKind(cluster), expected)];
    }
    return [
        ...unknownFields("cluster", cluster, ["version", "tls", "instance", "clusterDomain"]),
        ...(cluster.version === undefined || cluster.version === ""
            ? [specError("cluster.version", "nothing", "the version of the cluster, such as v8.5.3")]
            : []),
    ];
}
