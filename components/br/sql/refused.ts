const volume = "Dumpling and TiDB Lightning use the storage itself; remove the field";
const path =
    "give `bucket` and `prefix`, where Dumpling's files are; an archive of tidb-operator has to be unpacked first";

/** Why a dump or a load lacks fields that BR lacks too, where the reason is another one. */
export const sqlReasons: Readonly<Record<string, string>> = {
    tikvGCLifeTime:
        "Dumpling itself keeps TiDB's GC back where it reaches PD; otherwise raise `tidb_gc_life_time` in TiDB",
    storageClassName: volume,
    volumeAttributesClassName: volume,
    storageSize: volume,
    "s3.path": path,
    "gcs.path": path,
    "azblob.path": path,
};

const byBr = (name: string, harmless?: unknown) => ({ path: name, why: "only BR does it", harmless });
const backupType = { path: "backupType", why: "give `tableFilter`", harmless: "full" };

/** Fields of BR that a dump or a load does not have: the path, why, and a value that changes nothing. */
export const ofBrOnly: Readonly<
    Record<"Backup" | "Restore", readonly { path: string; why: string; harmless?: unknown }[]>
> = {
    Backup: [
        backupType,
        byBr("backupMode", "snapshot"),
        { path: "commitTs", why: "give `--snapshot` in `dumpling.options`" },
        byBr("logSubcommand"),
        byBr("logTruncateUntil"),
        byBr("logStop", false),
        {
            path: "cleanPolicy",
            why: "only a full backup of BR is recognized; delete a dump yourself",
            harmless: "Retain",
        },
    ],
    Restore: [
        backupType,
        byBr("restoreMode", "snapshot"),
        byBr("pitrRestoredTs"),
        byBr("pitrFullBackupStorageProvider"),
        byBr("logRestoreStartTs"),
    ],
};
