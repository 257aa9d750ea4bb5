import { createHash } from "node:crypto";
import type { Values } from "../arguments/values";
import { brError, BrError } from "../errors";
import type { Storage } from "../storage/storage";
import { type Checkpoint, checkpointFile, checkpointLockFile, lockFile, metaFile } from "./backupMeta";

const lockMilliseconds = 300_000;

/** What must stay the same for a backup to go on where it has stopped (`immutableBackupConfig` in br/pkg/task/backup.go, v8.5). */
const fixedFlags = ["storage", "pd", "send-credentials-to-tikv", "no-credentials", "lastbackupts", "ignore-stats"];

/** A digest of what is asked for. */
export function configHash(values: Values): string {
    const fixed = fixedFlags.map((name) => values.text(name));
    const filter = values.has("filter") ? values.list("filter") : [];
    return createHash("sha256")
        .update(JSON.stringify([fixed, values.list("pd"), filter]))
        .digest("hex");
}

/**
 * Checks that a place is free, or that this backup has begun there (`SetStorageAndCheckNotInUse` and `CheckCheckpoint` in
 * br/pkg/backup/client.go, v8.5). Returns what it has done before.
 */
export async function checkNotInUse(storage: Storage, hash: string): Promise<Checkpoint | undefined> {
    if (await storage.exists(metaFile)) {
        throw brError(
            "invalidArgument",
            `backup meta file exists in ${storage.uri}/${metaFile}, there may be some backup files in the path already, please specify a correct backup directory!`,
        );
    }
    if (await storage.exists(checkpointFile)) {
        const checkpoint = JSON.parse((await storage.read(checkpointFile)).toString()) as Checkpoint;
        if (checkpoint.configHash !== hash) {
            throw brError(
                "invalidArgument",
                `failed to backup to ${storage.uri}, because the checkpoint mode is used, but the hashs of the configs are not the same. Please check the config`,
            );
        }
        return checkpoint;
    }
    if ((await storage.exists(lockFile)) && (await storage.list()).some((name) => name.endsWith(".sst"))) {
        throw brError(
            "invalidArgument",
            `backup lock file and sst file exist in ${storage.uri}/${lockFile}, there are some backup files in the path already, but hasn't checkpoint metadata, please specify a correct backup directory!`,
        );
    }
    return undefined;
}

/** Takes the lock that keeps another BR from going on with the same backup (br/pkg/checkpoint/external_storage.go, v8.5). */
export async function takeCheckpointLock(storage: Storage, now: number): Promise<void> {
    if (await storage.exists(checkpointLockFile)) {
        const { id, expireAt } = JSON.parse((await storage.read(checkpointLockFile)).toString()) as {
            id: number;
            expireAt: number;
        };
        if (expireAt > now) {
            const seconds = Math.floor((expireAt - now) / 1000);
            throw new BrError(
                `The existing lock will expire in ${seconds} seconds. There may be another BR(${id}) running. If not, you can wait for the lock to expire, or delete the file \`${storage.uri}${checkpointLockFile}\` manually.`,
            );
        }
    }
    await storage.write(checkpointLockFile, JSON.stringify({ id: now, expireAt: now + lockMilliseconds }));
}

/** Removes what is kept only while a backup is not finished. */
export async function removeCheckpoint(storage: Storage): Promise<void> {
    await storage.delete(checkpointLockFile);
    await storage.delete(checkpointFile);
}
