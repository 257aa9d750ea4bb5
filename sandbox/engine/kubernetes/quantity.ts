import { PropertyValue } from "../values";

const suffixes: Record<string, number> = {
    n: 1e-9,
    u: 1e-6,
    m: 1e-3,
    "": 1,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    T: 1e12,
    P: 1e15,
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
    Pi: 2 ** 50,
};

const HOLDS_QUANTITIES = /(^|\.)(requests|limits|capacity|hard)(\.|\[)/;

/**
 * Whether a property holds the same quantity before and after: the API server writes `1000m` as `1`, and a refresh takes
 * that over.
 */
export function sameQuantity(change: { path: string; before?: PropertyValue; after?: PropertyValue }): boolean {
    const [before, after] = [amountOf(change.before), amountOf(change.after)];
    return HOLDS_QUANTITIES.test(change.path) && before !== undefined && before === after;
}

function amountOf(value: PropertyValue | undefined): number | undefined {
    const match = typeof value === "string" ? /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(value) : null;
    const factor = suffixes[match?.[2] ?? "?"];
    return match === null || factor === undefined ? undefined : Number(match[1]) * factor;
}
