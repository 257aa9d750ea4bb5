import type { JobVerdict } from "./judgeJob";
import { secondsToBegin } from "./nextJobMove";
import type { HeldBack } from "./jobsBeside";
import { again, onceMore } from "./jobWords";
import { type Notice, noticesOf } from "../vocabulary/notices";
import { jobName, type JobObservation, type JobTarget } from "./observedJob";

/** That a Job succeeded, as the stack's state has it: its work is never done a second time. */
export interface JobDone {
    /** UID of the Job that succeeded. */
    readonly uid: string;
    /** Digest of what it was created from. */
    readonly revision: string;
}

/** What the inputs of the last update say of a Job. Empty if there was none. */
export interface JobBefore {
    readonly namespace?: unknown;
    readonly job?: unknown;
    readonly jobUid?: unknown;
    readonly began?: unknown;
    readonly revision?: unknown;
    readonly wait?: unknown;
    readonly attempt?: unknown;
    readonly done?: JobDone;
}

/** @returns why an attempt that comes after a later one is refused: its Job would do the work in the place of the earlier one, for which nobody asked. */
export function goesBack(before: JobBefore, { namespace, attempt, attemptField }: JobTarget): string | undefined {
    return before.namespace === namespace && typeof before.attempt === "number" && attempt < before.attempt
        ? `${attemptField}: found ${attempt}, expected at least ${before.attempt}, because an earlier attempt is not made again`
        : undefined;
}

/**
 * @returns that the Job succeeded, as far as the stack's state proves it; undefined if it does not. An update that waits for the Job enters the state only
 * if the Job succeeded.
 */
export function doneBefore(
    before: JobBefore,
    { namespace, job }: Pick<JobTarget, "namespace" | "job">,
): JobDone | undefined {
    if (before.namespace !== namespace || before.job !== job) {
        return undefined;
    }
    const { wait, jobUid, revision, done } = before;
    const isProven = wait === true && typeof jobUid === "string" && typeof revision === "string";
    return done ?? (isProven ? { uid: jobUid, revision } : undefined);
}

/** @returns UID of the Job that may have begun, by the state of a version that kept no record of it; undefined if there is no such state. */
export function begunBefore(before: JobBefore, { namespace, job }: JobTarget): string | undefined {
    const isSame = before.namespace === namespace && before.job === job && before.began === undefined;
    return isSame && typeof before.jobUid === "string" ? before.jobUid : undefined;
}

/** @returns why a Job does not start that takes the place of another one, which may have begun. @param began UID of that one. */
export function madeAnew(target: JobTarget, began = target.jobUid): string | undefined {
    return began !== target.jobUid
        ? `${jobName(target)} was created again (uid ${target.jobUid}), and whether the one before (uid ${began}) did its work is not known. To have it done in any case, ${again(target)}; if it was done, remove it from the program`
        : undefined;
}

/** What a preview says of a Job. */
export interface JobPlan {
    /** The steps, in words. Empty if there is nothing to do. */
    readonly plan: readonly string[];
    readonly warnings: readonly Notice[];
    /** Set if the Job has succeeded. */
    readonly done?: JobDone;
}

/** Plans a Job that is on record as done: nothing is left to do, whatever became of the Job. */
export function planDone(target: JobTarget, done: JobDone): JobPlan {
    const next = `To do the work again, ${onceMore(target)}`;
    const warnings = [
        ...noticesOf(
            "job-done-before",
            target.jobUid === done.uid
                ? undefined
                : `${target.does}: this was done by a Job that is gone (uid ${done.uid}). ${jobName(target)} was created again, and stays suspended: it does not run. ${next}`,
        ),
        ...(target.revision === done.revision ? [] : [changedSince(target)]),
    ];
    return { plan: [], warnings, done };
}

