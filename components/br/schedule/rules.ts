import { goDurationSeconds } from "../../../topology/goDuration";
import { isMap } from "../../plainMap";
import { specError, type SpecProblem } from "../../problem";
import { isDnsLabel } from "../../validation/kubernetesNames";
import { shown } from "../../validation/path";
import { pullSecretProblems } from "../../validation/podLists";
import { deletesData } from "../clean/cleanPolicy";
import { optionProblems, type RefusedOption } from "../optionRules";
import { parseCron } from "./cron";
import type { BackupScheduleManifest, BackupScheduleSpec } from "./spec";

/** The longest name of a CronJob: its controller adds 11 characters for a Job (kubernetes pkg/apis/batch/validation). */
const longestCronJob = 52;

/** A label of tidb-operator that lets several schedules take turns. */
const groupLabel = "tidb.pingcap.com/backup-schedule-group";

const log = "a BackupSchedule backs up snapshots only; make a Backup with `backupMode: log`";
const compact =
    "only tidb-operator's controller keeps where the last compaction ended; make a CompactBackup with `startTs` and `endTs`";
const dumpling = "only Dumpling uses it, and a schedule runs BR; remove the field";
const elsewhere = "tidb-operator does not use it either; it belongs into `backupTemplate`";

/** Fields of tidb-operator v1.6.6 (pkg/apis/pingcap/v1alpha1/types.go) that this package does not have, and why. */
const refused: Readonly<Record<string, string>> = {
    logBackupTemplate: log,
    compactBackupTemplate: compact,
    compactInterval: compact,
    minCompactStartTs: compact,
    storageClassName: dumpling,
    volumeAttributesClassName: dumpling,
    storageSize: dumpling,
    br: elsewhere,
    s3: elsewhere,
    gcs: elsewhere,
    azblob: elsewhere,
    local: elsewhere,
};

/** The fields that the schema does not know, because they are refused by name. */
export const refusedSchedulePaths: readonly string[] = Object.keys(refused).map((field) => `spec.${field}`);

/** @returns the name of the CronJob of a BackupSchedule. */
export function cronJobName(name: string): string {
    return `backup-${name}`;
}

/** @returns an error for each field that tidb-operator has and this package does not. */
export function refusedScheduleProblems({ spec }: Record<string, unknown>): SpecProblem[] {
    const values = isMap(spec) ? spec : {};
    return Object.entries(refused).flatMap(([field, why]) => {
        const value = values[field];
        const isSet = value !== undefined && value !== null && value !== "";
        return isSet ? [specError(`spec.${field}`, shown(value), "no such field", why)] : [];
    });
}

/** Checks what the schema cannot express. */
export function scheduleRuleProblems({ metadata, spec }: BackupScheduleManifest): SpecProblem[] {
    const cron = parseCron(spec.schedule);
    const most = longestCronJob - cronJobName("").length;
    return [
        ...pullSecretProblems("spec", spec),
        ...(isDnsLabel(metadata.name) && metadata.name.length <= most
            ? []
            : [
                  specError(
                      "metadata.name",
                      shown(metadata.name),
                      `at most ${most} lower-case letters, digits and \`-\`, with a letter or digit at both ends`,
                      `the CronJob is named ${cronJobName("<name>")}`,
                  ),
              ]),
        ...(metadata.labels?.[groupLabel] === undefined
            ? []
            : [
                  specError(
                      `metadata.labels["${groupLabel}"]`,
                      shown(metadata.labels[groupLabel]),
                      "no such label",
                      "schedules do not take turns here; choose times that do not overlap",
                  ),
              ]),
        ...("expected" in cron ? [specError("spec.schedule", shown(spec.schedule), cron.expected)] : []),
        ...limitProblems(spec),
        ...templateProblems(spec.backupTemplate),
        ...(spec.maxBackups || spec.maxReservedTime
            ? optionProblems("spec.backupTemplate.br.options", spec.backupTemplate.br?.options ?? [], encrypted)
            : []),
    ];
}

const encrypted: readonly RefusedOption[] = [
    [
        /^--crypter\.(?!method[= ]plaintext$)/,
        "no encryption by BR beside a limit; retention could not read whose backup one is",
    ],
];

function limitProblems({ maxBackups, maxReservedTime }: BackupScheduleSpec): SpecProblem[] {
    if (maxReservedTime === undefined) {
        return [];
    }
    const seconds = goDurationSeconds(maxReservedTime) ?? 0;
    return [
        ...(seconds >= 1
            ? []
            : [
                  specError(
                      "spec.maxReservedTime",
                      shown(maxReservedTime),
                      "a Go duration of at least a second, such as 168h",
                  ),
              ]),
        ...(maxBackups
            ? [
                  specError(
                      "spec.maxBackups",
                      String(maxBackups),
                      "nothing beside spec.maxReservedTime",
                      "tidb-operator ignores it then; remove one of them",
                  ),
              ]
            : []),
    ];
}

/** What makes sense in one backup only. */
function templateProblems({
    backupMode,
    commitTs,
    cleanPolicy,
    br,
}: BackupScheduleSpec["backupTemplate"]): SpecProblem[] {
    const field = "spec.backupTemplate";
    const options: readonly RefusedOption[] = [
        [/^(--storage|-s)/, "no storage; each backup gets a folder of its own in the storage of `backupTemplate`"],
        [/^--(lastbackupts|backupts)\b/, "no fixed time; retention would delete the backup that others build on"],
    ];
    return [
        ...(backupMode === undefined || backupMode === "snapshot"
            ? []
            : [
                  specError(
                      `${field}.backupMode`,
                      shown(backupMode),
                      "snapshot",
                      "a log backup never ends; it is a Backup of its own",
                  ),
              ]),
        ...(deletesData(cleanPolicy)
            ? [
                  specError(
                      `${field}.cleanPolicy`,
                      cleanPolicy,
                      "Retain; spec.maxBackups and spec.maxReservedTime delete the backups of a schedule",
                  ),
              ]
            : []),
        ...(commitTs
            ? [specError(`${field}.commitTs`, shown(commitTs), "nothing", "each backup would have the same state")]
            : []),
        ...optionProblems(`${field}.br.options`, br?.options ?? [], options),
    ];
}
