import type { Volume, VolumeMount } from "../kubernetes/pod";
import { specError, type SpecProblem } from "../problem";
import { environmentProblems } from "../validation/environment";
import { isDnsLabel } from "../validation/kubernetesNames";
import { shown } from "../validation/path";
import { pullSecretProblems, variableProblems } from "../validation/podLists";
import { clientTlsFolder } from "./arguments";
import { deletesData } from "./clean/cleanPolicy";
import { compactRuleProblems } from "./compact/rules";
import type { CompactBackupSpec } from "./compact/spec";
import { filterProblems } from "./filterRules";
import { brJobName } from "./job";
import { logRuleProblems } from "./logRules";
import type { JobPodSpec, LocalStorageProvider, S3StorageProvider, StorageProvider } from "./jobSpec";
import { optionProblems, type RefusedOption } from "./optionRules";
import { runFolder, runVolume } from "./runVolume";
import { secretProblems } from "./secretRules";
import type { BackupSpec, BrKind, BrManifest, RestoreSpec } from "./spec";
import { sqlTlsFolder, sqlTlsVolume } from "./sql/arguments";
import { sqlRuleProblems } from "./sql/rules";
import { isSql, type SqlManifest } from "./sql/spec";

const storages = ["s3", "gcs", "azblob", "local"] as const;

/** Checks what the schema cannot express (tidb-operator pkg/backup/util/util.go), and what would fail only in the Job. */
export function brRuleProblems(kind: BrKind, manifest: BrManifest | SqlManifest): SpecProblem[] {
    const { metadata, spec } = manifest;
    return [
        ...nameProblems(kind, metadata),
        ...(isSql(manifest) ? sqlRuleProblems(kind, manifest) : workProblems(kind, manifest.spec)),
        ...storageProblems(spec),
        ...environmentProblems("spec.env", spec.env),
        ...variableProblems("spec", spec),
        ...pullSecretProblems("spec", spec),
        ...volumeProblems(spec),
        ...(kind === "Backup" ? cleanProblems(spec as BackupSpec) : []),
    ];
}

function cleanProblems({ cleanPolicy, s3, gcs, azblob, local }: BackupSpec): SpecProblem[] {
    if (!deletesData(cleanPolicy)) {
        return [];
    }
    return [
        // Without a prefix, a backup is not the only thing in its bucket.
        ...(trimmed((s3 ?? gcs ?? azblob ?? local)?.prefix)
            ? []
            : ["Retain without a `prefix`, in which nothing but this backup is"]),
        ...(cleanPolicy === "OnFailure" && local
            ? ["Retain or Delete on a volume, whose files have the times of the nodes' clocks"]
            : []),
    ].map((expected) => specError("spec.cleanPolicy", cleanPolicy, expected));
}

function workProblems(kind: BrKind, spec: BrManifest["spec"]): SpecProblem[] {
    const work = spec as BackupSpec | RestoreSpec;
    return [
        ...(spec.br.cluster === "" ? [specError("spec.br.cluster", "nothing", "the name of the TidbCluster")] : []),
        ...(kind === "CompactBackup"
            ? compactRuleProblems(spec as CompactBackupSpec)
            : [
                  ...selectionProblems(work),
                  ...optionRuleProblems(work),
                  ...logRuleProblems(kind, work),
                  ...googleKeyProblems(work),
              ]),
    ];
}

/** BR refuses to send a workload identity of Google to TiKV, because it is no key (pingcap/tidb br/pkg/storage/gcs.go). */
function googleKeyProblems({ gcs, br, env = [] }: BackupSpec | RestoreSpec): SpecProblem[] {
    const own = [...(br.options ?? []), ...env.map(({ name }) => name)];
    return gcs && !gcs.secretName && br.sendCredToTikv !== false && !own.some((one) => /credentials/i.test(one))
        ? [
              specError(
                  "spec.br.sendCredToTikv",
                  String(br.sendCredToTikv ?? "nothing"),
                  "false without spec.gcs.secretName: workload identity is no key that TiKV could get, so it needs its own",
              ),
          ]
        : [];
}

