import type { LeaseView } from "./lease";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { StepNeeds } from "../lifecycle/vocabulary/lock";
import type { Action } from "../lifecycle/vocabulary/move";
import type { Observation, OperationRecords } from "../lifecycle/vocabulary/observation";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";

/** The lock of the cluster, as an effect uses it. */
export interface HeldLock {
    /**
     * Makes sure, right before something is done, that nobody else may act.
     * @param needs which locks the step needs.
     * @throws Error where they are not held any more.
     */
    confirmHeld(needs: StepNeeds): Promise<void>;
    describe(operation: string): Promise<void>;
    keepRecords(records: OperationRecords): Promise<void>;
    /** Notes which stack owns the cluster; nobody where undefined. */
    noteOwner(owner: ClusterOwner | undefined): Promise<void>;
    /** Notes which members the program has; forgets that where undefined. */
    noteMembers(members: MemberNotes | undefined): Promise<void>;
    release(): Promise<void>;
}

/** The lock, or who has it, what they do, and until when to leave it alone, where that is known. */
export type LockAnswer = { lock: HeldLock } | { heldBy: string; operation: string; expiresAt?: number };

/** What the effects of gates need of the world. They decide nothing that is not decided from what these return. */
export interface GatePorts {
    now(): number;
    sleep(milliseconds: number): Promise<void>;
    lease(): Promise<LeaseView | undefined>;
    look(options: LookOptions): Promise<Observation>;
    perform(action: Action): Promise<void>;
    /** Takes the lock or says who has it. */
    tryLock(lease: LeaseView, operation: string): Promise<LockAnswer>;
    progress: Progress;
}

/** What the user sees while a gate works. */
export interface Progress {
    /** Whether nobody hears it any more: Pulumi was killed while the gate worked. */
    readonly abandoned?: boolean;
    /** A line that stays. */
    info(message: string): void;
    warn(message: string): void;
    /** A status that the next one replaces. */
    status(message: string): void;
}
