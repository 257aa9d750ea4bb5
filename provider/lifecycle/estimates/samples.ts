import type { Component } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { isPodOf } from "../../../topology/podNames";
import type { ActEntry, JournalOperation, PodEntry, WaitEntry } from "../journal/journalOperation";
import { startsAnew } from "../journal/podPhase";
import { fewLeaders } from "../vocabulary/leaderLimits";
import type { Condition } from "../vocabulary/problemCodes";
import { coveredMilliseconds, type Interval, united, within } from "./intervals";

/** Leaders or regions that moved in a time. */
export interface Moved extends Interval {
    readonly count: number;
}

/** What one operation shows of how fast a cluster is. */
export interface Samples {
    /** Leaders that left a store: from the beginning of its eviction until its pod was deleted. */
    readonly evicted: readonly Moved[];
    /** Leaders that returned to a store, as far as was waited for them. */
    readonly returned: readonly Moved[];
    /** Regions that left a store for good: from its removal until what came next. */
    readonly drained: readonly Moved[];
    /** From the deletion of a pod until the new one is Ready. */
    readonly ready: readonly Interval[];
    /** From Ready until the pod is well: its store Up, its PD member healthy. */
    readonly well: readonly Interval[];
    /** From when a new pod was first seen until it is well: what the operation waited for at most. */
    readonly started: readonly Interval[];
    /** From when a larger size of a pod's volumes was requested until they had it. Those of a pod grow side by side. */
    readonly grown: readonly Interval[];
    /** From what came before until the StatefulSet was there again with other claim templates, and seen by its controller. */
    readonly recreated: readonly Interval[];
    /** What the restarts, or the removals, took beside all of this. Undefined if the operation did not show it whole. */
    readonly restarts?: Rest;
    readonly removals?: Rest;
}

/** A time that is shared by several restarts, or removals. Those side by side are one. */
interface Rest {
    readonly milliseconds: number;
    readonly of: number;
}

/** What is known of one restart. */
interface Restart extends Interval {
    readonly evicted?: Moved;
    readonly returned?: Moved;
    /** Whether no pod restarted after it, so the return of its leaders was not waited for. */
    readonly isLast: boolean;
    readonly ready?: Interval;
    readonly well?: Interval;
    /** Whether leaders moved, and nobody could count them. */
    readonly isUncounted: boolean;
}

/** @returns what the operation shows of the restarts and removals of a member's pods. Failed actions show nothing. */
export function samplesOf(operation: JournalOperation, cluster: string, component: Component): Samples {
    const acts = operation.entries.filter(
        (one): one is ActEntry =>
            one.is === "act" && one.failed === undefined && isPodOf(one.target, cluster, component),
    );
    const restarts = acts.filter((one) => one.do === "delete-pod").map((one) => restartOf(operation, acts, one));
    const removals = acts.filter(isRemoval);
    const drained = removals.flatMap((one) => drainOf(operation, acts, one) ?? []);
    const grown = growthsOf(operation, acts);
    const recreated = recreationsOf(operation, memberName(cluster, component));
    const parts = restarts.flatMap(({ evicted, returned, ready, well }) =>
        [evicted, returned, ready, well].flatMap((one) => one ?? []),
    );
    const isCounted = restarts.every(({ isUncounted, ready, well }) => !isUncounted && ready && well);
    // Both in one operation: nobody can tell which of the two took the rest.
    const isMixed = restarts.length > 0 && removals.length > 0;
    const rest = (intervals: readonly Interval[], of: number) =>
        of === 0 || isMixed ? undefined : restOf(operation, acts, [...intervals, ...grown, ...recreated], of);
    return {
        evicted: restarts.flatMap(({ evicted }) => evicted ?? []),
        returned: restarts.flatMap(({ returned, isLast }) => (isLast ? [] : (returned ?? []))),
        drained,
        ready: restarts.flatMap(({ ready }) => ready ?? []),
        well: restarts.flatMap(({ well }) => well ?? []),
        started: startsOf(operation, acts, (pod) => isPodOf(pod, cluster, component)),
        grown,
        recreated,
        restarts: isCounted ? rest(parts, united(restarts).length) : undefined,
        removals: drained.length === removals.filter(isOfStore).length ? rest(drained, removals.length) : undefined,
    };
}