/** If a flag is given twice, BR uses the last one. With `--help` it succeeds without doing anything. */
const otherWork: readonly RefusedOption[] = [
    [/^(--(pd|help|version)(=|$)|-[huV])/, "no flag with which BR works on another cluster, or does nothing"],
];

/** The options of log commands have rules of their own. */
function optionRuleProblems(spec: BackupSpec | RestoreSpec): SpecProblem[] {
    const ofLog =
        ("backupMode" in spec && spec.backupMode === "log") || ("restoreMode" in spec && spec.restoreMode === "pitr");
    return ofLog ? [] : optionProblems("spec.br.options", spec.br.options ?? [], otherWork);
}

function nameProblems(kind: BrKind, { name, namespace }: BrManifest["metadata"]): SpecProblem[] {
    const job = brJobName(kind, name);
    return [
        // A Job's name is also the value of a label of its pods, and a further attempt gets `-2` and so on at its end.
        ...(isDnsLabel(job) && job.length <= 58
            ? []
            : [
                  specError(
                      "metadata.name",
                      shown(name),
                      `at most ${58 - brJobName(kind, "").length} lower-case letters, digits and \`-\`, with a letter or digit at the end`,
                      `the Job is named ${job.length > 80 ? `${job.slice(0, 77)}...` : job}`,
                  ),
              ]),
        ...(namespace === undefined || isDnsLabel(namespace)
            ? []
            : [specError("metadata.namespace", shown(namespace), "the name of a namespace")]),
    ];
}

function selectionProblems({ backupType, tableFilter, br }: BackupSpec | RestoreSpec): SpecProblem[] {
    const needs = (field: "db" | "table", type: string) =>
        br[field] ? [] : [specError(`spec.br.${field}`, "nothing", `its name, because spec.backupType is ${type}`)];
    const without = (field: "db" | "table", expected: string) =>
        br[field] ? [specError(`spec.br.${field}`, shown(br[field]), expected)] : [];
    return [
        ...(backupType === "db" ? [...needs("db", "db"), ...without("table", "no table with spec.backupType db")] : []),
        ...(backupType === "table" ? [...needs("db", "table"), ...needs("table", "table")] : []),
        ...(backupType === undefined || backupType === "full"
            ? (["db", "table"] as const).flatMap((field) =>
                  without(
                      field,
                      "spec.backupType db or table, or spec.tableFilter; everything would be taken otherwise",
                  ),
              )
            : []),
        ...filterProblems("spec.tableFilter", tableFilter),
    ];
}

function storageProblems(spec: StorageProvider): SpecProblem[] {
    const given = storages.filter((name) => spec[name] !== undefined);
    if (given.length !== 1) {
        const found = given.length === 0 ? "no storage" : given.join(" and ");
        return [specError("spec", found, `exactly one of ${storages.join(", ")}`)];
    }
    const [name] = given;
    const field = `spec.${name}`;
    return [
        ...(spec.s3 ? s3Problems(spec.s3) : []),
        ...(spec.gcs ? textProblems("spec.gcs.projectId", spec.gcs.projectId, "the project of the bucket") : []),
        ...(spec.local
            ? localProblems(spec.local)
            : textProblems(
                  `${field}.${name === "azblob" ? "container" : "bucket"}`,
                  trimmed(spec.s3?.bucket ?? spec.gcs?.bucket ?? spec.azblob?.container),
                  "its name",
              )),
        ...secretProblems(`${field}.secretName`, (spec.s3 ?? spec.gcs ?? spec.azblob)?.secretName),
        ...(spec.azblob && !spec.azblob.secretName && !spec.azblob.storageAccount
            ? [
                  specError(
                      "spec.azblob.storageAccount",
                      "nothing",
                      "the storage account, unless secretName names a Secret that has it",
                  ),
              ]
            : []),
        ...(spec.azblob?.sasToken && spec.azblob.secretName && spec.azblob.storageAccount
            ? [specError("spec.azblob.secretName", shown(spec.azblob.secretName), "either sasToken or secretName")]
            : []),
        ...placeProblems(`${field}.prefix`, spec[name]?.prefix),
        ...placeProblems("spec.s3.bucket", spec.s3?.bucket),
        ...placeProblems("spec.gcs.bucket", spec.gcs?.bucket),
        ...placeProblems("spec.azblob.container", spec.azblob?.container),
        ...placeProblems("spec.local.volumeMount.mountPath", spec.local?.volumeMount.mountPath),
    ];
}

