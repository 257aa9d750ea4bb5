import type { Look } from "./look";
import type { Microservice } from "../../../topology/members";

/** A change that a gate makes. One at a time, and never without a fresh observation before it. */
export type Action =
    /** `unpauses`: a store that PD keeps leaders away from without an eviction (tikv/pd#9185). */
    | { do: "transfer-leader"; to: string; from: string; unpauses?: number }
    | { do: "transfer-primary"; service: Microservice; to: string; from: { name: string; uid: string } }
    | { do: "begin-eviction"; storeId: number; pod: string; leaders: number }
    | { do: "end-eviction"; storeId: number; pod: string; under?: string }
    | { do: "note-eviction-gone"; storeId: number }
    | { do: "forget-eviction"; storeId: number }
    | { do: "delete-pod"; pod: string; uid: string; resourceVersion: string; leaders?: number }
    | { do: "remove-store"; storeId: number; pod: string; regions: number }
    | { do: "bring-store-back"; storeId: number; pod: string }
    | { do: "forget-removal"; of: string }
    | { do: "remove-member"; member: string; memberId: string; pod: string }
    | { do: "release-claims"; pod: string; claims: { name: string; uid: string }[] }
    | { do: "note-pd"; clusterId: string }
    | { do: "begin-shutdown"; pod: string; uid: string }
    | { do: "resign-owner"; pod: string; uid: string }
    | { do: "drain-capture"; pod: string; uid: string; capture: string }
    | { do: "close-pump"; pod: string; uid: string; nodeId: string }
    | { do: "delete-claims"; claims: { name: string; uid: string }[] }
    | { do: "delete-stateful-set"; name: string; uid: string }
    | { do: "make-password-secret"; secret: string }
    | { do: "set-password"; secret: string; pod: string; uid: string }
    | { do: "note-password"; secret: string; how: "set" | "left-alone" };

/** Why a run cannot go on: what was seen, and what its user can do next. */
export interface Problem {
    /** The step, as it stands in the plan. */
    step: string;
    /** The pod, store or member that it is about. */
    target: string;
    seen: string;
    next: string;
}

/** A change is to be made. */
export interface ActMove {
    kind: "act";
    action: Action;
    step: string;
    target: string;
    /** What it is waited for as, where that is not its step. */
    waitAs?: string;
    /** Waits before this step whose time is over, and stays so. */
    passed?: readonly string[];
    /** Decided without PD's word, because PD cannot be asked: what brings it back must not wait for it. Default: false. */
    withoutPd?: boolean;
}

/** A condition is waited for. */
export interface WaitMove {
    kind: "wait";
    step: string;
    target: string;
    /** What it is waited for as, where that is not its step: steps that share it share its time. */
    waitAs?: string;
    waitingFor: string;
    since: number;
    until?: number;
    /** What is left of it, where that can be counted: patience begins anew whenever it falls. */
    left?: number;
    /** When the condition was found, which is now to be found again until it has held long enough. */
    steadyAt?: number;
    /** Waits before this one whose time is over, and stays so. */
    passed?: readonly string[];
}

/** What to do now. Deciding is pure; the shell carries it out and observes again. */
export type Move =
    { kind: "done" } | ActMove | WaitMove | { kind: "look"; at: Look } | { kind: "fail"; problem: Problem };
