import type { Component } from "../../../topology/members";
import type { JournalOperation } from "../journal/journalOperation";
import { type NotKnown, notKnown } from "../vocabulary/evidence";
import { coveredMilliseconds } from "./intervals";
import { type Samples, samplesOf } from "./samples";

/** How many operations a rate is computed from: the newest that show it. Older ones may be of other machines and amounts of data. */
const mostOperations = 5;

/** A rate or a time that was observed on this cluster, or the reason why none was. */
export type Observed = ObservedRate | NotKnown;

/** A rate or a time that was observed on this cluster. */
export interface ObservedRate {
    readonly known: true;
    readonly value: number;
    /** The operations that show it, as ids of the journal. */
    readonly operations: readonly string[];
}

/** What the journal shows of a member. */
export interface Rates {
    /** Leaders a second that leave stores whose eviction has begun. */
    readonly evicted: Observed;
    /** Leaders a second that return, until as many are back as are waited for. */
    readonly returned: Observed;
    /** Regions a second that leave stores which are removed. */
    readonly drained: Observed;
    /** Seconds from the deletion of a pod until it is Ready again. */
    readonly ready: Observed;
    /** Seconds from Ready until its store is Up, its PD member healthy. */
    readonly well: Observed;
    /** Seconds from when a new pod is first seen until it is well. */
    readonly started: Observed;
    /** Seconds in which the volumes of a pod grow. */
    readonly grown: Observed;
    /** Seconds in which the StatefulSet is created again. */
    readonly recreated: Observed;
    /** Seconds that a restart takes beside this. Restarts side by side count as one. */
    readonly restRestart: Observed;
    /** Seconds that a removal takes beside this. */
    readonly restRemoval: Observed;
}

/** The samples of one operation. */
interface OfOperation {
    readonly id: string;
    readonly samples: Samples;
}

/**
 * @param records the journal's operations, in any order.
 * @returns how fast this cluster has been. What no record shows is not known: no rate of another cluster stands in for it.
 */
export function estimateFrom(records: readonly JournalOperation[], cluster: string, component: Component): Rates {
    const newestFirst = [...records]
        .sort((one, other) => other.began - one.began)
        .map((one) => ({ id: one.id, samples: samplesOf(one, cluster, component) }));
    const speed = (name: "evicted" | "returned" | "drained", what: string) =>
        observed(newestFirst, what, ({ samples }) => {
            const moved = samples[name];
            const count = moved.reduce((sum, one) => sum + one.count, 0);
            const milliseconds = coveredMilliseconds(moved);
            return count > 0 && milliseconds > 0 ? { of: count, in: milliseconds / 1000 } : undefined;
        });
    const time = (name: "ready" | "well" | "started" | "grown" | "recreated", what: string) =>
        observed(newestFirst, what, ({ samples }) => {
            const times = samples[name];
            const milliseconds = times.reduce((sum, { from, to }) => sum + to - from, 0);
            return times.length > 0 ? { of: milliseconds / 1000, in: times.length } : undefined;
        });
    const rest = (name: "restarts" | "removals", what: string) =>
        observed(newestFirst, what, ({ samples }) => {
            const found = samples[name];
            return found && { of: found.milliseconds / 1000, in: found.of };
        });
    return {
        evicted: speed("evicted", "leaders of it that left a store"),
        returned: speed("returned", "leaders of it that returned to a store"),
        drained: speed("drained", "the drain of a store"),
        ready: time("ready", "a restart"),
        well: time("well", "a restart"),
        started: time("started", "a start"),
        grown: time("grown", "a growth of volumes"),
        recreated: time("recreated", "a StatefulSet that was created again"),
        restRestart: rest("restarts", "a whole restart"),
        restRemoval: rest("removals", "a whole removal"),
    };
}

/** @returns that no record of an update shows this. */
export function notShown(what: string): NotKnown {
    return notKnown(`the journal of this cluster's updates does not show ${what}`);
}

/** One amount for another, summed over the operations that show both. */
function observed(
    newestFirst: readonly OfOperation[],
    what: string,
    shown: (one: OfOperation) => { of: number; in: number } | undefined,
): Observed {
    const found = newestFirst.flatMap((one) => {
        const amounts = shown(one);
        return amounts === undefined ? [] : [{ id: one.id, ...amounts }];
    });
    const newest = found.slice(0, mostOperations);
    if (newest.length === 0) {
        return notShown(what);
    }
    const sum = (amount: (one: (typeof newest)[number]) => number) => newest.reduce((all, one) => all + amount(one), 0);
    return {
        known: true,
        value: sum((one) => one.of) / sum((one) => one.in),
        operations: newest.map(({ id }) => id),
    };
}
