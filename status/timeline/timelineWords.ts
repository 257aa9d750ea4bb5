import type { ActEntry, JournalEntry, PodPhase, WaitEntry } from "../../provider/lifecycle/journal/journalOperation";
import { counted } from "../../provider/lifecycle/vocabulary/counted";
import type { ClusterTimeline, TimelineOperation } from "./clusterTimeline";

/** What the text and the HTML of a timeline both say. Nothing here is escaped. */

/** The phases of a pod in words. */
export const phaseWords: Readonly<Record<PodPhase, string>> = {
    up: "Up",
    evicting: "evicting leaders",
    leaving: "leaving the cluster",
    down: "down",
    "leaders-back": "Up, leaders come back",
    gone: "does not exist",
    starting: "starting",
};

/** The same where there is little room. */
export const shortPhaseWords: Readonly<Record<PodPhase, string>> = {
    up: "Up",
    evicting: "evicting",
    leaving: "leaving",
    down: "down",
    "leaders-back": "leaders back",
    gone: "gone",
    starting: "starting",
};

/** Returns how an operation ended, and how long it took: `done after 81 s`. */
export function stateWords({ state, began, lastAt }: TimelineOperation): string {
    const time = lasted(lastAt - began);
    switch (state) {
        case "done":
        case "failed":
        case "stopped":
            return `${state} after ${time}`;
        case "running":
            return `in progress for ${time}`;
        case "interrupted":
            return `interrupted: its process wrote no end; it last wrote after ${time}`;
    }
}

/** Returns how many operations there are: `the journal has 3 operations`. */
export function countWords({ operations, filtered }: Pick<ClusterTimeline, "operations" | "filtered">): string {
    const has = (number: number) => `the journal has ${number === 0 ? "no operation" : counted(number, "operation")}`;
    return filtered === undefined
        ? has(operations.length)
        : `${has(filtered.from)}; ${operations.length} shown: ${filtered.by}`;
}

/** Returns under which plan an operation acted. */
export function planWords({ plan }: TimelineOperation): string {
    return plan === undefined ? "no plan" : `plan ${plan.digest} (${plan.of} ${plan.of === 1 ? "line" : "lines"})`;
}

/** Returns an entry in one line. @param end the last time that is known, for a wait that has no end. */
export function entryWords(entry: JournalEntry, end: number): string {
    switch (entry.is) {
        case "act":
            return entry.failed === undefined ? entry.words : `could not ${entry.words}: ${entry.failed}`;
        case "wait":
            return `waited ${lasted(waitLength(entry, end))}: ${whyWords(entry)}`;
        case "pod":
            return `${phaseWords[entry.phase]}${entry.isNew ? " (a new pod)" : ""}${entry.why === undefined ? "" : `: ${entry.why}`}`;
    }
}

/** Returns a reason in the words of its beginning and of its end. */
export function whyWords({ why, last }: { readonly why: string; readonly last?: string }): string {
    return last === undefined || last === why ? why : `${why}; at the end: ${last}`;
}

/** Returns the pod, member or store that an entry is about. */
export function subjectOf(entry: JournalEntry): string {
    return entry.is === "pod" ? entry.pod : entry.target;
}

/** Returns the evidence of an action: the conditions that held, and what was seen. */
export function evidenceWords({ held, seen }: ActEntry): string[] {
    return [
        ...(held === undefined ? [] : [`held: ${held.join(", ")}`]),
        ...(seen.length === 0 ? [] : [`seen: ${seen.join("; ")}`]),
    ];
}

/** Returns how long a wait lasted, in milliseconds. */
export function waitLength({ at, until }: WaitEntry, end: number): number {
    return Math.max(0, (until ?? end) - at);
}

/** What is shorter than this, in milliseconds, has times with tenths of a second. */
const shortMilliseconds = 20_000;
/** What is longer than this has times with their day. */
const dayMilliseconds = 86_400_000;

/**
 * Returns a time in UTC: `2026-11-22 17:30:05Z`, or `2026-11-22 17:30:05.2Z` in what is short.
 * @param within how long the operation or the chart lasts of which the time is told, in milliseconds. Default: not short.
 */
export function dayAndClock(time: number, within = dayMilliseconds): string {
    const text = new Date(time).toISOString();
    return `${text.slice(0, within < shortMilliseconds ? 21 : 19).replace("T", " ")}Z`;
}

/**
 * Returns a time of day in UTC: `17:30:05Z`, or `17:30:05.2Z` in what is short, or `11-22 17:30:05Z` in what lasts for more than a day.
 * @param within as above
 */
export function clock(time: number, within = dayMilliseconds): string {
    return dayAndClock(time, within).slice(within > dayMilliseconds ? 5 : 11);
}

/** Returns a length of time: `0.4 s`, `81 s`, `6 min 20 s`, `7 h 1 min`. */
export function lasted(milliseconds: number): string {
    if (milliseconds < 9_950) {
        return `${(milliseconds / 1_000).toFixed(1)} s`;
    }
    const seconds = Math.round(milliseconds / 1_000);
    if (seconds < 120) {
        return `${seconds} s`;
    }
    const minutes = Math.round(seconds / 60);
    return seconds < 3_600
        ? inTwo(Math.floor(seconds / 60), "min", seconds % 60, "s")
        : inTwo(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function inTwo(most: number, unit: string, rest: number, restUnit: string): string {
    return `${most} ${unit}${rest === 0 ? "" : ` ${rest} ${restUnit}`}`;
}
