const gc =
    "Dumpling itself keeps TiDB's GC from deleting what it reads, where it reaches PD; otherwise raise `tidb_gc_life_time` in TiDB yourself";
const volume = "no volume is needed, because Dumpling and TiDB Lightning use the storage itself; remove the field";
const path =
    "give `bucket` and `prefix`: TiDB Lightning reads a folder of Dumpling's files, and no archive of tidb-operator's, which has to be unpacked first";
const br = "only BR does it; give `br` instead";
const filter = "give `tableFilter`";

/** Why a dump or a load lacks fields that BR lacks too, where the reason is another one. */
export const sqlReasons: Readonly<Record<string, string>> = {
    tikvGCLifeTime: gc,
    storageClassName: volume,
    volumeAttributesClassName: volume,
    storageSize: volume,
    "s3.path": path,
    "gcs.path": path,
    "azblob.path": path,
};

/** Fields of BR that a dump or a load does not have: the path, why, and a value that changes nothing. */
export const ofBrOnly: Readonly<
    Record<"Backup" | "Restore", readonly { path: string; why: string; harmless?: unknown }[]>
> = {
    Backup: [
        { path: "backupType", why: filter, harmless: "full" },
        { path: "backupMode", why: br, harmless: "snapshot" },
        { path: "commitTs", why: "give `--snapshot` in `dumpling.options`" },
        { path: "logSubcommand", why: br },
        { path: "logTruncateUntil", why: br },
        { path: "logStop", why: br, harmless: false },
        {
            path: "cleanPolicy",
            why: "only a full backup of BR is recognized; delete a dump with the storage's own tools",
            harmless: "Retain",
        },
    ],
    Restore: [
        { path: "backupType", why: filter, harmless: "full" },
        { path: "restoreMode", why: br, harmless: "snapshot" },
        { path: "pitrRestoredTs", why: br },
        { path: "pitrFullBackupStorageProvider", why: br },
        { path: "logRestoreStartTs", why: br },
    ],
};
