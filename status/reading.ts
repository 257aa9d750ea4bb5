import type { Fact } from "../provider/lifecycle/vocabulary/evidence";

/** What was read: a value, or why it is not known. "Not known" is never shown as zero, empty or absent. */
export type Reading<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly why: string };

/** Returns a fact of an observation, with its value changed, as a reading. */
export function readingOf<T, U = T>(fact: Fact<T>, change: (value: T) => U): Reading<U> {
    return fact.known ? known(change(fact.value)) : notKnown(fact.why);
}

export function known<T>(value: T): Reading<T> {
    return { known: true, value };
}

export function notKnown<T>(why: string): Reading<T> {
    return { known: false, why };
}
