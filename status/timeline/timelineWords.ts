import { duration } from "../../provider/lifecycle/walks/describePlan";
import type { ActEntry, JournalEntry, PodPhase, WaitEntry } from "../../provider/lifecycle/journal/journalOperation";
import type { TimelineOperation } from "./clusterTimeline";

/** What the text and the HTML of a timeline both say. Nothing here is escaped. */

/** The phases of a pod in words. */
export const phaseWords: Readonly<Record<PodPhase, string>> = {
    up: "Up",
    evicting: "evicting leaders",
    leaving: "leaving the cluster",
    down: "down",
    "leaders-back": "Up, leaders come back",
    gone: "does not exist",
};

/** The same where there is little room. */
export const shortPhaseWords: Readonly<Record<PodPhase, string>> = {
    up: "Up",
    evicting: "evicting",
    leaving: "leaving",
    down: "down",
    "leaders-back": "leaders back",
    gone: "gone",
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
            return `in progress since ${time}`;
        case "interrupted":
            return `interrupted: its process wrote no end; it last wrote after ${time}`;
    }
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
            return `waited ${lasted(waitLength(entry, end))}: ${entry.why}${entry.last === undefined ? "" : `; at the end: ${entry.last}`}`;
        case "pod":
            return phaseWords[entry.phase] + (entry.why === undefined ? "" : `: ${entry.why}`);
    }
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

/** Returns a time in UTC: `2026-11-22 17:30:05Z`. */
export function dayAndClock(time: number): string {
    return new Date(time).toISOString().slice(0, 19).replace("T", " ") + "Z";
}

/** Returns a time of day in UTC: `17:30:05Z`. */
export function clock(time: number): string {
    return dayAndClock(time).slice(11);
}

/** Returns a length of time: `0.4 s`, `81 s`, `6 min`. */
export function lasted(milliseconds: number): string {
    return milliseconds < 9_950 ? `${(milliseconds / 1_000).toFixed(1)} s` : duration(Math.round(milliseconds / 1_000));
}
