/** How long a run may take, in milliseconds. */
export interface RunLimits {
    /** After this it is asked to end, as by Ctrl-C. */
    readonly longest: number;
    /** A run that has not ended this long after it was asked is asked again: Pulumi then ends at once. After as long again it is given up. */
    readonly grace: number;
    /** Pauses; rejects when the signal does. */
    wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** A run was ended because it took too long, or was given up because it did not end. */
export class RunTookTooLong extends Error {
    /** @param left the run, if it has not ended although it was asked to, twice. It never rejects */
    constructor(readonly left?: Promise<unknown>) {
        super(left === undefined ? "it took too long" : "it does not end");
    }
}

/**
 * Runs what may hang. It must change nothing: it may be ended anywhere.
 * @param run gets a signal that asks it to end. The signal's event may come twice
 * @param asked asks it to end before its time
 * @returns what the run returned, also if it was late
 * @throws RunTookTooLong, or what the run threw in time
 */
export async function withinTime<T>(
    run: (signal: AbortSignal) => Promise<T>,
    asked: AbortSignal,
    { longest, grace, wait }: RunLimits,
): Promise<T> {
    const end = new AbortController();
    const { signal } = end;
    const over = new AbortController();
    const interrupted = new Promise<void>((resolve) => {
        asked.addEventListener("abort", () => resolve(), { once: true, signal: over.signal });
        if (asked.aborted) {
            resolve();
        }
    });
    let isLate = false;
    const late = wait(longest, over.signal).then(() => {
        isLate = true;
    });
    const work = run(signal);
    const left = work.catch(() => undefined);
    const givenUp = Promise.race([late, interrupted]).then(async () => {
        end.abort();
        await wait(grace, over.signal);
        // A signal aborts once. What runs the CLI interrupts it each time that it hears of that.
        signal.dispatchEvent(new Event("abort"));
        await wait(grace, over.signal);
        throw new RunTookTooLong(left);
    });
    try {
        return await Promise.race([work, givenUp]);
    } catch (error) {
        throw isLate && !(error instanceof RunTookTooLong) ? new RunTookTooLong() : error;
    } finally {
        over.abort();
        await Promise.allSettled([late, givenUp]);
    }
}