/** Plans a Job that is not in the Kubernetes cluster yet. @param runs what its containers run, in words. @param warnings what to know before it runs. */
export function planNew(
    target: JobTarget,
    wait: boolean,
    runs: readonly string[],
    warnings: readonly Notice[] = [],
): JobPlan {
    return {
        plan: [`run ${jobName(target)} to ${target.does}${running(runs)}${waitWords(target, wait)}`],
        warnings,
    };
}

/** Plans a Job from what was seen of it. */
export function planSeen(verdict: JobVerdict, target: JobTarget, wait: boolean, runs: readonly string[]): JobPlan {
    switch (verdict.is) {
        case "waits for its start":
            return planNew(target, wait, runs);
        case "succeeded":
            return {
                plan: [`note that ${jobName(target)} has succeeded: ${target.does}`],
                warnings: [],
                done: { uid: target.jobUid, revision: verdict.revision },
            };
        case "failed": {
            const { code, seen, next } = verdict.problem;
            const message = `${jobName(target)} (${target.does}): ${seen}. Next: ${next}`;
            return { plan: wait ? [`fail, because ${jobName(target)} has failed`] : [], warnings: [{ code, message }] };
        }
        case "at work":
            return {
                plan: wait ? [waitFor(target, verdict)] : [],
                warnings: noticesOf(
                    "job-stuck",
                    verdict.isStuck
                        ? `${jobName(target)} (${target.does}) does not begin: ${verdict.lacks}. Next: ${verdict.remedy ?? "provide what is missing"}`
                        : undefined,
                ),
            };
        case "not known":
            return {
                plan: wait ? [waitFor(target)] : [],
                warnings: noticesOf(
                    "job-unknown",
                    `${jobName(target)} (${target.does}): whether it was done is not known: ${verdict.why}`,
                ),
            };
    }
}

/** @returns the warning about a program that has changed since its Job ran. */
export function changedSince(target: JobTarget): Notice {
    const message = `${jobName(target)} did its work as an earlier version of the program describes it, so the change has no effect. To do the work as the program describes it now, ${onceMore(target)}`;
    return { code: "job-outdated", message };
}

/** @returns whether the program has changed since its Job was made. */
export function isOutdated({ job }: JobObservation, { jobUid, revision }: JobTarget): boolean {
    const made = job.known ? job.value : undefined;
    return made !== undefined && made.uid === jobUid && made.revision !== revision;
}

/**
 * @returns the warning about a program that has changed since its Job was made, while that is at work or after it has failed.
 * @param held why the next attempt would not begin now. Default: it would.
 */
export function outdatedSince(
    target: JobTarget,
    { is: verdict }: Pick<JobVerdict, "is">,
    held: HeldBack | undefined,
): Notice {
    const next =
        verdict !== "failed"
            ? "begins once this one has ended or is deleted"
            : held === undefined
              ? "does not wait for this one, which is not at work"
              : `does not begin yet: ${held.lacks}`;
    const message = `${jobName(target)} was created from an earlier version of the program, so the change since then has no effect on it. To have the work done as the program describes it now, ${again(target)}. The new Job ${next}`;
    return { code: "job-outdated", message };
}

function waitFor(target: JobTarget, stuckAs?: Extract<JobVerdict, { is: "at work" }>): string {
    const until = stuckAs?.isStuck
        ? `${secondsToBegin(stuckAs)} s if it still does not begin`
        : `${target.timeoutSeconds} s if it has not ended`;
    return `wait for ${jobName(target)} to ${target.does}, and fail after ${until}`;
}

/** @returns that an update waits for the end of a Job, and what happens if that takes too long. */
export function waitForEnd({ timeoutSeconds }: Pick<JobTarget, "timeoutSeconds">): string {
    return `wait for its end, and fail after ${timeoutSeconds} s without it`;
}

function running(runs: readonly string[]): string {
    return runs.length === 0 ? "" : `, which runs ${runs.join(", then ")}`;
}

function waitWords(target: JobTarget, wait: boolean): string {
    return `; ${wait ? waitForEnd(target) : "do not wait for its end"}`;
}
