import { readChanges } from "../../../logBackup/logFiles";
import { tsoOf } from "../arguments/timestamps";
import { createTable, readTables } from "../cluster/simulatedTables";
import { brError } from "../errors";
import type { Storage } from "../storage/storage";
import { decodeMeta, metaFile } from "./backupMeta";
import { readLogInfo, withTime } from "./logInfo";
import { restore } from "./restore";
import type { Summary, Surroundings } from "./surroundings";

/**
 * Restores a full backup, and then what the log has until a time, after BR's checks of both (`RunStreamRestore` in br/pkg/task/stream.go, v8.5).
 *
 * @param openFull opens the storage of the full backup.
 */
export async function restorePoint(surroundings: Surroundings, openFull: () => Promise<Storage>): Promise<Summary> {
    const { values, log, pd, storage } = surroundings;
    const info = await readLogInfo(storage);
    const until = tsoOf(values.text("restored-ts")) || info.maxTs;
    const full = values.text("full-backup-storage") === "" ? undefined : await openFull();
    let from = tsoOf(values.text("start-ts"));
    if (full !== undefined) {
        const meta = decodeMeta(await full.read(metaFile)) as { clusterId: string; endVersion?: string };
        if (meta.clusterId !== info.clusterId) {
            throw brError(
                "invalidArgument",
                `the full snapshot(from cluster ID:${meta.clusterId}) and log(from cluster ID:${info.clusterId}) come from different cluster.`,
            );
        }
        from = BigInt(meta.endVersion ?? "0");
        if (from < info.minTs) {
            throw brError(
                "invalidArgument",
                `it has gap between full backup ts:${withTime(from)} and log backup ts:${withTime(info.minTs)}. `,
            );
        }
    }
    if (info.minTs > from || from > until || until > info.maxTs) {
        throw brError(
            "invalidArgument",
            `restore log from ${withTime(from)} to ${withTime(until)},  but the current existed log from ${withTime(info.minTs)} to ${withTime(info.maxTs)}`,
        );
    }
    const present = await readTables(pd);
    if (full !== undefined && present.length > 0) {
        const names = [...new Set(present.map(({ database }) => database))].join(",");
        throw brError(
            "databasesExist",
            `databases ${names} existed in restored cluster, please drop them before execute PiTR`,
        );
    }
    const restored = full && (await restore("Full Restore", { ...surroundings, storage: full }));
    const changes = (await readChanges(storage)).filter(({ at }) => at > from && at <= until);
    for (const { table } of changes) {
        await createTable(pd, table);
    }
    log.info(
        "restore log success summary",
        { "source-start-point": String(from), "source-end-point": String(until), "total-kv-count": changes.length },
        "collector.go:77",
    );
    return {
        title: "restore log",
        tables: (restored?.tables ?? 0) + changes.length,
        bytes: restored?.bytes ?? 0,
        fields: {},
    };
}