function restartOf(operation: JournalOperation, acts: readonly ActEntry[], deleted: ActEntry): Restart {
    const own = acts.filter(({ target }) => target === deleted.target);
    const position = own.indexOf(deleted);
    const earlier = own.slice(0, position);
    const before = earlier.slice(lastIndexOf(earlier, "delete-pod") + 1);
    const later = own.slice(position + 1);
    const again = later.findIndex((one) => one.do === "delete-pod");
    const after = again < 0 ? later : later.slice(0, again);
    const begun = before.find((one) => one.do === "begin-eviction");
    const ended = after.find((one) => one.do === "end-eviction");
    const forgotten = after.find((one) => one.do === "forget-eviction");
    const evicted = begun && movedBetween(begun, deleted, (from, to) => from - to);
    const isLast = forgotten !== undefined && acts.every((one) => one.do !== "delete-pod" || one.at <= forgotten.at);
    const wanted = Math.floor(((begun?.leaders ?? 0) * 2) / 3);
    // The run waits for two thirds of the leaders: more that have come meanwhile did not prolong it.
    const returned =
        ended && forgotten && (begun?.leaders ?? 0) >= fewLeaders
            ? movedBetween(ended, forgotten, (from, to) => Math.min(to, wanted) - from)
            : undefined;
    const up = startOf(operation, deleted, again < 0 ? Infinity : later[again].at);
    const first = before[0] ?? deleted;
    const last = Math.max(...[deleted, ...after].map(({ at }) => at), up.well?.to ?? 0);
    return {
        from: first.at,
        to: last,
        ...up,
        ...(evicted ? { evicted } : {}),
        ...(returned ? { returned } : {}),
        isLast,
        isUncounted: begun !== undefined && (begun.leaders === undefined || deleted.leaders === undefined),
    };
}

/**
 * How the pod started again: the old one may still be listed as Ready. The first entry of the new one tells it from that; an earlier version
 * has not noted which that is, so one that is not Ready must have been seen. Both times are the run's own: Kubernetes has those of several clocks.
 */
function startOf(
    { entries }: JournalOperation,
    { at, target }: ActEntry,
    until: number,
): Pick<Restart, "ready" | "well"> {
    const seen = entries.filter(
        (one): one is PodEntry => one.is === "pod" && one.pod === target && one.at >= at && one.at < until,
    );
    const fresh = seen.findIndex(({ isNew }) => isNew);
    const first = fresh < 0 ? seen.findIndex(({ isReady }) => !isReady) : fresh;
    const ready = first < 0 ? undefined : seen.slice(first).find(({ isReady }) => isReady);
    const well =
        ready && seen.find((one) => one.at >= ready.at && (one.phase === "up" || one.phase === "leaders-back"));
    return {
        ...(ready ? { ready: { from: at, to: ready.at } } : {}),
        ...(ready && well ? { well: { from: ready.at, to: well.at } } : {}),
    };
}

/** A pod that the operation has restarted is no new one. If entries were dropped, nobody knows when a pod was first seen. */
function startsOf(
    { entries, dropped }: JournalOperation,
    acts: readonly ActEntry[],
    isOwn: (pod: string) => boolean,
): Interval[] {
    const seen = entries.filter((one): one is PodEntry => one.is === "pod" && isOwn(one.pod));
    const restarted = acts.filter((one) => one.do === "delete-pod").map(({ target }) => target);
    const names = [...new Set(seen.map(({ pod }) => pod))].filter((pod) => !restarted.includes(pod));
    return (dropped === undefined ? names : []).flatMap((name) => {
        const own = seen.filter(({ pod }) => pod === name);
        const well = own.find(({ phase, isReady }) => phase === "up" && isReady);
        const before = own.slice(0, well && own.indexOf(well));
        return well && before.some(({ why }) => startsAnew(why)) ? [{ from: before[0].at, to: well.at }] : [];
    });
}

/** The step of a growth, which waits for the volumes of one pod at a time. */
const growth: Condition = "volume-grown";

