import type { Microservice } from "../../topology/members";
import type { PdPart, RegionList } from "./look";

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

/** What a decision lacks, and the shell must look at before it asks again. */
export type Look = { parts: readonly PdPart[] } | { ownLeadersOf: string } | { regions: RegionList };

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

/** @returns the same text for the same action on the same target, whatever its counts are. */
export function actionKey(action: Action): string {
    switch (action.do) {
        case "transfer-leader":
            return [action.do, action.from, action.unpauses].filter((part) => part !== undefined).join(" ");
        case "transfer-primary":
            return `${action.do} ${action.from.uid}`;
        case "begin-eviction":
        case "end-eviction":
        case "note-eviction-gone":
        case "forget-eviction":
        case "remove-store":
        case "bring-store-back":
            return `${action.do} ${action.storeId}`;
        case "forget-removal":
            return `${action.do} ${action.of}`;
        case "note-pd":
            return `${action.do} ${action.clusterId}`;
        case "delete-pod":
        case "begin-shutdown":
        case "resign-owner":
        case "drain-capture":
        case "close-pump":
        case "delete-stateful-set":
            return `${action.do} ${action.uid}`;
        case "make-password-secret":
        case "set-password":
        case "note-password":
            return `${action.do} ${action.secret}`;
        case "remove-member":
            return `${action.do} ${action.memberId}`;
        case "release-claims":
        case "delete-claims":
            return `${action.do} ${action.claims.map((claim) => claim.uid).join(" ")}`;
    }
}

/** @returns whether the action only tidies this package's own records. */
export function isBookkeeping(action: Action): boolean {
    return (
        action.do === "note-pd" ||
        action.do === "note-password" ||
        action.do === "begin-shutdown" ||
        action.do === "note-eviction-gone" ||
        action.do === "forget-eviction" ||
        action.do === "forget-removal"
    );
}

/** @returns the action in words, for progress and errors. */
export function describeAction(action: Action): string {
    switch (action.do) {
        case "transfer-leader":
            return action.unpauses === undefined
                ? `transfer PD's leadership from ${action.from} to ${action.to}`
                : `transfer PD's leadership from ${action.from} to ${action.to}, because PD keeps leaders away from store ${action.unpauses} though its eviction has ended`;
        case "transfer-primary":
            return `transfer the primary of ${action.service} from ${action.from.name} to ${action.to}`;
        case "begin-eviction":
            return `evict ${action.leaders} leaders from store ${action.storeId} (${action.pod})`;
        case "end-eviction":
            return `end the eviction of store ${action.storeId} (${action.pod})`;
        case "note-eviction-gone":
            return `note that PD has let go of the eviction of store ${action.storeId}`;
        case "forget-eviction":
            return `forget the finished eviction of store ${action.storeId}`;
        case "delete-pod":
            return action.leaders === undefined
                ? `restart ${action.pod}`
                : `restart ${action.pod}, which holds ${action.leaders} leaders`;
        case "remove-store":
            return `take store ${action.storeId} (${action.pod}, ${action.regions} regions) out of the cluster`;
        case "bring-store-back":
            return `bring store ${action.storeId} (${action.pod}) back Up`;
        case "note-pd":
            return `note PD's cluster id ${action.clusterId}`;
        case "forget-removal":
            return `forget the finished removal of ${action.of}`;
        case "begin-shutdown":
            return `note that the shutdown of ${action.pod} has begun`;
        case "resign-owner":
            return `have ${action.pod} give up the ownership of TiCDC`;
        case "drain-capture":
            return `have the tables of ${action.pod} moved to other captures`;
        case "close-pump":
            return `take the pump of ${action.pod} offline`;
        case "remove-member":
            return action.member === ""
                ? `remove the PD member of ${action.pod} that never started (id ${action.memberId})`
                : `remove PD member ${action.member}`;
        case "release-claims":
            return `mark ${action.claims.map((claim) => claim.name).join(", ")} as given up`;
        case "delete-claims":
            return `delete ${action.claims.map((claim) => claim.name).join(", ")}, given up by an earlier scale-in`;
        case "delete-stateful-set":
            return `delete StatefulSet ${action.name} and its pods`;
        case "make-password-secret":
            return `make Secret ${action.secret} with a random password`;
        case "set-password":
            return `set root's password to that in Secret ${action.secret}, through ${action.pod}`;
        case "note-password":
            return action.how === "set"
                ? `note on Secret ${action.secret} that root has its password`
                : `note on Secret ${action.secret} that root has another password`;
    }
}
