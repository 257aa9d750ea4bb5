import type { GatePorts } from "../cluster/gatePorts";
import { clockTime } from "./clockTime";
import { GateError } from "./gateError";

/** Waiting that ends sooner than this is not worth a line in a log. */
const shortWaitMilliseconds = 2_000;
/** Long waiting is reported again this often. */
const remindEveryMilliseconds = 30_000;

/** A call that is not answered for so long fails, though each of its requests has a timeout of its own. */
const longestCallMilliseconds = 600_000;

/**
 * Reports the waits of a run, as it observes them. Waits that follow each other without an end in between are one time of waiting:
 * two of them may alternate, and each alone would always be short.
 */
export interface WaitReports {
    /**
     * Reports what is waited for: in the status at once, and in the log when the waiting turns out not to be short, and then
     * every 30 s.
     * @param key identifies the wait, because its words change with what is left of it.
     * @param lacks what is waited for.
     * @param words the same with the times.
     */
    waiting(key: string, lacks: string, words: string): void;
    /** The log has what is about to be waited for: its first line on that comes 30 s from now. */
    told(): void;
    /**
     * Makes a call. One that takes its time is a wait too: a PD that accepts calls and does not answer holds up an observation for 10 s.
     * While another wait goes on, its words are repeated.
     * @param lacks what the call is waited for, until the call says what it is instead.
     * @throws GateError if it is not answered for 10 minutes. It must only read: its answer may still come.
     */
    during<T>(lacks: string, call: (instead: (lacks: string) => void) => Promise<T>): Promise<T>;
    /**
     * Ends the waiting, if there is any. Waiting that is in the log has its end there too.
     * @param why what ended it, after "because".
     */
    over(why: string): void;
}

/**
 * @returns reports with the clock and the lines of these ports.
 * @param often calls a function again and again until it is stopped.
 */
export function reportWaits({ now, progress }: Pick<GatePorts, "now" | "progress">, often = eachSecond): WaitReports {
    type Words = readonly [key: string, lacks: string, words: string];
    /** `told`: what is waited for beside the answer to a call. */
    let time: { keys: Set<string>; lacks: string; began: number; told?: Words } | undefined;
    let loggedAt: number | undefined;
    const report = ([key, lacks, words]: Words, began: number): void => {
        time ??= { keys: new Set(), lacks, began };
        time.keys.add(key);
        time.lacks = lacks;
        progress.status(words);
        const isDue =
            loggedAt === undefined
                ? now() - time.began >= shortWaitMilliseconds
                : now() - loggedAt >= remindEveryMilliseconds;
        if (isDue) {
            loggedAt = now();
            progress.note(words);
        }
    };
    return {
        waiting(...told) {
            report(told, now());
            time = time && { ...time, told };
        },
        told() {
            loggedAt = now();
        },
        during(first, call) {
            const began = now();
            let lacks = first;
            let until = began + longestCallMilliseconds;
            let last = began;
            return new Promise((resolve, reject) => {
                const stop = often(() => {
                    // A process that stood still could not hear the answer meanwhile.
                    until += now() - last > gapMilliseconds ? now() - last : 0;
                    last = now();
                    const seconds = Math.round((now() - began) / 1000);
                    const words = `waiting: ${lacks} (${seconds} s; fails at ${clockTime(until, now())})`;
                    report(time?.told ?? ["answer", lacks, words], began);
                    if (now() >= until) {
                        stop();
                        reject(notAnswered(lacks, seconds));
                    }
                });
                void (async () => call((instead) => (lacks = instead)))().finally(stop).then(resolve, reject);
            });
        },
        over(why) {
            if (time && loggedAt !== undefined) {
                const seconds = Math.round((now() - time.began) / 1000);
                const reason = time.keys.size > 1 ? "the last of several reasons was" : "the reason was";
                progress.note(`done waiting after ${seconds} s, because ${why}; ${reason}: ${time.lacks}`);
            }
            time = loggedAt = undefined;
        },
    };
}

function notAnswered(lacks: string, seconds: number): GateError {
    const next = "check the API server, PD and the way to them, then run `pulumi up` again";
    return new GateError({
        code: "no-answer",
        step: "answer",
        target: lacks,
        seen: `there was none for ${seconds} s`,
        next,
    });
}

/** Between two calls, one second apart, so much time passes only for a process that stood still. */
const gapMilliseconds = 10_000;

function eachSecond(report: () => void): () => void {
    const timer = setInterval(report, 1_000);
    return () => clearInterval(timer);
}
