import { specError, type SpecProblem } from "../problem";
import { isMap } from "../plainMap";
import { shown } from "../validation/path";
import type { BrKind } from "./spec";
import { ofBrOnly, sqlReasons } from "./sql/refused";
import { isSqlSpec } from "./sql/spec";

/** A field of tidb-operator's kind that this package does not do, and why. */
interface RefusedField {
    /** Path inside `spec`. */
    readonly path: string;
    readonly why: string;
    /** A value that changes nothing, which is accepted: `false`, `0`. */
    readonly harmless?: unknown;
}

const volume = "BR needs no volume, because TiKV uses the storage itself; remove the field";
const gc = "BR itself keeps TiDB's GC from deleting what it reads, since v4.0.8; remove the field";
const sql =
    "BR does not need it; only a Backup or Restore of its own, without `br`, is one by Dumpling or TiDB Lightning";
const snapshots = "this package does not back up by snapshots of volumes";
const path = "tidb-operator's BR does not use it either; give `bucket` and `prefix`";
const rclone = "only the operator's rclone uses it; remove the field";
const retry = "a Job that failed is not started again; raise `attempt` in the program";

const ofStorages: readonly RefusedField[] = [
    { path: "useKMS", why: "only the operator's image decrypts Secrets with KMS", harmless: false },
    { path: "s3.path", why: path },
    { path: "s3.options", why: rclone },
    { path: "gcs.path", why: path },
    { path: "gcs.location", why: rclone },
    { path: "gcs.bucketAcl", why: rclone },
    { path: "azblob.path", why: path },
];

const both: readonly RefusedField[] = [
    { path: "tikvGCLifeTime", why: gc },
    { path: "storageClassName", why: volume },
    { path: "volumeAttributesClassName", why: volume },
    { path: "storageSize", why: volume },
    ...ofStorages,
];

/** What BR does only with a cluster: for a compaction it writes the storage down, and tidb-operator gives it nothing else either. */
const settingsOfBr = [
    ...["checksum", "checkRequirements", "concurrency", "db", "logLevel", "onLine", "options", "rateLimit"],
    ...["sendCredToTikv", "statusAddr", "table", "timeAgo"],
];

/** tidb-operator v1.6.6 pkg/apis/pingcap/v1alpha1/types.go. */
const refused: Readonly<Record<BrKind, readonly RefusedField[]>> = {
    Backup: [
        ...both,
        { path: "from", why: sql },
        { path: "dumpling", why: sql },
        { path: "calcSizeLevel", why: snapshots },
        { path: "federalVolumeBackupPhase", why: snapshots },
        { path: "resumeGcSchedule", why: snapshots, harmless: false },
        { path: "volumeBackupInitJobMaxActiveSeconds", why: snapshots },
        {
            path: "cleanOption",
            why: "rclone deletes the data of a Backup with a `cleanPolicy`; remove the field",
        },
        { path: "backoffRetryPolicy", why: retry },
        { path: "br.onLine", why: "only a restore has it" },
    ],
    Restore: [
        ...both,
        { path: "to", why: sql },
        {
            path: "prune",
            why: "it deletes what a failed restore left, and this package deletes nothing; drop it yourself",
        },
        { path: "federalVolumeRestorePhase", why: snapshots },
        { path: "volumeAZ", why: snapshots },
        { path: "warmup", why: snapshots },
        { path: "warmupImage", why: snapshots },
        { path: "warmupStrategy", why: snapshots },
        { path: "tolerateSingleTiKVOutage", why: snapshots, harmless: false },
        { path: "backoffLimit", why: retry, harmless: 0 },
        { path: "br.timeAgo", why: "only a backup has it" },
    ],
    CompactBackup: [
        ...ofStorages,
        { path: "maxRetryTimes", why: retry, harmless: 0 },
        ...settingsOfBr.map((name) => ({
            path: `br.${name}`,
            why: "a compaction does not use it, in tidb-operator neither; remove the field",
        })),
    ],
};

/** Values of fields that this package does not do, and why. */
const refusedValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    backupMode: { "volume-snapshot": snapshots },
    restoreMode: { "volume-snapshot": snapshots },
};

/** Fields of tidb-operator for which a dump or a load has a use. */
const ofSql = ["from", "to", "dumpling"];

function refusedOf(kind: BrKind, spec: unknown): readonly RefusedField[] {
    return kind === "CompactBackup" || !isSqlSpec(spec)
        ? refused[kind]
        : [
              ...refused[kind]
                  .filter(({ path }) => !ofSql.includes(path))
                  .map((one) => ({ ...one, why: sqlReasons[one.path] ?? one.why })),
              ...ofBrOnly[kind],
          ];
}

/** The fields that are refused unless their value changes nothing: the schema may not know them. */
export function refusedPaths(kind: BrKind, spec: unknown): readonly string[] {
    return refusedOf(kind, spec).map((one) => `spec.${one.path}`);
}

/** Returns an error for each field that tidb-operator has and this package does not do. A field is never ignored. */
export function refusedFieldProblems(kind: BrKind, spec: unknown): SpecProblem[] {
    const values = isMap(spec) ? spec : {};
    const fields = refusedOf(kind, spec);
    return [
        ...fields.flatMap((one) => {
            const value = one.path.split(".").reduce<unknown>((at, key) => (isMap(at) ? at[key] : undefined), values);
            const isSet = value !== undefined && value !== null && value !== "" && value !== one.harmless;
            return isSet ? [specError(`spec.${one.path}`, shown(value), "no such field", one.why)] : [];
        }),
        ...Object.entries(refusedValues).flatMap(([field, words]) => {
            const value = fields.some(({ path }) => path === field) ? undefined : values[field];
            const why = typeof value === "string" && Object.hasOwn(words, value) ? words[value] : undefined;
            return why === undefined ? [] : [specError(`spec.${field}`, shown(value), expectedOf(field), why)];
        }),
    ];
}

function expectedOf(field: string): string {
    return field === "backupMode" ? "snapshot or log" : "snapshot or pitr";
}