function s3Problems({ endpoint }: S3StorageProvider): SpecProblem[] {
    const isUrl = !endpoint || /^https?:\/\/[^/?#\s]+/.test(endpoint);
    return isUrl
        ? []
        : [
              specError(
                  "spec.s3.endpoint",
                  shown(endpoint),
                  "a URL with its scheme and host, such as https://minio:9000",
              ),
          ];
}

function localProblems({ volume, volumeMount }: LocalStorageProvider): SpecProblem[] {
    const { name, mountPath } = volumeMount;
    return [
        ...(name === volume.name
            ? []
            : [specError("spec.local.volumeMount.name", shown(name), `${shown(volume.name)}, the name of the volume`)]),
        ...(mountPath.startsWith("/") && !mountPath.includes(":")
            ? []
            : [specError("spec.local.volumeMount.mountPath", shown(mountPath), "an absolute path without `:`")]),
    ];
}

/** `..` would lead out of the part of the storage that belongs to this object, and the tools do not take `?`, `#` and `%` as parts of a path. */
function placeProblems(field: string, path: string | undefined): SpecProblem[] {
    return path?.split("/").some((part) => part === "." || part === "..") || /[?#%]/.test(path ?? "")
        ? [specError(field, shown(path), "a path without `.` and `..`, and without ?, # and %")]
        : [];
}

function textProblems(field: string, value: string | undefined, expected: string): SpecProblem[] {
    return value ? [] : [specError(field, "nothing", expected)];
}

function trimmed(text: string | undefined): string | undefined {
    return text?.replace(/^\/+|\/+$/g, "");
}

function volumeProblems({ additionalVolumes = [], additionalVolumeMounts = [], local }: JobPodSpec): SpecProblem[] {
    const names: Volume[] = [...(local ? [local.volume] : []), ...additionalVolumes];
    const mounts: VolumeMount[] = [...(local ? [local.volumeMount] : []), ...additionalVolumeMounts];
    return [
        ...additionalVolumes.flatMap(({ name }, index) =>
            names.filter((other) => other.name === name).length > 1 || own.includes(name)
                ? [specError(`spec.additionalVolumes[${index}].name`, shown(name), "a name that no other volume has")]
                : [],
        ),
        ...additionalVolumeMounts.flatMap(({ name, mountPath }, index) => [
            ...(names.some((volume) => volume.name === name)
                ? []
                : [
                      specError(
                          `spec.additionalVolumeMounts[${index}].name`,
                          shown(name),
                          "the name of a volume in additionalVolumes",
                      ),
                  ]),
            ...(mounts.filter((other) => other.mountPath === mountPath).length > 1 || ownFolders.includes(mountPath)
                ? [
                      specError(
                          `spec.additionalVolumeMounts[${index}].mountPath`,
                          shown(mountPath),
                          "a path without another mount",
                      ),
                  ]
                : []),
        ]),
    ];
}

/** Names of the volumes that a pod may get anyway, and where they are mounted. */
const own: readonly string[] = ["cluster-client-tls", "gcs-credentials", sqlTlsVolume, runVolume.volume.name];
const ownFolders: readonly string[] = [clientTlsFolder, sqlTlsFolder, runFolder];
