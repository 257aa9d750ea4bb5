/** The holder of a PD's lock, as it is written in PD's etcd for other runs to read. */
export interface PdLockHolder {
    holder: string;
    namespace: string;
    cluster: string;
    /** What the holder does, in words. */
    operation: string;
    /** Distinguishes holders whose other fields are the same. */
    token?: string;
}

/** @returns the holder that a value names; `undefined` for a value that another tool wrote. */
export function readPdLockHolder(value: string): PdLockHolder | undefined {
    let found: Partial<PdLockHolder> | null;
    try {
        found = JSON.parse(value) as Partial<PdLockHolder> | null;
    } catch {
        return undefined; // Like any other value that names no holder.
    }
    const { holder, namespace = "unknown", cluster = "unknown", operation = "an operation", token } = found ?? {};
    return typeof holder === "string" ? { holder, namespace, cluster, operation, token } : undefined;
}
