import type { Look } from "../vocabulary/look";
import type { Observation } from "../vocabulary/observation";

/** What is found out by asking the live cluster: it yields what it needs, and expects the cluster with that; undefined if it gets no answer. */
export type Asking<Found> = Generator<Look, Found, Observation | undefined>;

/** @returns the live cluster with that. */
export function* answerTo(look: Look): Asking<Observation> {
    const seen = yield look;
    if (seen === undefined) {
        throw new Error(`${JSON.stringify(look)} was requested and not observed: this is a bug in pulumi-tidb`);
    }
    return seen;
}

/**
 * Decides until nothing more must be read for it.
 * @param decide the decision, or what must be read before it.
 */
export function* untilKnown<Found extends object>(
    first: Observation,
    decide: (seen: Observation) => Found,
): Asking<{ readonly seen: Observation; readonly found: Exclude<Found, { look: Look }> }> {
    for (let seen = first; ;) {
        const found = decide(seen);
        if (!("look" in found)) {
            return { seen, found: found as Exclude<Found, { look: Look }> };
        }
        seen = yield* answerTo(found.look as Look);
    }
}
