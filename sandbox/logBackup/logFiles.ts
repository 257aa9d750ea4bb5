import type { UserTable } from "../dataPlane/facts/userTable";
import type { Storage } from "../recorders/br/storage/storage";

/** A table as it is from a time on. */
export interface TableChange {
    /** A TSO. */
    readonly at: bigint;
    readonly table: UserTable;
}

const changesFolder = "v1/backupmeta/";
const checkpointFolder = "v1/global_checkpoint/";
/** BR misspells it. */
export const truncatedFile = "v1_stream_trancate_safepoint.txt";

/** TiKV's part of a log backup: writes what has changed until a time, and that time. */
export async function writeChanges(storage: Storage, changes: readonly TableChange[], until: bigint): Promise<void> {
    if (changes.length > 0) {
        const content = changes.map(({ at, table }) => ({ at: String(at), table }));
        await storage.write(`${changesFolder}${until}.meta`, JSON.stringify(content));
    }
    await storage.write(`${checkpointFolder}1.ts`, String(until));
}

/** Reads all changes, in the order of their times. */
export async function readChanges(storage: Storage): Promise<TableChange[]> {
    const files = (await storage.list()).filter((name) => name.startsWith(changesFolder));
    const read = await Promise.all(files.map((name) => changesOf(storage, name)));
    return read.flat().sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Deletes the files in which everything is before a time. Returns how many that are. */
export async function deleteChanges(storage: Storage, until: bigint): Promise<number> {
    const files = (await storage.list()).filter((name) => name.startsWith(changesFolder));
    let deleted = 0;
    for (const name of files) {
        if ((await changesOf(storage, name)).every(({ at }) => at < until)) {
            await storage.delete(name);
            deleted++;
        }
    }
    return deleted;
}

/** The latest time that a TiKV has written: up to it, the log is whole. 0 if none has. */
export async function writtenUntil(storage: Storage): Promise<bigint> {
    const files = (await storage.list()).filter((name) => name.startsWith(checkpointFolder) && name.endsWith(".ts"));
    const times = await Promise.all(files.map(async (name) => BigInt((await storage.read(name)).toString())));
    return times.reduce((most, one) => (one > most ? one : most), 0n);
}

async function changesOf(storage: Storage, name: string): Promise<TableChange[]> {
    const content = JSON.parse((await storage.read(name)).toString()) as { at: string; table: UserTable }[];
    return content.map(({ at, table }) => ({ at: BigInt(at), table }));
}
