import { releaseLock } from "./endEvictions";
import { takeLock } from "./takeLock";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";

/** Runs `work` while holding the cluster's lock once. Waits for other runs like any operation. */
export async function withLock<T>(
    description: string,
    ports: GatePorts,
    work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
    const lock = await takeLock({ description }, ports);
    try {
        return await work(lock);
    } finally {
        await releaseLock(lock, ports);
    }
}
