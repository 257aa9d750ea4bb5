import type { Decide } from "./dryRun";
import { type Fact, notAsked } from "../vocabulary/evidence";
import type { Memory } from "../vocabulary/memory";
import type { Observation, ObservedPd } from "../vocabulary/observation";

/** A part of PD's state that a decision has read. */
export interface ReadFact {
    readonly part: string;
    /** Its source and its age, in milliseconds; or why it is not known. */
    readonly is: { readonly from: string; readonly age: number } | { readonly notKnown: string };
}

/** @returns what a decision reads of PD's state. It is made again for that: it depends on nothing else. */
export function readsOf(decide: Decide, seen: Observation, memory: Memory): ReadFact[] {
    const read = new Set<string>();
    const pd = new Proxy(seen.pd, {
        get: (parts, part: keyof ObservedPd & string) => {
            read.add(part);
            return parts[part];
        },
    });
    decide({ ...seen, pd }, memory);
    return [...read].flatMap((part): ReadFact[] => {
        const fact = seen.pd[part as keyof ObservedPd] as Fact<unknown> | undefined;
        if (fact?.known === undefined || fact === notAsked) {
            return [];
        }
        return [{ part, is: fact.known ? { from: fact.from, age: seen.now - fact.at } : { notKnown: fact.why } }];
    });
}
