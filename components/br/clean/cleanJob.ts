import { componentLabel } from "../../../topology/labels";
import { combine } from "../../kubernetes/labels";
import type { KubernetesObject } from "../../kubernetes/object";
import type { Container } from "../../kubernetes/pod";
import type { BrCluster } from "../brCluster";
import { jobOf } from "../job";
import { rcloneContainer } from "../schedule/rclone";
import type { BackupManifest } from "../spec";
import { storageOf } from "../storages";
import { cleanWord } from "../../../topology/backupPods";
import { cleanScript } from "./cleanScript";

/** What deletes the data of a Backup once it has left the program. */
export interface RenderedClean {
    /** The Job. When and by whom the backup was taken is not in its arguments yet. */
    readonly job: KubernetesObject;
    /** The arguments of BR's Job that prove that it wrote to the storage of this one. */
    readonly storage: readonly string[];
    readonly onFailure?: true;
}

/** Renders the Job that deletes the data of a checked Backup. tidb-operator's has this name and this label, too (pkg/backup/backup/backup_cleaner.go). */
export function renderClean(manifest: BackupManifest, cluster: BrCluster, image?: string): RenderedClean {
    const { metadata, spec, ...rest } = jobOf(
        "Backup",
        manifest,
        { ...cluster, tls: false },
        `${cleanWord}-${manifest.metadata.name}`,
        [],
    );
    const { template, ...job } = spec as { template: PodTemplate };
    const labelled = <Of extends { labels?: Record<string, string> }>(object: Of): Of => ({
        ...object,
        labels: combine({ [componentLabel]: cleanWord }, object.labels),
    });
    const [br] = template.spec.containers;
    return {
        storage: storageOf(manifest.spec).args,
        ...(manifest.spec.cleanPolicy === "OnFailure" ? { onFailure: true } : {}),
        job: {
            ...rest,
            metadata: labelled(metadata),
            spec: {
                ...job,
                template: {
                    metadata: labelled(template.metadata),
                    spec: {
                        ...template.spec,
                        containers: [rcloneContainer(br, manifest.spec, cleanWord, cleanScript, image)],
                    },
                },
            },
        },
    };
}

interface PodTemplate {
    metadata: { labels?: Record<string, string> };
    spec: { containers: [Container] };
}
