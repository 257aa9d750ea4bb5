import type { Cron, CronTimes } from "../../components/br/schedule/cron";

const minute = 60_000;
const day = 24 * 60 * minute;

/** A day that falls on 29 February and on a Sunday comes every 28 years, and once every 40. */
const mostDays = 41 * 366;

/** When a schedule was due last and before that, and when it is due next. In milliseconds since 1970; undefined: never. */
export interface DueTimes {
    readonly last: number | undefined;
    readonly before: number | undefined;
    readonly next: number | undefined;
}

/**
 * Returns when a schedule is due around a time. In the hours around a change of the clocks, a time may be wrong by that change.
 *
 * @param since from when on a schedule with `@every` counts.
 */
export function dueTimes(cron: Cron, timeZone: string, now: number, since: number): DueTimes {
    if ("everySeconds" in cron) {
        const every = cron.everySeconds * 1000;
        const last = since + Math.floor((now - since) / every) * every;
        return { last, before: last - every, next: last + every };
    }
    const wall = now + offsetOf(now, timeZone);
    const asTime = (at: number | undefined): number | undefined => {
        const guess = at === undefined ? undefined : at - offsetOf(now, timeZone);
        return guess === undefined || at === undefined ? undefined : at - offsetOf(guess, timeZone);
    };
    const last = nearest(cron, wall, -1);
    return {
        last: asTime(last),
        before: last === undefined ? undefined : asTime(nearest(cron, last - minute, -1)),
        next: asTime(nearest(cron, wall + minute, 1)),
    };
}

/** The nearest time of a schedule: not after `from` with direction -1, not before its minute with 1. */
function nearest(cron: CronTimes, from: number, direction: 1 | -1): number | undefined {
    const start = Math.floor(from / minute) * minute;
    const ordered = (set: ReadonlySet<number>) => [...set].sort((one, other) => (one - other) * direction);
    const [hours, minutes] = [ordered(cron.hours), ordered(cron.minutes)];
    for (let count = 0; count < mostDays; count++) {
        const midnight = Math.floor(start / day) * day + count * direction * day;
        if (!isDay(cron, new Date(midnight))) {
            continue;
        }
        for (const hour of hours) {
            for (const one of minutes) {
                const at = midnight + hour * 60 * minute + one * minute;
                if ((at - start) * direction >= 0) {
                    return at;
                }
            }
        }
    }
    return undefined;
}

function isDay({ months, days, weekdays, isAnyDay, isAnyWeekday }: CronTimes, date: Date): boolean {
    const [isDate, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    return months.has(date.getUTCMonth() + 1) && (isAnyDay || isAnyWeekday ? isDate && isWeekday : isDate || isWeekday);
}

/** How far the clocks of a time zone are ahead of UTC. */
function offsetOf(at: number, timeZone: string): number {
    const format = new Intl.DateTimeFormat("en-US", {
        timeZone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
    });
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const [year, month, date, hour, minutes] = ["year", "month", "day", "hour", "minute"].map(
        (type) => parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0,
    );
    return Date.UTC(year, month - 1, date, hour, minutes) - Math.floor(at / minute) * minute;
}
