import { readTables } from "../cluster/simulatedTables";
import {
    type BackupMeta,
    type Checkpoint,
    checkpointFile,
    describeTable,
    encodeMeta,
    lockFile,
    metaFile,
    type SavedTable,
    tableContent,
    timestampOf,
} from "./backupMeta";
import { checkNotInUse, configHash, removeCheckpoint, takeCheckpointLock } from "./checkpoint";
import { choiceOf } from "./chosenTables";
import { logProgress, type Summary, type Surroundings } from "./surroundings";

const lockText = "DO NOT DELETE\nThis file exists to remind other backup jobs won't use this path";

/**
 * Writes the chosen tables of the cluster, one file each, and then `backupmeta`. One that was killed goes on with the tables
 * that are missing, if it is asked for the same.
 */
export async function backup(title: string, surroundings: Surroundings): Promise<Summary> {
    const { values, log, pd, storage, now } = surroundings;
    const hash = configHash(values);
    const before = await checkNotInUse(storage, hash);
    await storage.write(lockFile, lockText);
    const endVersion = before?.backupTs ?? (values.text("backupts") || timestampOf(now()));
    const chosen = (await readTables(pd)).filter(choiceOf(values));
    if (chosen.length === 0) {
        log.warn(
            "Nothing to backup, maybe connected to cluster for restoring",
            { "PD address": values.list("pd").join(",") },
            "backup.go:585",
        );
        await writeMeta(surroundings, endVersion, []);
        return { title, tables: 0, bytes: 0, fields: { Result: "Nothing to bakcup" } };
    }
    const keepsCheckpoint = values.isOn("use-checkpoint") && values.text("lastbackupts") === "";
    if (keepsCheckpoint) {
        await takeCheckpointLock(storage, now());
    }
    const saved = [...(before?.saved ?? [])];
    for (const [index, table] of chosen.entries()) {
        logProgress(log, title, index, chosen.length);
        const described = describeTable(table, index);
        if (saved.some(({ file }) => file === described.file)) {
            continue;
        }
        await surroundings.faults.beforeTable(index);
        await storage.write(described.file, tableContent(table));
        saved.push(described);
        if (keepsCheckpoint) {
            const checkpoint: Checkpoint = { configHash: hash, backupTs: endVersion, saved };
            await storage.write(checkpointFile, JSON.stringify(checkpoint));
        }
    }
    logProgress(log, title, chosen.length, chosen.length);
    if (!values.isGiven("checksum") || !values.isOn("checksum")) {
        log.info("Skip fast checksum", {}, "backup.go:702");
    }
    logProgress(log, "Checksum", 1, 1);
    await writeMeta(surroundings, endVersion, saved);
    if (keepsCheckpoint) {
        await removeCheckpoint(storage);
    }
    const bytes = saved.reduce((sum, table) => sum + table.bytes, 0);
    return { title, tables: saved.length, bytes, fields: { BackupTS: endVersion } };
}

async function writeMeta(
    { storage, cluster, brVersion }: Surroundings,
    endVersion: string,
    tables: readonly SavedTable[],
): Promise<void> {
    const { clusterId, clusterVersion } = cluster;
    const meta: BackupMeta = { clusterId, clusterVersion, brVersion, endVersion, tables };
    await storage.write(metaFile, encodeMeta(meta));
}
