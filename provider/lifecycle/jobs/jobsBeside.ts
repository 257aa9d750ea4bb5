import { restoreWord } from "../../../topology/backupPods";
import type { Fact } from "../vocabulary/evidence";
import { commandOf, firstAttempt, jobName, type JobTarget } from "./observedJob";

/** A Job that was started and has not ended, or a pod of a Job that has not. */
export interface JobBeside {
    /** Name of the Job. */
    readonly job: string;
    readonly uid: string;
    /** The arguments of all its containers. */
    readonly args: readonly string[];
    /** The pod, which may outlive its Job. */
    readonly pod?: string;
}

/** Why a Job does not begin. It is refused, or waits until another one has ended or more is known. */
export interface HeldBack {
    readonly is: "refused" | "waits" | "not known";
    readonly lacks: string;
    readonly remedy: string;
}

/** @returns what to do where the API server does not say enough for a Job to begin. */
export function checkApiServer(target: JobTarget): string {
    return `check the API server, then run ${commandOf(target)} again`;
}

/** @returns why a Job must not begin: an earlier attempt, or another restore into the cluster, is at work. Undefined if it may. */
export function heldBack(beside: Fact<readonly JobBeside[]>, target: JobTarget): HeldBack | undefined {
    if (!beside.known) {
        const lacks = `whether another Job is at work beside it is not known: ${beside.why}`;
        return { is: "not known", lacks, remedy: checkApiServer(target) };
    }
    const { namespace, jobUid, into, attemptField } = target;
    const others = beside.value.filter(({ uid }) => uid !== jobUid);
    const earlier = others.filter(({ job }) => isEarlier(job, target));
    const restores = others.filter(
        ({ args }) => into !== undefined && args.includes(restoreWord) && args.includes(into),
    );
    const first = earlier.find(({ pod }) => pod === undefined) ?? [...restores, ...earlier].at(0);
    if (first === undefined) {
        return undefined;
    }
    const { job, pod } = first;
    const [object, named] = pod === undefined ? ["job", job] : ["pod", pod];
    const end = `if it can never end: kubectl delete ${object} ${named} --namespace ${namespace}`;
    const isAttempt = earlier.includes(first);
    const who = `${pod === undefined ? "" : `pod ${pod} of `}${jobName({ namespace, job })}, ${isAttempt ? "an earlier attempt" : "which restores into the same cluster"}, has not ended`;
    return isAttempt && pod === undefined
        ? { is: "refused", lacks: who, remedy: `set \`${attemptField}\` back to wait for it, or, ${end}` }
        : { is: "waits", lacks: who, remedy: `run ${commandOf(target)} again once it has ended; ${end}` };
}

function isEarlier(name: string, target: JobTarget): boolean {
    const { job, attempt } = target;
    const base = firstAttempt(target);
    return (
        attempt > 1 &&
        job.endsWith(`-${attempt}`) &&
        (name === base || (name.startsWith(`${base}-`) && Number(name.slice(base.length + 1)) < attempt))
    );
}
