import type { BackupJob, GateBackup } from "../../provider/gates/inputs";
import { anyFolder } from "../../topology/backupPods";
import { instanceLabel } from "../../topology/labels";
import { brClusterOf, brPodsOf } from "../br/brCluster";
import { checkBr } from "../br/checkBr";
import { deletesData } from "../br/clean/cleanPolicy";
import { inFolder } from "../br/inFolder";
import { renderBr } from "../br/renderBr";
import { type BackupPlace, placeOf } from "../br/samePlace";
import type { BackupManifest } from "../br/spec";
import { optionProblems, type RefusedOption } from "../br/optionRules";
import { problemsAt } from "../br/specAt";
import { defaultBrImage, hasTag } from "../br/versions";
import { defaultJobSeconds } from "../jobRunArgs";
import type { OnDestroyArgs } from "../operations";
import { isMap } from "../plainMap";
import { ManifestError, specError, type SpecProblem } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { shown } from "../validation/path";

/** @returns the errors in the spec of a backup that a gate takes, as far as they do not depend on its cluster. */
export function backupProblems(field: string, spec: object): SpecProblem[] {
    const { backupMode, cleanPolicy, commitTs, br } = spec as Record<string, unknown>;
    const { timeAgo, options } = isMap(br) ? br : {};
    const texts = Array.isArray(options) ? options.map(String) : [];
    return [
        ...problemsAt(field, () => checkBr("Backup", manifestOf("backup", spec, "cluster", "default"))),
        ...(backupMode === "log"
            ? [specError(`${field}.backupMode`, "log", "snapshot, because a log backup never ends")]
            : []),
        ...(deletesData(cleanPolicy)
            ? [specError(`${field}.cleanPolicy`, cleanPolicy, "Retain, because nothing deletes this backup")]
            : []),
        ...optionProblems(`${field}.br.options`, texts, ofNow),
        ...Object.entries({ commitTs, "br.timeAgo": timeAgo }).flatMap(([name, value]) =>
            value ? [specError(`${field}.${name}`, shown(value), "nothing, because the backup is of now")] : [],
        ),
    ];
}

/** A gate relies on a full backup of now, in the folder that it has made up. */
const ofNow: readonly RefusedOption[] = [
    [/^(--storage(=|$)|-s)/, "no storage; each backup gets a folder of its own in the storage of the spec"],
    [/^--(backupts|lastbackupts|timeago)(=|$)/, "no other time; the backup is of now, and builds on no other"],
];

/**
 * Renders a backup that a gate takes.
 * @param name its name, in the labels of its Job.
 * @param place the field of its spec.
 * @throws ManifestError if the cluster cannot be backed up so.
 */
export function gateBackup(
    name: string,
    place: string,
    manifest: TidbClusterManifest,
    { spec, timeoutSeconds = defaultJobSeconds }: OnDestroyArgs,
): GateBackup {
    const cluster = brClusterOf(manifest);
    if (manifest.spec.pd === undefined) {
        throw new ManifestError(
            [specError(place, "a cluster without a PD of its own", "a PD, which BR asks")],
            `TidbCluster ${cluster.name}`,
        );
    }
    const { instance } = brPodsOf(manifest);
    let rendered: ReturnType<typeof renderBr> | undefined;
    const problems = problemsAt(place, () => {
        const given = manifestOf(name, spec, cluster.name, cluster.namespace, { [instanceLabel]: instance });
        const checked = checkBr("Backup", given) as BackupManifest;
        rendered = renderBr("Backup", inFolder(checked, anyFolder), cluster);
    });
    if (rendered === undefined) {
        throw new ManifestError(problems, `TidbCluster ${cluster.name}`);
    }
    const image = spec.toolImage || defaultBrImage;
    return {
        job: rendered.job as unknown as BackupJob,
        ...(hasTag(image) ? {} : { untaggedImage: image }),
        url: rendered.url,
        timeoutSeconds,
    };
}

/** @returns where the backups that a gate takes are. @param place the field of what the operations say of them. */
export function gateBackupPlace(
    place: string,
    manifest: TidbClusterManifest,
    { spec }: OnDestroyArgs,
): BackupPlace | undefined {
    const { name, namespace } = brClusterOf(manifest);
    const checked = checkBr("Backup", manifestOf("backup", spec, name, namespace)) as BackupManifest;
    return placeOf(`${place} of TidbCluster ${name}`, checked, namespace, `${place}.spec`);
}

function manifestOf(
    name: string,
    spec: object,
    cluster: string,
    namespace: string,
    labels?: Record<string, string>,
): object {
    const { br } = spec as { br?: object };
    return {
        metadata: { name, namespace, labels },
        spec: { ...spec, br: { cluster, clusterNamespace: namespace, ...br } },
    };
}
