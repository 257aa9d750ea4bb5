import { type Fact, notAsked } from "../vocabulary/evidence";
import type { Observation, ObservedPd } from "../vocabulary/observation";

/** A part of PD's state that a decision has read. */
export interface ReadFact {
    readonly part: string;
    /** Its source and its age, in milliseconds; or why it is not known. */
    readonly is: { readonly from: string; readonly age: number } | { readonly notKnown: string };
}

/** @returns the observation for one decision, and what that has read of PD's state. */
export function recordReads(seen: Observation): { readonly seen: Observation; readonly facts: () => ReadFact[] } {
    const read = new Set<string>();
    const pd = new Proxy(seen.pd, {
        get: (parts, part: keyof ObservedPd & string) => {
            read.add(part);
            return parts[part];
        },
    });
    const facts = () =>
        [...read].flatMap((part): ReadFact[] => {
            const fact = seen.pd[part as keyof ObservedPd] as Fact<unknown> | undefined;
            if (fact?.known === undefined || fact === notAsked) {
                return [];
            }
            return [{ part, is: fact.known ? { from: fact.from, age: seen.now - fact.at } : { notKnown: fact.why } }];
        });
    return { seen: { ...seen, pd }, facts };
}
