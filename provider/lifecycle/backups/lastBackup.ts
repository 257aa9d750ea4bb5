import type { ObservedMember } from "../vocabulary/observation";
import { shortDigest } from "../vocabulary/shortDigest";

/** A Job that was made for a backup before a destroy. Times are by the control plane's clocks, in milliseconds since 1970. */
export interface LastBackupJob {
    readonly name: string;
    readonly uid: string;
    /** Digest of what the program asked for when it was made. */
    readonly of: string | undefined;
    readonly createdAt: number | undefined;
    readonly state: "at work" | "succeeded" | "over";
    /** When it succeeded. */
    readonly succeededAt?: number;
}

const hour = 3_600_000;
const day = 24 * hour;

/**
 * @returns the newest Job that counts for a destroy now: of what the program asks for, begun within the last day, and still at work or
 * successful within the last hour. Nobody knows what was written since an older one. What is not known does not count.
 * @param now the time by the API server's clock, if it is known.
 * @param wasLetThrough whether a Job has counted before. Then it counts for an hour after its success, however long it took.
 */
export function lastBackup<Job extends LastBackupJob>(
    jobs: readonly Job[],
    of: string,
    now: number | undefined,
    wasLetThrough: (job: Job) => boolean = () => false,
): Job | undefined {
    const isWithin = (at: number | undefined, limit: number) =>
        at !== undefined && now !== undefined && Math.abs(now - at) <= limit;
    const counts = (job: Job) =>
        job.state === "succeeded"
            ? isWithin(job.succeededAt, hour) && (wasLetThrough(job) || isWithin(job.createdAt, day))
            : job.state === "at work" && isWithin(job.createdAt, day);
    return jobs
        .filter((job) => job.of === of && counts(job))
        .sort((one, other) => Number(other.createdAt) - Number(one.createdAt))[0];
}

/** @returns where a backup before a destroy is within its storage: `destroy-20261125t175612-4f1c0a9be2d7`. */
export function destroyName(leaseUid: string, at: number): string {
    const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, "").toLowerCase();
    return `destroy-${time}-${shortDigest(leaseUid)}`;
}

/** @returns the folder of the backup that a Job takes, from the Job's name. */
export function folderOf(job: string): string {
    return job.slice(job.lastIndexOf("destroy-"));
}

/**
 * @returns what of TiKV there is to back up: `nothing` if it has neither a StatefulSet nor a volume claim, and `volumes` if BR has nobody to ask for
 * what is on them, as in a suspended cluster.
 */
export function dataOf({ statefulSet, claims }: Pick<ObservedMember, "statefulSet" | "claims">) {
    return statefulSet && !statefulSet.terminating ? "stores" : claims.length > 0 ? "volumes" : "nothing";
}

/** @returns until when a person may let the cluster be destroyed without a backup, as the annotation has it: two hours from now. */
export function consentOf(now: number): string {
    return `${new Date(now + 2 * hour).toISOString().slice(0, 19)}Z`;
}

/**
 * Judges a person's word, in the annotation of the cluster's Lease, that the cluster may be destroyed without a last backup. It ends by
 * itself, so it lets through no destroy that nobody thought of.
 * @returns whether it counts; or why it does not; undefined if there is none.
 */
export function withoutBackup(text: string | undefined, now: number | undefined): true | string | undefined {
    if (!text) {
        return undefined;
    }
    const until = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : NaN;
    if (Number.isNaN(until)) {
        return `found ${text}, expected a time such as 2026-11-25T20:00:00Z`;
    }
    if (now === undefined) {
        return "the API server does not say what time it is";
    }
    return until < now ? `${text} is over` : until - now > 2 * hour ? `${text} is more than two hours away` : true;
}
