import type { GatePorts } from "../cluster/gatePorts";

/** A wait that ends sooner than this is not worth a line in a log. */
const shortWaitMilliseconds = 2_000;
/** A long wait is reported again this often. */
const remindEveryMilliseconds = 30_000;

/** Reports the waits of a run: one after the other, as it observes them. */
export interface WaitReports {
    /**
     * Reports what is waited for: in the status at once, and in the log when the wait turns out not to be short, and then
     * every 30 s.
     * @param key identifies the wait, because its words change with what is left of it.
     * @param lacks what is waited for.
     * @param words the same with the times.
     */
    waiting(key: string, lacks: string, words: string): void;
    /** Ends the wait, if there is one. A wait that is in the log has its end there too. */
    over(): void;
}

/** @returns reports with the clock and the lines of these ports. */
export function reportWaits({ now, progress }: Pick<GatePorts, "now" | "progress">): WaitReports {
    let wait: { key: string; lacks: string; began: number; loggedAt?: number } | undefined;
    const over = (): void => {
        if (wait?.loggedAt !== undefined) {
            progress.note(`no longer waiting: ${wait.lacks} (${Math.round((now() - wait.began) / 1000)} s)`);
        }
        wait = undefined;
    };
    return {
        waiting(key, lacks, words) {
            if (wait?.key !== key) {
                over();
                wait = { key, lacks, began: now() };
            }
            wait.lacks = lacks;
            progress.status(words);
            const isDue =
                wait.loggedAt === undefined
                    ? now() - wait.began >= shortWaitMilliseconds
                    : now() - wait.loggedAt >= remindEveryMilliseconds;
            if (isDue) {
                wait.loggedAt = now();
                progress.note(words);
            }
        },
        over,
    };
}
