import type { Fact } from "../vocabulary/evidence";
import type { Observation, ObservedPd } from "../vocabulary/observation";

/** @returns the same cluster when it is looked at again at that time: the answers are new, and PD has been led for longer. */
export function later(seen: Observation, at: number): Observation {
    const passed = at - seen.now;
    const again = <T>(fact: Fact<T>): Fact<T> => (fact.known ? { ...fact, at: fact.at + passed } : fact);
    const { microservices, ...parts } = seen.pd;
    const pd = {
        ...Object.fromEntries(Object.entries(parts).map(([part, fact]) => [part, again(fact as Fact<unknown>)])),
        microservices: Object.fromEntries(Object.entries(microservices).map(([name, fact]) => [name, again(fact)])),
    } as ObservedPd;
    const { leadership } = pd;
    return {
        ...seen,
        now: at,
        pd: leadership.known ? { ...pd, leadership: { ...leadership, value: longer(leadership.value, passed) } } : pd,
        ownLeaders: Object.fromEntries(Object.entries(seen.ownLeaders).map(([pod, fact]) => [pod, again(fact)])),
    };
}

function longer<T extends { heldFor: number }>(leadership: T, milliseconds: number): T {
    return { ...leadership, heldFor: leadership.heldFor + milliseconds };
}
