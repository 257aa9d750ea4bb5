import { shown } from "./validation/path";
import { specError, type SpecProblem } from "./problem";

/** How the Job of a component runs. All are plain values. */
export interface JobRunArgs {
    /**
     * Counts the attempts, a whole number from 1. The Job of an attempt runs once, and is never started again, whether it succeeded or failed: raise the
     * number to have its work done in a new Job. Default: 1.
     */
    attempt?: number;
    /** Whether `pulumi up` waits for the end of the Job, and fails if the Job fails. Otherwise it only starts the Job, and later updates and previews warn if it has failed. Default: true. */
    wait?: boolean;
    /** How long `pulumi up` waits for the end of the Job, in whole seconds, at least 1. After that the update fails, and the Job goes on. Default: 3600. */
    timeoutSeconds?: number;
}

/** The names of these arguments. */
export const jobRunFields = ["attempt", "wait", "timeoutSeconds"] as const satisfies (keyof JobRunArgs)[];

/** How long an update waits for a Job unless the program says otherwise. */
export const defaultJobSeconds = 3600;

/** @returns the errors in these arguments. */
export function jobRunProblems({
    attempt,
    wait,
    timeoutSeconds,
}: Readonly<Record<keyof JobRunArgs, unknown>>): SpecProblem[] {
    const numbers = { attempt, timeoutSeconds };
    return [
        ...Object.entries(numbers).flatMap(([field, value]) =>
            value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)
                ? []
                : [specError(field, shown(value), "a whole number, at least 1, that is not an Output")],
        ),
        ...(wait === undefined || typeof wait === "boolean"
            ? []
            : [specError("wait", shown(wait), "true or false, not an Output")]),
    ];
}

/** @returns the name of the Job of an attempt: that of the first attempt is the name itself. */
export function attemptName(name: string, { attempt = 1 }: JobRunArgs): string {
    return attempt === 1 ? name : `${name}-${attempt}`;
}
