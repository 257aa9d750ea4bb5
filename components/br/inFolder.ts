import { posix } from "node:path";
import type { BackupManifest } from "./spec";

/** @returns the Backup with a folder within its storage. */
export function inFolder({ spec, ...rest }: BackupManifest, folder: string): BackupManifest {
    const storages = ["s3", "gcs", "azblob", "local"] as const;
    const prefixed = storages.flatMap((name) => {
        const storage = spec[name];
        return storage === undefined ? [] : [[name, { ...storage, prefix: posix.join(storage.prefix ?? "", folder) }]];
    });
    return { ...rest, spec: { ...spec, ...(Object.fromEntries(prefixed) as object) } };
}
