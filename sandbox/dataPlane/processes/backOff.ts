import { setTimeout as sleep } from "node:timers/promises";

/** The pause before a container is started again. */
export interface BackOff {
    milliseconds: number;
}

const firstPause = 10_000;
const longestPause = 300_000;

/**
 * Returns the pause after a container has ended: none the first time, then 10 s, twice as long each time, up to 5 minutes. A container that ran
 * for 10 minutes counts as new (kubelet's pkg/kubelet/kuberuntime).
 */
export function nextBackOff(before: BackOff | undefined, ranMilliseconds: number): BackOff {
    if (before === undefined || ranMilliseconds >= 2 * longestPause) {
        return { milliseconds: 0 };
    }
    return { milliseconds: Math.min(longestPause, Math.max(firstPause, 2 * before.milliseconds)) };
}

/** Waits, unless the signal is given. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await sleep(milliseconds, undefined, { signal }).catch((error: unknown) => {
        if ((error as Error).name !== "AbortError") {
            throw error;
        }
    });
}
