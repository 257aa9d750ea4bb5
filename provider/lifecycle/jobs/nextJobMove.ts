import type { Problem } from "../vocabulary/move";
import type { ProblemCode } from "../vocabulary/problemCodes";
import { again } from "./jobWords";
import type { HeldBack } from "./jobsBeside";
import type { JobVerdict } from "./judgeJob";
import { commandOf, jobName, type JobTarget } from "./observedJob";

/** For how long a run waits for a Job of which nothing is known, in seconds: an API server restarts within that time. */
export const unknownSeconds = 300;

/** For how long a run waits for a Secret or an image that is not there, in seconds: another resource of the program may make it. */
export const stuckSeconds = 60;

/** For how long it waits for a Secret that a volume needs, in seconds: kubelet tries again, and what issues certificates takes longer. */
export const mountSeconds = 300;

/** @returns how long a Job that cannot begin is waited for, in seconds. */
export function secondsToBegin({ isMount }: Pick<Extract<JobVerdict, { is: "at work" }>, "isMount">): number {
    return isMount ? mountSeconds : stuckSeconds;
}

/** What a run remembers of its wait. Times are milliseconds of its own clock. */
export interface JobWait {
    readonly began: number;
    /** Since when nothing is known of the Job; undefined while something is. */
    readonly unknownSince?: number;
    /** Since when it waits for something that does not come by itself; undefined while it does not. */
    readonly stuckSince?: number;
}

/** What to do now. */
export type JobMove =
    | { readonly kind: "start" }
    | { readonly kind: "wait"; readonly reason: string; readonly until: number; readonly wait: JobWait }
    | { readonly kind: "done"; readonly revision: string }
    | { readonly kind: "fail"; readonly problem: Problem };

/** Decides what follows from a verdict. A wait ends; and what is not known is neither a success nor a reason to do the work again. */
export function nextJobMove(verdict: JobVerdict, target: JobTarget, wait: JobWait, now: number): JobMove {
    switch (verdict.is) {
        case "waits for its start":
            return { kind: "start" };
        case "succeeded":
            return { kind: "done", revision: verdict.revision };
        case "failed":
            return { kind: "fail", problem: verdict.problem };
        case "at work":
            return waitFor(
                verdict,
                target,
                { began: wait.began, ...(verdict.isStuck ? { stuckSince: wait.stuckSince ?? now } : {}) },
                now,
            );
        case "not known":
            return waitToKnow(verdict.why, target, { ...wait, unknownSince: wait.unknownSince ?? now }, now);
    }
}

/** Decides what follows for a Job that must not begin. */
export function waitToBegin(
    { is, lacks, remedy }: HeldBack,
    target: JobTarget,
    wait: JobWait,
    now: number,
): Extract<JobMove, { kind: "wait" | "fail" }> {
    const unknownSince = is === "not known" ? (wait.unknownSince ?? now) : undefined;
    const until =
        unknownSince === undefined ? wait.began + target.timeoutSeconds * 1000 : unknownSince + unknownSeconds * 1000;
    const reason = `it does not begin: ${lacks}`;
    return is === "refused" || now >= until
        ? problem(
              is === "refused" ? "job-refused" : is === "not known" ? "job-turn-unknown" : "job-held-back",
              target,
              reason,
              remedy,
          )
        : {
              kind: "wait",
              reason,
              until,
              wait: { began: wait.began, ...(unknownSince === undefined ? {} : { unknownSince }) },
          };
}

function waitFor(
    { lacks, isMount, remedy = "provide what is missing" }: Extract<JobVerdict, { is: "at work" }>,
    target: JobTarget,
    wait: JobWait,
    now: number,
): JobMove {
    const stuckUntil = wait.stuckSince === undefined ? Infinity : wait.stuckSince + secondsToBegin({ isMount }) * 1000;
    if (now >= stuckUntil) {
        return problem(
            "job-stuck",
            target,
            `it does not begin: ${lacks}`,
            `${remedy}. The Job then begins by itself. Then run ${commandOf(target)} again, which waits for it again. If the Job itself is wrong, delete it and ${again(target)}`,
        );
    }
    const until = wait.began + target.timeoutSeconds * 1000;
    return now < until
        ? { kind: "wait", reason: lacks, until: Math.min(until, stuckUntil), wait }
        : problem(
              "job-timed-out",
              target,
              `it has not ended after ${target.timeoutSeconds} s: ${lacks}`,
              `the Job goes on: ${target.again ?? `run ${commandOf(target)} again, which waits for it again, or raise \`timeoutSeconds\``}`,
          );
}

function waitToKnow(why: string, target: JobTarget, wait: JobWait & { unknownSince: number }, now: number): JobMove {
    const until = wait.unknownSince + unknownSeconds * 1000;
    return now < until
        ? { kind: "wait", reason: why, until, wait }
        : problem(
              "job-unknown",
              target,
              `whether it was done is not known: ${why}, for ${Math.round((now - wait.unknownSince) / 1000)} s`,
              `find out what the Job did. If its work is to be done again, ${again(target)}. If the API server did not answer, run ${commandOf(target)} again`,
          );
}

function problem(code: ProblemCode, target: JobTarget, seen: string, next: string): Extract<JobMove, { kind: "fail" }> {
    return { kind: "fail", problem: { code, step: target.does, target: jobName(target), seen, next } };
}
