/**
 * What a decision reads is either known (a value, from whom, how old) or not known (why). There is no way from a `Fact`
 * to its value but through `known`: code that takes "not known" for zero, empty or absent does not compile.
 */
export type Fact<T> = Known<T> | NotKnown;

/** A value that somebody who can know it has told. */
export interface Known<T> {
    readonly known: true;
    readonly value: T;
    /** Who told it: `PD`, `basic-tikv-2`, `the API server`. */
    readonly from: string;
    /** When it was asked for, in milliseconds of the run's own clock: the value is at least as new. */
    readonly at: number;
}

/** A value that nobody has told. */
export interface NotKnown {
    readonly known: false;
    /** Why, in words that follow "not known: ". */
    readonly why: string;
}

/** What somebody said and cannot be taken for true by itself: see `soundLeaders`. It is opened by name only. */
export interface Said<T> {
    readonly said: T;
}

export function known<T>(value: T, from: string, at: number): Known<T> {
    return { known: true, value, from, at };
}

export function notKnown(why: string): NotKnown {
    return { known: false, why };
}

/** A fact that this look did not ask for. */
export const notAsked: NotKnown = notKnown("it was not asked for");

/** @returns the fact with its value changed; what is not known stays so. */
export function mapFact<T, U>(fact: Fact<T>, change: (value: T) => U): Fact<U> {
    return fact.known ? { ...fact, value: change(fact.value) } : fact;
}

/** @returns both values where both are known, as old as the older one; else why the first one is not. */
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
