import { posix } from "node:path";
import type { StorageProvider } from "./jobSpec";

/** @returns the Backup with a folder within its storage. */
export function inFolder<M extends { spec: StorageProvider }>(manifest: M, folder: string): M {
    return withPrefix(manifest, (prefix) => posix.join(prefix, folder));
}

/** @returns the Backup with another prefix in its storage. */
export function withPrefix<M extends { spec: StorageProvider }>(manifest: M, change: (prefix: string) => string): M {
    const { spec } = manifest;
    const storages = ["s3", "gcs", "azblob", "local"] as const;
    const prefixed = storages.flatMap((name) => {
        const storage = spec[name];
        return storage === undefined ? [] : [[name, { ...storage, prefix: change(storage.prefix ?? "") }]];
    });
    return { ...manifest, spec: { ...spec, ...(Object.fromEntries(prefixed) as object) } };
}
