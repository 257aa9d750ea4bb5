/**
 * A fact that a decision reads: either known (its value, source and age) or not known (and why). The value can only be
 * read after checking `known`, so code that treats "not known" as zero, empty or absent does not compile.
 */
export type Fact<T> = Known<T> | NotKnown;

/** A value reported by a source that can know it. */
export interface Known<T> {
    readonly known: true;
    readonly value: T;
    /** The source: `PD`, `basic-tikv-2`, `the API server`. */
    readonly from: string;
    /** When it was requested, in milliseconds of the run's own clock. The value is at least this recent. */
    readonly at: number;
}

/** A value that no source has reported. */
export interface NotKnown {
    readonly known: false;
    /** The reason, as text that follows "not known: ". */
    readonly why: string;
}

/** A reported value that may be wrong until it is checked: see `soundLeaders`. Readers must unwrap it explicitly. */
export interface Reported<T> {
    readonly reported: T;
}

export function known<T>(value: T, from: string, at: number): Known<T> {
    return { known: true, value, from, at };
}

export function notKnown(why: string): NotKnown {
    return { known: false, why };
}

/** A fact that this observation did not request. */
export const notAsked: NotKnown = notKnown("it was not requested");

/** @returns the fact with its value changed; an unknown fact is returned unchanged. */
export function mapFact<T, U>(fact: Fact<T>, change: (value: T) => U): Fact<U> {
    return fact.known ? { ...fact, value: change(fact.value) } : fact;
}

/** @returns both values if both are known, with the age of the older one; otherwise the first fact that is not known. */
export function bothKnown<A, B>(one: Fact<A>, other: Fact<B>): Fact<[A, B]> {
    if (!one.known) {
        return one;
    }
    if (!other.known) {
        return other;
    }
    return {
        known: true,
        value: [one.value, other.value],
        from: one.from === other.from ? one.from : `${one.from} and ${other.from}`,
        at: Math.min(one.at, other.at),
    };
}
