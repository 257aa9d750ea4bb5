/** How a timestamp of TiDB is written, for messages. */
export const timestampForms =
    "a TSO such as 400036290571534337, or a date and time with its time zone, such as 2018-05-11 01:42:23+0800";

/** TSOs before 2015, when there was no TiDB: what looks like one is something else, such as seconds since 1970. */
const firstTso = 1_420_070_400_000n << 18n;

/**
 * Reads a timestamp as BR's log commands and `br restore point` do (pingcap/tidb br/pkg/task/backup.go, ParseTSString): a TSO, or a date and time,
 * which must have a time zone.
 *
 * @returns the TSO; undefined if the text has another form.
 */
export function tsoOf(text: string): bigint | undefined {
    if (/^\d{1,19}$/.test(text)) {
        const tso = BigInt(text);
        return tso < firstTso ? undefined : tso;
    }
    const [, day, time, sign, hours, minutes = "00"] =
        /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:Z|([+-])(\d\d):?(\d\d)?)$/.exec(text) ?? [];
    const at = Date.parse(`${day}T${time}${sign === undefined ? "Z" : `${sign}${hours}:${minutes}`}`);
    return Number.isNaN(at) ? undefined : tsoAt(at);
}

/** @returns the first TSO of a millisecond since 1970. */
export function tsoAt(milliseconds: number): bigint {
    return BigInt(Math.floor(milliseconds)) << 18n;
}

/** @returns the millisecond since 1970 that a TSO belongs to. */
export function millisecondsOf(tso: bigint): number {
    return Number(tso >> 18n);
}

/** @returns a TSO as a time, for messages: `2018-05-11 01:42:23 UTC`. */
export function timeOfTso(tso: bigint): string {
    return timeInWords(millisecondsOf(tso));
}

/** @returns a time in milliseconds since 1970, for messages: `2018-05-11 01:42:23 UTC`. */
export function timeInWords(milliseconds: number): string {
    return `${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
