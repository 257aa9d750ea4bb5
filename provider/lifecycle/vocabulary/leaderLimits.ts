/**
 * PD's limits of how fast leaders move, while a store's leaders leave and return.
 *
 * `leader-schedule-limit` (`schedule` in PD's configuration, 4 by default): how many leaders move at once. `batch` (of the
 * evict-leader scheduler, 3 by default, at most 10): how many of an eviction begin in one go; PD has it since 8.3, and only while it
 * evicts a store (tikv/pd pkg/schedule/schedulers/evict_leader.go). Both are in PD's etcd, so they outlive its leader.
 */
export type LeaderLimit = "leader-schedule-limit" | "batch";

const leaderLimits: readonly LeaderLimit[] = ["leader-schedule-limit", "batch"];

/** Limits by name. One that PD does not have is absent. */
export type LeaderLimits = Readonly<Partial<Record<LeaderLimit, number>>>;

/** Limits to change. `from`: the value that PD must still report; otherwise somebody else has changed it, and it is left alone. */
export type LimitChanges = Readonly<Partial<Record<LeaderLimit, { readonly from: number; readonly to: number }>>>;

/** A limit that a run raises. `isSet`: PD has acknowledged it, so from then on another value is somebody else's. */
export interface RaisedLimit {
    readonly before: number;
    readonly to: number;
    readonly isSet?: true;
}

/** Limits that a run has raised. Kept in the cluster's Lease from before the change until what was there before is back. */
export interface RaisedLimits {
    /** By the clock of the machine that raised them. For people only; no decision uses it. */
    readonly begunAt: number;
    /** The pod whose store's leaders were to move. For people only. */
    readonly pod: string;
    readonly limits: Readonly<Partial<Record<LeaderLimit, RaisedLimit>>>;
}

/** Bounds up to which the limits are raised. */
export interface EvictionWindow {
    readonly leaderScheduleLimit: number;
    readonly batch: number;
}

/** With these, a real PD 8.5.4 evicted leaders 7 times as fast, and returned them 5 times as fast. PD 8.3 to 8.5 refuses a `batch` above 10. */
export const defaultEvictionWindow: EvictionWindow = { leaderScheduleLimit: 64, batch: 10 };

/** @returns the bounds by the limits' names. */
export function boundsOf({ leaderScheduleLimit, batch }: EvictionWindow): Readonly<Record<LeaderLimit, number>> {
    return { "leader-schedule-limit": leaderScheduleLimit, batch };
}

/** @returns the changes as people read them: `leader-schedule-limit from 4 to 64`. */
export function limitsInWords(changes: LimitChanges): string {
    return entriesOf(changes)
        .map(([name, { from, to }]) => `${nameInWords(name)} from ${from} to ${to}`)
        .join(" and ");
}

/** @returns the limit's name as people read it. */
export function nameInWords(name: LeaderLimit): string {
    return name === "batch" ? "the evict-leader scheduler's batch" : `PD's ${name}`;
}

/** @returns what there is of each limit, in a fixed order. */
export function entriesOf<T>(by: Readonly<Partial<Record<LeaderLimit, T>>>): [LeaderLimit, T][] {
    return leaderLimits.flatMap((name): [LeaderLimit, T][] => {
        const value = by[name];
        return value === undefined ? [] : [[name, value]];
    });
}

/** With fewer leaders than this, their return is not waited for (tikv_upgrader.go). */
export const fewLeaders = 200;
