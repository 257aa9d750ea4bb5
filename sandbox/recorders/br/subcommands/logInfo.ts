import { truncatedFile, writtenUntil } from "../../../logBackup/logFiles";
import { brError } from "../errors";
import type { Storage } from "../storage/storage";
import { decodeMeta, metaFile } from "./backupMeta";

/** What the storage of a log backup says of it (`getLogInfo` in br/pkg/task/stream.go, v8.5). */
export interface LogInfo {
    readonly minTs: bigint;
    readonly maxTs: bigint;
    readonly clusterId: string;
}

/** The file that `br log start` writes. */
export interface LogMeta {
    readonly clusterId: string;
    readonly clusterVersion: string;
    readonly startVersion: string;
}

/** Reads what the storage says. Throws as BR does if it has no log backup. */
export async function readLogInfo(storage: Storage): Promise<LogInfo> {
    const meta = decodeMeta(await storage.read(metaFile)) as Partial<LogMeta> & { endVersion?: string };
    if (meta.endVersion !== undefined) {
        throw brError("unknownStorage", "the storage has been used for full backup");
    }
    const begin = max(BigInt(meta.startVersion ?? "0"), await truncatedUntil(storage));
    return { minTs: begin, maxTs: max(begin, await writtenUntil(storage)), clusterId: meta.clusterId ?? "" };
}

/** The time until which the log was truncated. 0 if it never was. */
export async function truncatedUntil(storage: Storage): Promise<bigint> {
    return (await storage.exists(truncatedFile)) ? BigInt((await storage.read(truncatedFile)).toString()) : 0n;
}

/** A TSO with its time, as BR writes it. */
export function withTime(ts: bigint): string {
    return `${ts}(${new Date(Number(ts >> 18n)).toISOString().replace("T", " ").replace("Z", "")} +0000 UTC)`;
}

function max(one: bigint, other: bigint): bigint {
    return one > other ? one : other;
}
