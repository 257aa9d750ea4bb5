import type { KubernetesObject } from "../../kubernetes/object";
import { secretFolder } from "../../kubernetes/volumes";
import type { BrCluster } from "../brCluster";
import { brJobName, toolJob } from "../job";
import { runFolder, runVolume } from "../runVolume";
import type { BrKind } from "../spec";
import { sqlAccessOf } from "./access";
import { dumpArguments, dumpUrl, loadArguments, loadUrl, sqlTlsFolder, sqlTlsVolume } from "./arguments";
import { dumpScript, loadScript } from "./scripts";
import type { SqlManifest } from "./spec";
import { sqlImage } from "./versions";

/** The variable with the password. */
const passwordVariable = "TIDB_PASSWORD";

/**
 * Renders the Job of a checked Backup or Restore by SQL. It runs Dumpling or TiDB Lightning in its own image, which uses the storage itself;
 * tidb-operator's Job runs a program that starts it, packs the files into an archive on a volume, and copies that with rclone
 * (pkg/backup/backup/backup_manager.go makeExportJob, pkg/backup/restore/restore_manager.go makeImportJob). The word and the URL after the script
 * tell gates what the Job does with which storage.
 */
export function sqlJob(kind: BrKind, manifest: SqlManifest, cluster: BrCluster): KubernetesObject {
    const { metadata, spec } = manifest;
    const access = sqlAccessOf(manifest, cluster);
    const { secretName, tlsSecretName } = access;
    const isDump = kind === "Backup";
    const words = isDump
        ? [dumpScript, "backup", dumpUrl(manifest), ...dumpArguments(manifest, access)]
        : [loadScript(`${runFolder}/lightning.toml`), "restore", loadUrl(manifest), ...loadArguments(manifest, access)];
    return toolJob(kind, manifest, brJobName(kind, metadata.name), {
        image: sqlImage(kind, spec.toolImage, cluster.version),
        command: ["/bin/sh", "-c"],
        args: words,
        env:
            secretName === undefined
                ? []
                : [{ name: passwordVariable, valueFrom: { secretKeyRef: { name: secretName, key: "password" } } }],
        volumes: [
            ...(tlsSecretName === undefined ? [] : [secretFolder(sqlTlsVolume, tlsSecretName, sqlTlsFolder)]),
            ...(isDump ? [] : [runVolume]),
        ],
    });
}
