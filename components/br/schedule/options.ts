import { specError, type SpecProblem } from "../../problem";
import { shown } from "../../validation/path";

/** What a program says of a BackupSchedule beside its manifest. */
export interface ScheduleOptions {
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number;
    readonly retentionImage?: string;
}

/** CronJobs are looked at every 10 seconds: with a shorter deadline one may never start (kubernetes.io, CronJob). */
const shortestDeadline = 10;

/** @returns the errors in the options. */
export function optionProblems({ timeZone, startingDeadlineSeconds, retentionImage }: ScheduleOptions): SpecProblem[] {
    const isDeadline =
        startingDeadlineSeconds === undefined ||
        (Number.isSafeInteger(startingDeadlineSeconds) && startingDeadlineSeconds >= shortestDeadline);
    return [
        ...(timeZone === undefined || isTimeZone(timeZone)
            ? []
            : [specError("timeZone", shown(timeZone), "a time zone by its name, such as Europe/Berlin")]),
        ...(isDeadline
            ? []
            : [
                  specError(
                      "startingDeadlineSeconds",
                      shown(startingDeadlineSeconds),
                      `a whole number, at least ${shortestDeadline}`,
                  ),
              ]),
        ...imageProblems("retentionImage", retentionImage),
    ];
}

/** @returns the error in an image of rclone, if it has no tag. */
export function imageProblems(field: string, image: string | undefined): SpecProblem[] {
    return image === undefined || /^[^\s:]\S*[:@]\S+$/.test(image)
        ? []
        : [specError(field, shown(image), "an image with its tag, such as rclone/rclone:1.75.1")];
}

function isTimeZone(name: unknown): boolean {
    if (typeof name !== "string" || !/^[A-Z][\w+-]*(\/[\w+-]+)*$/.test(name) || name === "Local") {
        return false;
    }
    try {
        new Intl.DateTimeFormat("en", { timeZone: name });
        return true;
    } catch {
        return false;
    }
}
