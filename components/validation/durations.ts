import { goDurationSeconds } from "../../topology/goDuration";
import { specError, type SpecProblem } from "../problem";
import { shown } from "./path";

/** Checks that a value is a Go duration. */
export function anyDurationProblems(field: string, duration: string | undefined): SpecProblem[] {
    return duration === undefined || goDurationSeconds(duration) !== undefined
        ? []
        : [specError(field, shown(duration), "a Go duration, such as 10m or 1h30m")];
}

/** Checks that a value is a Go duration above zero. */
export function durationProblems(field: string, duration: string | undefined): SpecProblem[] {
    return duration === undefined || (goDurationSeconds(duration) ?? 0) > 0
        ? []
        : [specError(field, shown(duration), "a Go duration above zero, such as 30m or 1h30m")];
}
