import { goDurationSeconds } from "../../../topology/goDuration";

/** When a schedule is due: at times of a calendar, or again and again after a number of seconds. */
export type Cron = CronTimes | { readonly everySeconds: number };

/** Times of a calendar. A day must match both fields of days; if both are restricted, either. */
export interface CronTimes {
    readonly minutes: ReadonlySet<number>;
    readonly hours: ReadonlySet<number>;
    readonly days: ReadonlySet<number>;
    readonly months: ReadonlySet<number>;
    /** 0 is Sunday. */
    readonly weekdays: ReadonlySet<number>;
    readonly isAnyDay: boolean;
    readonly isAnyWeekday: boolean;
}

interface Field {
    readonly what: string;
    readonly least: number;
    readonly most: number;
    readonly names?: readonly string[];
}

const fields: readonly Field[] = [
    { what: "minutes", least: 0, most: 59 },
    { what: "hours", least: 0, most: 23 },
    { what: "days of the month", least: 1, most: 31 },
    { what: "months", least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
    { what: "days of the week", least: 0, most: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];

const descriptors: Readonly<Record<string, string>> = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
};

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads a schedule by the rules of Kubernetes' CronJob, which are those of robfig/cron's standard parser
 * (kubernetes pkg/apis/batch/validation, github.com/robfig/cron/v3 parser.go).
 *
 * @returns the schedule, or what was expected instead.
 */
export function parseCron(text: string): Cron | { readonly expected: string } {
    if (text.includes("TZ")) {
        return { expected: "a schedule without a time zone; the argument `timeZone` has it" };
    }
    const every = /^@every +(\S+)$/.exec(text);
    if (every) {
        const seconds = goDurationSeconds(every[1]) ?? 0;
        return seconds < 1 ? { expected: "@every with a duration of at least a second" } : { everySeconds: seconds };
    }
    const parts = (descriptors[text] ?? text).split(/\s+/).filter((part) => part !== "");
    if (parts.length !== fields.length) {
        return { expected: "five fields (minute, hour, day of the month, month, day of the week), such as 0 2 * * *" };
    }
    const sets = parts.map((part, index) => valuesOf(part, fields[index]));
    const wrong = sets.findIndex((set) => set === undefined);
    if (wrong >= 0) {
        const { what, least, most } = fields[wrong];
        return { expected: `${what} from ${least} to ${most} in field ${wrong + 1}, such as *, ${most}, 1-5 or */2` };
    }
    const [minutes, hours, days, months, weekdays] = sets as Set<number>[];
    const [isAnyDay, isAnyWeekday] = [isAny(parts[2]), isAny(parts[4])];
    const isDue = [...months].some((month) => [...days].some((day) => day <= longestMonths[month - 1]));
    return isAnyWeekday && !isDue
        ? { expected: "a day that one of the months has" }
        : { minutes, hours, days, months, weekdays, isAnyDay, isAnyWeekday };
}

/** Whether a field leaves the choice to the other field of days. */
function isAny(part: string): boolean {
    return part.split(",").some((one) => /^[*?](\/1)?$/.test(one));
}

function valuesOf(part: string, field: Field): Set<number> | undefined {
    const ranges = part.split(",").map((range) => rangeOf(range.toLowerCase(), field));
    return ranges.every((range) => range !== undefined) ? new Set(ranges.flat()) : undefined;
}

function rangeOf(text: string, { least, most, names = [] }: Field): number[] | undefined {
    const [, range, , step] = /^([^/]+)(\/(\d+))?$/.exec(text) ?? [];
    const ends = range === "*" || range === "?" ? [least, most] : range?.split("-").map(numberOf);
    if (ends === undefined || ends.length > 2) {
        return undefined;
    }
    const by = step === undefined ? 1 : Number(step);
    const first = ends[0];
    // A single number with a step means from there on.
    const last = ends[1] ?? (step === undefined ? first : most);
    if (!(first >= least && last <= most && first <= last && by > 0)) {
        return undefined;
    }
    return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => first + index * by);

    function numberOf(word: string): number {
        const named = names.indexOf(word);
        return named >= 0 ? named + least : /^\d+$/.test(word) ? Number(word) : NaN;
    }
}
