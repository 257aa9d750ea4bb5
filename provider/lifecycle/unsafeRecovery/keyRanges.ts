/** What TiDB keeps in a range of keys, as far as the keys tell (pingcap/tidb pkg/tablecodec, pkg/util/codec). */

/** Table ids, both included. `from` 0 and `to` infinity: no bound. */
export interface TableRange {
    readonly from: number;
    readonly to: number;
}

/** What a range of keys can hold. */
export interface RangeContent {
    /** TiDB's own metadata: schemas, and more. */
    readonly metadata: boolean;
    /** Undefined if the range has no key of a table. */
    readonly tables?: TableRange;
}

/** PD's keys are TiDB's in groups of eight bytes, each followed by a ninth that says how many of them count. */
const tableKey = /^74([0-9A-F]{14})FF([0-9A-F]{2})/;
/** The key at which a table begins: one letter and the id, nine bytes in all. */
const beginOfTable = /^74[0-9A-F]{14}FF[0-9A-F]{2}0{14}F8$/;
const signBit = 1n << 63n;

/** @param start first key, and `end` the first key after the range, in hexadecimal digits; empty for no bound. */
export function contentOf(start: string, end: string): RangeContent {
    const [from, to] = [start.toUpperCase(), end.toUpperCase()];
    const meets = (first: string, after: string) => from < after && (to === "" || to > first);
    // `m` is 6D, `t` is 74.
    return {
        metadata: meets("6D", "6E"),
        ...(meets("74", "75") ? { tables: { from: tableOf(from) ?? 0, to: lastTable(to) } } : {}),
    };
}

function lastTable(end: string): number {
    const id = tableOf(end) ?? Infinity;
    return beginOfTable.test(end) ? id - 1 : id;
}

function tableOf(key: string): number | undefined {
    const digits = tableKey.exec(key);
    return digits === null ? undefined : Number(BigInt(`0x${digits[1]}${digits[2]}`) ^ signBit);
}

/** @returns the ranges ascending, with those that meet or follow on each other joined. */
export function joined(ranges: readonly TableRange[]): TableRange[] {
    const all = [...ranges].sort((one, other) => one.from - other.from);
    return all.reduce<TableRange[]>((found, { from, to }) => {
        const last = found.at(-1);
        return last === undefined || from > last.to + 1
            ? [...found, { from, to }]
            : [...found.slice(0, -1), { from: last.from, to: Math.max(last.to, to) }];
    }, []);
}

/** @returns `64`, `64 to 70`, `up to 70`, `from 64 on`. */
export function tablesInWords({ from, to }: TableRange): string {
    if (from === 0) {
        return to === Infinity ? "of any id" : `up to ${to}`;
    }
    return to === Infinity ? `from ${from} on` : from === to ? String(from) : `${from} to ${to}`;
}
