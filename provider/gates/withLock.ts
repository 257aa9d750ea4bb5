import { releaseLock } from "./endEvictions";
import { takeLock } from "./loop";
import type { GatePorts, HeldLock } from "../cluster/ports";

/** Does all of the work under one hold of the cluster's lock. Waits for another run like any operation. */
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
