import { isDeepStrictEqual } from "node:util";
import { timestampForms, tsoOf } from "../../topology/timestamps";
import { specError, type SpecProblem } from "../problem";
import { shown } from "../validation/path";
import { optionProblems, type RefusedOption } from "./optionRules";
import type { StorageProvider } from "./jobSpec";
import type { BackupSpec, BrKind, RestoreSpec } from "./spec";
import { storageOf } from "./storages";

/** Settings of BR that its log commands refuse, or do not read (pingcap/tidb br/pkg/task/stream.go). */
const notOfLogs = ["concurrency", "rateLimit", "timeAgo", "checksum"] as const;

/** BR takes the last of two flags, so these would make another step than the plan shows. */
const logOptions: readonly RefusedOption[] = [
    [
        /^(--(task-name|storage|pd|until|start-ts|end-ts|dry-run)(=|$)|-[su])/,
        "no flag that the other fields set; the step would not be the one that the plan shows",
    ],
];
const pointOptions: readonly RefusedOption[] = [
    [
        /^(--(storage|full-backup-storage|pd|restored-ts|start-ts)(=|$)|-[su])/,
        "no flag that the other fields set; the restore would not be the one that was checked",
    ],
];

/** Checks the fields of a log backup, or of a restore to a point in time. */
export function logRuleProblems(kind: BrKind, spec: BackupSpec | RestoreSpec): SpecProblem[] {
    return kind === "Backup" ? backupProblems(spec as BackupSpec) : restoreProblems(spec as RestoreSpec);
}

function backupProblems(spec: BackupSpec): SpecProblem[] {
    const { logSubcommand, logTruncateUntil, logStop, backupType, tableFilter, commitTs, br, cleanPolicy } = spec;
    if (spec.backupMode !== "log") {
        return without("spec.backupMode log", { logSubcommand, logTruncateUntil, logStop: logStop || undefined });
    }
    const whole = "a log backup is of the whole cluster";
    return [
        ...(logStop !== undefined && logSubcommand !== undefined
            ? [specError("spec.logStop", shown(logStop), "only one of logStop and logSubcommand")]
            : []),
        ...(backupType === undefined || backupType === "full"
            ? []
            : [specError("spec.backupType", shown(backupType), "full", whole)]),
        ...(tableFilter?.length ? [specError("spec.tableFilter", shown(tableFilter), "none", whole)] : []),
        ...notOfLogs.flatMap((field) =>
            br[field] === undefined
                ? []
                : [
                      specError(
                          `spec.br.${field}`,
                          shown(br[field]),
                          "nothing with spec.backupMode log, which does not use it",
                      ),
                  ],
        ),
        ...(cleanPolicy === undefined || cleanPolicy === "Retain"
            ? []
            : [
                  specError(
                      "spec.cleanPolicy",
                      shown(cleanPolicy),
                      "Retain: a log backup goes on when it leaves the program",
                  ),
              ]),
        ...timestampProblems({ commitTs, logTruncateUntil }),
        ...optionProblems("spec.br.options", br.options ?? [], logOptions),
    ];
}

function restoreProblems(spec: RestoreSpec): SpecProblem[] {
    const { pitrRestoredTs, logRestoreStartTs, pitrFullBackupStorageProvider: full, backupType } = spec;
    if (spec.restoreMode !== "pitr") {
        const fields = { pitrRestoredTs, logRestoreStartTs, pitrFullBackupStorageProvider: full };
        return without("spec.restoreMode pitr", fields);
    }
    const [from, to] = [tsoOf(logRestoreStartTs ?? ""), tsoOf(pitrRestoredTs ?? "")];
    return [
        ...((full === undefined) === !logRestoreStartTs
            ? [
                  specError(
                      "spec.pitrFullBackupStorageProvider",
                      full === undefined ? "nothing" : "it and logRestoreStartTs",
                      "either it or logRestoreStartTs",
                  ),
              ]
            : []),
        ...(backupType === undefined || backupType === "full"
            ? []
            : [specError("spec.backupType", shown(backupType), "full, or spec.tableFilter")]),
        ...timestampProblems({ pitrRestoredTs, logRestoreStartTs }),
        ...optionProblems("spec.br.options", spec.br.options ?? [], pointOptions),
        ...(from !== undefined && to !== undefined && from > to
            ? [specError("spec.pitrRestoredTs", shown(pitrRestoredTs), "a time after logRestoreStartTs")]
            : []),
        ...(full === undefined ? [] : fullBackupProblems(full, spec)),
    ];
}

/** The fields of a storage that may differ between the log and the full backup, because they are in the URL that BR gets for each. */
const inUrl = ["bucket", "container", "prefix"];

/** BR reads the full backup with the settings and the keys of the log's storage. */
function fullBackupProblems(full: StorageProvider, log: StorageProvider): SpecProblem[] {
    const field = "spec.pitrFullBackupStorageProvider";
    const names = ["s3", "gcs", "azblob", "local"] as const;
    const [kind, more] = names.filter((name) => full[name] !== undefined);
    if (kind === undefined || more !== undefined || log[kind] === undefined) {
        const own = names.find((name) => log[name] !== undefined);
        return [specError(field, shown(full), `a storage of the log's kind: ${own ?? "one"}`)];
    }
    const [one, other] = [{ ...full[kind] } as Record<string, unknown>, { ...log[kind] } as Record<string, unknown>];
    const differing = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
        (key) => !inUrl.includes(key) && !isDeepStrictEqual(one[key], other[key]),
    );
    const place = (one.bucket ?? one.container ?? "local") as string;
    return [
        ...differing.map((key) =>
            specError(
                `${field}.${kind}.${key}`,
                one[key] === undefined ? "nothing" : shown(one[key]),
                `the value of spec.${kind}.${key}, because BR reads both with the same settings`,
            ),
        ),
        ...(place === "" ? [specError(`${field}.${kind}`, "no bucket", "its name")] : []),
        ...(`${one.prefix as string}`.split("/").some((part) => part === "." || part === "..")
            ? [specError(`${field}.${kind}.prefix`, shown(one.prefix), "a path without `.` and `..`")]
            : []),
        ...(storageOf(full).url === storageOf(log).url
            ? [specError(`${field}.${kind}.prefix`, shown(one.prefix), "another place than that of the log")]
            : []),
    ];
}

function timestampProblems(times: Readonly<Record<string, string | undefined>>): SpecProblem[] {
    return Object.entries(times).flatMap(([field, time]) =>
        time === undefined || time === "" || tsoOf(time) !== undefined
            ? []
            : [specError(`spec.${field}`, shown(time), timestampForms)],
    );
}

function without(mode: string, fields: Readonly<Record<string, unknown>>): SpecProblem[] {
    return Object.entries(fields).flatMap(([field, value]) =>
        value === undefined || value === ""
            ? []
            : [specError(`spec.${field}`, shown(value), `nothing, or ${mode}, which uses it`)],
    );
}
