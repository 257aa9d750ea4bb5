/** Who holds the lock of a PD, as it stands in its etcd for whoever finds it there. */
export interface PdLockHolder {
    holder: string;
    namespace: string;
    cluster: string;
    /** What they do, in words. */
    operation: string;
    /** Tells holders apart whose words are the same. */
    token?: string;
}

/** @returns the holder that a value names; `undefined` for a value that another tool wrote. */
export function readPdLockHolder(value: string): PdLockHolder | undefined {
    let found: Partial<PdLockHolder> | null;
    try {
        found = JSON.parse(value) as Partial<PdLockHolder> | null;
    } catch {
        return undefined; // As for every value that names no holder.
    }
    const { holder, namespace = "unknown", cluster = "unknown", operation = "an operation", token } = found ?? {};
    return typeof holder === "string" ? { holder, namespace, cluster, operation, token } : undefined;
}
