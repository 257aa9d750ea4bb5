import { clusterLabels, componentLabel, instanceLabel, nameLabel } from "../../topology/labels";
import { clientSecretName } from "../../topology/names";
import { combine } from "../kubernetes/labels";
import type { KubernetesObject } from "../kubernetes/object";
import type { EnvironmentVariable } from "../kubernetes/pod";
import { present } from "../kubernetes/present";
import { inKubernetes } from "../kubernetes/shellQuote";
import { type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { ManifestMetadata } from "../manifestMetadata";
import { brArguments, clientTlsFolder } from "./arguments";
import type { BrCluster } from "./brCluster";
import type { JobPodSpec } from "./jobSpec";
import type { BackupSpec, BrKind, BrManifest, RestoreSpec } from "./spec";
import { storageOf } from "./storages";
import { brImage } from "./versions";

/** @returns the name of the Job of a Backup or Restore, which is tidb-operator's, or of a CompactBackup. */
export function brJobName(kind: BrKind, name: string): string {
    return `${kind.toLowerCase()}-${name}`;
}

/**
 * Renders the Job of a checked Backup or Restore. It runs BR itself, in BR's own image; tidb-operator's Job runs a program that
 * reports to the operator and starts BR (pkg/backup/backup/backup_manager.go, pkg/backup/restore/restore_manager.go).
 */
export function brJob(kind: BrKind, manifest: BrManifest, cluster: BrCluster): KubernetesObject {
    const { metadata, spec } = manifest;
    return jobOf(
        kind,
        manifest,
        cluster,
        brJobName(kind, metadata.name),
        brArguments(kind, spec as BackupSpec | RestoreSpec, cluster),
    );
}

/** Renders a Job that runs BR with these arguments. */
export function jobOf(
    kind: BrKind,
    manifest: BrManifest,
    cluster: BrCluster,
    name: string,
    args: readonly string[],
): KubernetesObject {
    return toolJob(kind, manifest, name, {
        image: brImage(manifest.spec.toolImage, cluster.version),
        command: ["/br"],
        args,
        env: [{ name: "BR_LOG_TO_TERM", value: "1" }],
        volumes: cluster.tls
            ? [secretFolder("cluster-client-tls", clientSecretName(cluster.name), clientTlsFolder)]
            : [],
    });
}

/** What the container of a Job runs. */
interface Tool {
    readonly image: string;
    readonly command: readonly string[];
    readonly args: readonly string[];
    readonly env: readonly EnvironmentVariable[];
    readonly volumes: readonly MountedVolume[];
}

/** Renders a Job that runs a tool with the storage of the manifest. */
export function toolJob(
    kind: BrKind,
    { metadata, spec }: { metadata: ManifestMetadata; spec: JobPodSpec },
    name: string,
    { image, command, args, env, volumes }: Tool,
): KubernetesObject {
    const storage = storageOf(spec);
    const labels = brLabels(kind, metadata);
    const mounted = [...volumes, ...storage.volumes];
    const container = {
        name: kind.toLowerCase(),
        image,
        imagePullPolicy: "IfNotPresent",
        command,
        args: args.map(inKubernetes),
        env: variables([...storage.env, ...env], spec.env ?? []),
        ...present({
            resources: spec.resources,
            volumeMounts: [...mounted.map(({ mount }) => mount), ...(spec.additionalVolumeMounts ?? [])],
        }),
    };
    const annotations = present({ annotations: metadata.annotations });
    return {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: {
            name,
            namespace: metadata.namespace ?? "default",
            labels,
            ...annotations,
        },
        spec: {
            // A tool that failed half way must not begin again by itself.
            backoffLimit: 0,
            template: {
                metadata: { labels, ...annotations },
                spec: {
                    restartPolicy: "Never",
                    ...(kind === "Restore" ? { terminationGracePeriodSeconds: 10 } : {}),
                    ...present({
                        serviceAccountName: spec.serviceAccount,
                        automountServiceAccountToken: spec.automountServiceAccountToken,
                        securityContext: spec.podSecurityContext,
                        imagePullSecrets: spec.imagePullSecrets,
                        tolerations: spec.tolerations,
                        affinity: spec.affinity,
                        priorityClassName: spec.priorityClassName,
                    }),
                    containers: [container],
                    ...present({
                        volumes: [...mounted.map(({ volume }) => volume), ...(spec.additionalVolumes ?? [])],
                    }),
                },
            },
        },
    };
}

/** The labels of tidb-operator's Job, with this package as the manager (tidb-operator pkg/label/label.go). */
function brLabels(kind: BrKind, { name, labels }: BrManifest["metadata"]): Record<string, string> {
    const word = kind.toLowerCase();
    return combine(labels, {
        ...clusterLabels(labels?.[instanceLabel] ?? name),
        [componentLabel]: word,
        [nameLabel]: word,
        [`tidb.pingcap.com/${word}`]: name,
    });
}

/** A variable of the spec replaces one with its name. */
function variables(own: readonly EnvironmentVariable[], given: readonly EnvironmentVariable[]): EnvironmentVariable[] {
    return [...own.filter(({ name }) => !given.some((other) => other.name === name)), ...given];
}
