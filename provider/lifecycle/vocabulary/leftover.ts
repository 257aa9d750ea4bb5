import type { Action } from "./actions";

/** What can be left behind. `settings`: the record of settings that were being set on running servers. `shutdown`: the record on a TiCDC pod that its graceful shutdown has begun. */
export type LeftoverKind =
    | "eviction"
    | "removal"
    | "shutdown"
    | "settings"
    | "limits"
    | "upgrade"
    | "batch"
    | "recovery"
    | "lost-volumes"
    | "statefulset"
    | "lock"
    | "pd-lock"
    | "maintenance-task";

/** Something that an earlier run left behind, or that somebody else set and that looks like it. */
export interface Leftover {
    readonly kind: LeftoverKind;
    /** The store, member, pod or lock concerned. */
    readonly target: string;
    /** What is seen of it, in words. */
    readonly seen: string;
    /** Who left it, in words. */
    readonly by: string;
    /** Whether it is proved that a run of this package left it. Only then may it be removed. */
    readonly isOurs: boolean;
    readonly verdict: "remove" | "keep" | "not known";
    /** What its removal does, or why it is kept, or why that is not known. */
    readonly why: string;
    /**
     * What removes it. Absent for locks: whoever takes the locks and releases them removes those of a dead run. Absent for
     * settings: the member's servers are asked first.
     */
    readonly action?: Action;
}