/** A growth is over with what the operation does or waits for next. A size that is requested again is the same growth. */
function growthsOf(operation: JournalOperation, acts: readonly ActEntry[]): Interval[] {
    const requests = acts.filter((one) => one.do === "grow-claims");
    const firsts = requests.filter(({ target }, index) => requests.findIndex((one) => one.target === target) === index);
    return firsts.flatMap((one) => {
        const isOfIt = ({ step, target }: ActEntry | WaitEntry) => step === growth && target === one.target;
        const to = afterwards(operation, one, isOfIt);
        return to === undefined ? [] : [{ from: one.at, to }];
    });
}

/** The record is made once the new StatefulSet is there. */
function recreationsOf(operation: JournalOperation, statefulSet: string): Interval[] {
    const { entries, began } = operation;
    const made = entries.find(
        (one): one is ActEntry =>
            one.is === "act" &&
            one.do === "remake-stateful-set" &&
            one.target === statefulSet &&
            one.failed === undefined,
    );
    if (made === undefined) {
        return [];
    }
    const ends = entries
        .slice(0, entries.indexOf(made))
        .flatMap((one) => (one.is === "wait" ? (one.until ?? one.at) : one.at));
    const to = afterwards(operation, made, ({ target }) => target === statefulSet);
    return to === undefined ? [] : [{ from: Math.max(began, ...ends), to }];
}

/** When the operation did, or waited for, the next thing that is not the same, or ended well. */
function afterwards(
    { entries, ended, outcome }: JournalOperation,
    act: ActEntry,
    isSame: (one: ActEntry | WaitEntry) => boolean,
): number | undefined {
    const next = entries
        .slice(entries.indexOf(act) + 1)
        .find((one): one is ActEntry | WaitEntry => one.is !== "pod" && !isSame(one));
    return next?.at ?? (outcome === "done" ? ended : undefined);
}

function isRemoval(one: ActEntry): boolean {
    return one.do === "remove-store" || one.do === "remove-member";
}

function isOfStore(one: ActEntry): boolean {
    return one.do === "remove-store";
}

/** A store is removed only once it has no region: what is done with its pod next, or the end of the operation, shows that. */
function drainOf(
    { outcome, ended }: JournalOperation,
    acts: readonly ActEntry[],
    removed: ActEntry,
): Moved | undefined {
    const next = acts.find((one) => one.target === removed.target && acts.indexOf(one) > acts.indexOf(removed));
    const isTakenBack = next?.do === "bring-store-back" || next?.do === "remove-store";
    const to = next?.at ?? (outcome === "done" ? ended : undefined);
    return !isOfStore(removed) || removed.regions === undefined || to === undefined || isTakenBack
        ? undefined
        : { from: removed.at, to, count: removed.regions };
}

/** What moved between two actions; undefined if nothing did, or if it was not counted. */
function movedBetween(one: ActEntry, other: ActEntry, moved: (from: number, to: number) => number): Moved | undefined {
    if (one.leaders === undefined || other.leaders === undefined || other.at <= one.at) {
        return undefined;
    }
    const count = moved(one.leaders, other.leaders);
    return count > 0 ? { from: one.at, to: other.at, count } : undefined;
}

/** The time of a whole operation from its first action on a pod, without its parts and without waits for people and other runs. */
function restOf(
    { entries, ended, outcome, dropped }: JournalOperation,
    acts: readonly ActEntry[],
    parts: readonly Interval[],
    of: number,
): Rest | undefined {
    if (ended === undefined || outcome !== "done" || dropped !== undefined) {
        return undefined;
    }
    const whole = { from: acts[0].at, to: ended };
    const forOthers = entries.flatMap((one) =>
        one.is === "wait" && (one.step === "approval" || one.step === "lock")
            ? [{ from: one.at, to: one.until ?? ended }]
            : [],
    );
    const milliseconds = whole.to - whole.from - coveredMilliseconds(within([...parts, ...forOthers], whole));
    return { milliseconds: Math.max(0, milliseconds), of };
}

function lastIndexOf(acts: readonly ActEntry[], what: ActEntry["do"]): number {
    return acts.map((one) => one.do).lastIndexOf(what);
}
