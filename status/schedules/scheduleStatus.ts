import { parseCron } from "../../components/br/schedule/cron";
import { dueTimes } from "./dueTimes";

/** What Kubernetes shows of a BackupSchedule of the cluster. Times are in milliseconds since 1970. */
export interface SeenSchedule {
    readonly name: string;
    readonly namespace: string;
    readonly cronJob: string;
    readonly schedule: string;
    readonly timeZone: string;
    readonly isPaused: boolean;
    readonly createdAt: number;
    readonly lastScheduledAt: number | undefined;
    /** When the last Job that succeeded ended. */
    readonly lastSucceededAt: number | undefined;
    /** Its newest Job; undefined if there is none. */
    readonly newest:
        { readonly job: string; readonly is: "running" | "failed" | "complete"; readonly words: string } | undefined;
}

/** What was read of the BackupSchedules of a cluster. */
export type SchedulesReading<T> =
    | { readonly known: true; readonly value: readonly T[] }
    /** `isForbidden`: the user may not list them, which many need not. */
    | { readonly known: false; readonly why: string; readonly isForbidden: boolean };

/** A BackupSchedule of the cluster. Times are ISO 8601 in UTC. */
export interface ScheduleStatus {
    readonly name: string;
    /** In the form of cron. */
    readonly schedule: string;
    readonly timeZone: string;
    readonly isPaused: boolean;
    /** When the last backup that succeeded ended; null if none did. */
    readonly lastSuccess: string | null;
    /** When the next one is due; null if it is paused, or nobody can say. */
    readonly next: string | null;
    /** What the backup that runs is doing; null if none runs. */
    readonly running: string | null;
    /** What is wrong, in words. Empty if nothing is. */
    readonly problems: readonly string[];
}

/** How far clocks may differ before one counts as wrong. */
const clockTolerance = 60_000;

/** Returns the status of a schedule, by the clock of the machine that read it. */
export function scheduleStatus(seen: SeenSchedule, now: number): ScheduleStatus {
    const { name, schedule, timeZone, isPaused, createdAt, lastScheduledAt, lastSucceededAt, newest } = seen;
    const cron = parseCron(schedule);
    const due = "expected" in cron ? undefined : dueTimes(cron, timeZone, now, lastScheduledAt ?? createdAt);
    const isFailed = newest?.is === "failed";
    const isClockBack = lastScheduledAt !== undefined && lastScheduledAt > now + clockTolerance;
    // The last one may still run. The one before it has had its whole time.
    const isTooOld = !isPaused && due?.before !== undefined && (lastSucceededAt ?? createdAt) < due.before;
    const since = lastSucceededAt === undefined ? "it was created" : iso(lastSucceededAt);
    return {
        name,
        schedule,
        timeZone,
        isPaused,
        lastSuccess: lastSucceededAt === undefined ? null : iso(lastSucceededAt),
        next: isPaused || due?.next === undefined ? null : iso(due.next),
        running: newest?.is === "running" ? `Job ${newest.job}: ${newest.words}` : null,
        problems: [
            ...(isFailed ? [`its last run failed: Job ${newest.job}: ${newest.words}`] : []),
            ...(isTooOld && due?.before !== undefined && due.last !== undefined
                ? [
                      `no backup has succeeded since ${since}, and backups were due at ${iso(due.before)} and ${iso(due.last)}: look at CronJob ${seen.namespace}/${seen.cronJob} and its Jobs`,
                  ]
                : []),
            ...(isClockBack
                ? [
                      `its last run was scheduled for ${iso(lastScheduledAt)}, which is yet to come: a clock was set back, and no backup begins before then`,
                  ]
                : []),
        ],
    };
}

function iso(milliseconds: number): string {
    return new Date(milliseconds).toISOString();
}
