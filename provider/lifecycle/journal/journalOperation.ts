import type { Action } from "../vocabulary/actions";

/**
 * The journal: what the last operations did, why it was safe, what they saw and what they waited for. It is for people, and for
 * estimates of how long a plan takes (`provider/lifecycle/estimates/`). No decision reads it. Times are milliseconds since 1970, by the clock of the machine that ran the operation.
 */

/** One operation of one gate. A gate is a Pulumi resource that checks the live cluster, plans steps, and carries them out. */
export interface JournalOperation {
    /** Identifies it in the journal. Ids sort by time. */
    readonly id: string;
    /** In words: `roll out basic-tikv`. */
    readonly what: string;
    /** The lock holder's name of the process that ran it: `ana@laptop, process 4711 (3f9a1c)`. */
    readonly holder: string;
    /** The plan that it carried out; undefined if there was none. */
    readonly plan?: JournalPlan;
    readonly began: number;
    /** Undefined while it runs. It stays undefined if the process was killed. */
    readonly ended?: number;
    readonly outcome?: "done" | "failed" | "stopped";
    /** When this was written. A long wait is written once a minute. An earlier version has not noted it. */
    readonly writtenAt?: number;
    /** Why it failed or stopped. */
    readonly why?: string;
    /** The pods that it first saw. */
    readonly pods: readonly string[];
    /** How many of the oldest entries were dropped because there were too many. Default: none. */
    readonly dropped?: number;
    /** In the order of time. */
    readonly entries: readonly JournalEntry[];
}

/** A plan as the preview showed it. */
export interface JournalPlan {
    /** Identifies the text of the plan. */
    readonly digest: string;
    /** Its first lines. */
    readonly lines: readonly string[];
    /** How many lines it has in all. */
    readonly of: number;
}

export type JournalEntry = ActEntry | WaitEntry | PodEntry;

/** An action that was taken, or that failed. */
export interface ActEntry {
    readonly is: "act";
    readonly at: number;
    readonly do: Action["do"];
    readonly words: string;
    /** The step of the plan. */
    readonly step: string;
    /** The pod or member concerned. */
    readonly target: string;
    /** Names of the conditions that held when it was decided. Undefined if the action depends on no list of conditions. */
    readonly held?: readonly string[];
    /** What was seen then. */
    readonly seen: readonly string[];
    /**
     * How many leaders the store of the target had then, by a source that can know it. Two actions on one store tell how many
     * moved between them. Undefined if the target has no store, or if nobody could know it.
     */
    readonly leaders?: number;
    /** How many regions the store of the target had then. Undefined if the target has no store. */
    readonly regions?: number;
    /** The error, if the action failed. */
    readonly failed?: string;
}

/** A wait. One whose reason changes only in its numbers is one entry. */
export interface WaitEntry {
    readonly is: "wait";
    readonly at: number;
    /** When it ended. Undefined while it lasts. */
    readonly until?: number;
    readonly step: string;
    readonly target: string;
    /** What was waited for, in the words of its beginning. */
    readonly why: string;
    /** The same in the words of its end, if they differ. */
    readonly last?: string;
}

/** A pod has entered a phase. */
export interface PodEntry {
    readonly is: "pod";
    readonly at: number;
    readonly pod: string;
    readonly phase: PodPhase;
    /** What is wrong with it. */
    readonly why?: string;
    /** Whether Kubernetes reports the pod as Ready. Default: no, or it was recorded by an earlier version. */
    readonly isReady?: true;
    /** Whether this is the first entry of another pod than those of this name before. Default: no, or it was recorded by an earlier version. */
    readonly isNew?: true;
}

/**
 * `evicting`: its store's leaders are evicted. `leaving`: its store or member is removed. `down`: it is stopping, starting, or
 * its store or member is not well. `leaders-back`: its store is Up again, and its leaders return. `gone`: it does not exist.
 * `starting`: only in a timeline, of a new pod.
 */
export type PodPhase = "up" | "evicting" | "leaving" | "down" | "leaders-back" | "gone" | "starting";
