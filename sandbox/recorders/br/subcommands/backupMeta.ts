import { createHash } from "node:crypto";
import type { UserTable } from "../../../dataPlane/facts/userTable";

/** The files of a backup, by BR's names (br/pkg/metautil/metafile.go and br/pkg/checkpoint/backup.go, v8.5). */
export const metaFile = "backupmeta";
export const lockFile = "backup.lock";
export const checkpointFile = "checkpoints/backup/checkpoint.meta";
export const checkpointLockFile = "checkpoints/backup/checkpoint.lock";

/** What a backup says of itself. BR's own form is a protocol buffer: the recorder writes its first two fields so, and all of them as JSON after that. */
export interface BackupMeta {
    readonly clusterId: string;
    readonly clusterVersion: string;
    readonly brVersion: string;
    readonly endVersion: string;
    readonly tables: readonly SavedTable[];
}

/** A table in a backup. */
export interface SavedTable {
    readonly database: string;
    readonly name: string;
    readonly file: string;
    readonly rows: number;
    readonly bytes: number;
    readonly checksum: string;
}

/** A backup that has begun: what it is asked for, and the tables that it has written. */
export interface Checkpoint {
    readonly configHash: string;
    readonly backupTs: string;
    readonly saved: readonly SavedTable[];
}

/** @returns the content of `backupmeta`. It begins with the cluster's ID, as a varint, and its version (pingcap/kvproto brpb.proto). */
export function encodeMeta(meta: BackupMeta): Uint8Array<ArrayBuffer> {
    const version = Buffer.from(meta.clusterVersion);
    const id: number[] = [];
    let rest = BigInt(meta.clusterId);
    for (; rest > 0x7fn; rest >>= 7n) {
        id.push(Number(rest & 0x7fn) | 0x80);
    }
    const json = Buffer.from(JSON.stringify(meta, undefined, 2));
    return new Uint8Array([0x08, ...id, Number(rest), 0x12, version.length, ...version, ...json]);
}

/** @throws SyntaxError if it is no `backupmeta` of the recorder. */
export function decodeMeta(content: Buffer): BackupMeta {
    return JSON.parse(content.subarray(Math.max(0, content.indexOf('{\n  "clusterId"'))).toString()) as BackupMeta;
}

/** The content of a table's file. BR's own are SST files, of which each region has its own. */
export function tableContent(table: UserTable): string {
    return JSON.stringify(table.rows);
}

/** Describes a table as it is written. */
export function describeTable(table: UserTable, index: number): SavedTable {
    const { database, name, rows } = table;
    const content = tableContent(table);
    const file = `${index + 1}_${encodeURIComponent(database)}.${encodeURIComponent(name)}_write.sst`;
    return { database, name, file, rows: rows.length, bytes: content.length, checksum: checksumOf(rows) };
}

/** A checksum of a table's rows, whatever their order. */
export function checksumOf(rows: readonly string[]): string {
    return createHash("sha256")
        .update(JSON.stringify([...rows].sort()))
        .digest("hex");
}

/** A timestamp of TiDB: milliseconds since 1970, shifted by 18 bits (tikv/client-go oracle). */
export function timestampOf(milliseconds: number): string {
    return String(BigInt(Math.floor(milliseconds)) << 18n);
}
