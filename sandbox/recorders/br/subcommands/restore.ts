import { checkBackupVersion } from "../cluster/clusterFacts";
import type { UserTable } from "../../../dataPlane/facts/userTable";
import { createTable, readTables } from "../cluster/simulatedTables";
import { brError, BrError } from "../errors";
import type { Storage } from "../storage/storage";
import { type BackupMeta, checksumOf, decodeMeta, metaFile, type SavedTable } from "./backupMeta";
import { choiceOf, inBackquotes } from "./chosenTables";
import { logProgress, type Summary, type Surroundings } from "./surroundings";

const namedTables = 10;

/**
 * Creates the chosen tables of a backup in the cluster, with their rows, and then compares checksums. Throws as BR does if there
 * is no backup, if it is of a version that the cluster cannot take, if the cluster is not empty, or if a table is there already
 * (`runSnapshotRestore` in br/pkg/task/restore.go, v8.5).
 */
export async function restore(title: string, surroundings: Surroundings): Promise<Summary> {
    const { values, log, pd, storage, cluster, faults } = surroundings;
    const meta = await readMeta(storage);
    const checksRequirements = values.isOn("check-requirements");
    if (checksRequirements) {
        checkBackupVersion(cluster, meta.clusterVersion.replaceAll('"', ""));
    }
    checkContained(surroundings, meta.tables);
    const chosen = meta.tables.filter(choiceOf(values));
    const present = await readTables(pd);
    if (title === "Full Restore" && !values.isGiven("filter")) {
        log.info("checking whether target cluster is fresh", {}, "client.go:928");
        checkFresh(present);
    }
    if (checksRequirements) {
        checkAbsent(chosen, present);
    }
    const restored: [SavedTable, UserTable][] = [];
    for (const [index, saved] of chosen.entries()) {
        logProgress(log, title, index, chosen.length);
        await faults.beforeTable(index);
        const rows = JSON.parse((await storage.read(saved.file)).toString()) as string[];
        const table: UserTable = { database: saved.database, name: saved.name, rows };
        await createTable(pd, table);
        restored.push([saved, table]);
    }
    logProgress(log, title, chosen.length, chosen.length);
    if (values.isOn("checksum")) {
        restored.forEach(([saved, table]) => checkRows(surroundings, saved, table));
    }
    const bytes = chosen.reduce((sum, table) => sum + table.bytes, 0);
    return { title, tables: chosen.length, bytes, fields: { BackupTS: meta.endVersion } };
}

async function readMeta(storage: Storage): Promise<BackupMeta> {
    let content: Buffer;
    try {
        content = await storage.read(metaFile);
    } catch (error) {
        throw new BrError(`load backupmeta failed: ${(error as Error).message}`);
    }
    try {
        return decodeMeta(content);
    } catch (error) {
        throw new BrError(`parse backupmeta failed because of wrong aes cipher: ${(error as Error).message}`);
    }
}

function checkContained({ values }: Surroundings, tables: readonly SavedTable[]): void {
    if (!values.has("db")) {
        return;
    }
    const database = values.text("db");
    const ofDatabase = tables.filter((table) => table.database.toLowerCase() === database.toLowerCase());
    const about = (what: string, name: string): string =>
        `[${what}: ${name}] has not been backup, please ensure you has input a correct ${what} name`;
    if (ofDatabase.length === 0) {
        throw brError("undefinedDatabaseOrTable", about("database", inBackquotes(database)));
    }
    const table = values.has("table") ? values.text("table") : undefined;
    if (table !== undefined && !ofDatabase.some(({ name }) => name.toLowerCase() === table.toLowerCase())) {
        const name = `${inBackquotes(database)}.${inBackquotes(table)}`;
        throw brError("undefinedDatabaseOrTable", about("table", name));
    }
}

function checkFresh(present: readonly UserTable[]): void {
    const names = present.slice(0, namedTables).map(({ database, name }) => `${database}.${name}`);
    if (names.length > 0) {
        const list = present.length > namedTables ? [...names, "..."] : names;
        throw brError("notFreshCluster", `user db/tables: ${list.join(", ")}`);
    }
}

function checkAbsent(chosen: readonly SavedTable[], present: readonly UserTable[]): void {
    const key = ({ database, name }: { database: string; name: string }): string => `${database}.${name}`.toLowerCase();
    const known = new Set(present.map(key));
    const both = chosen.filter((table) => known.has(key(table)));
    if (both.length > 0) {
        const names = both.map(({ database, name }) => `${database}.${name} `).join("");
        throw brError("tablesExist", `table already exists: ${names}`);
    }
}

function checkRows({ log }: Surroundings, saved: SavedTable, table: UserTable): void {
    const fields = { db: saved.database, table: saved.name };
    if (checksumOf(table.rows) !== saved.checksum) {
        log.error("failed in validate checksum", fields, "client.go:1056");
        throw brError("checksumMismatch", "failed to validate checksum");
    }
    log.info("success in validating checksum", fields, "client.go:1068");
}
