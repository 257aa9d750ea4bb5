import type { Component } from "../../topology/members";
import type { Approvals, ApprovalWait, FirstRevision } from "../lifecycle/vocabulary/approvals";
import type { AccessReview } from "./accessReview";
import type { DiagnosisFacts, DiagnosisRequest } from "../lifecycle/diagnosis/facts";
import type { JournalPort } from "./journal/journalPort";
import type { LeaseView } from "./leaseNotes";
import type { JournalOperation, JournalPlan } from "../lifecycle/journal/journalOperation";
import type { Fact } from "../lifecycle/vocabulary/evidence";
import type { EndedBy } from "../lifecycle/vocabulary/endedBy";
import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { StepNeeds } from "../lifecycle/vocabulary/lock";
import type { Action } from "../lifecycle/vocabulary/actions";
import type { Observation, OperationRecords } from "../lifecycle/vocabulary/observation";
import type { Notice } from "../lifecycle/vocabulary/notices";
import type { ClusterOwner, MemberNotes } from "../lifecycle/vocabulary/ownership";

/** The cluster's lock, as an effect uses it. */
export interface HeldLock {
    /**
     * Checks, right before an action, that nobody else may act.
     * @param needs which locks the step needs.
     * @throws Error if they are no longer held.
     */
    confirmHeld(needs: StepNeeds): Promise<void>;
    /** Notes what the run is doing, for other runs and for a status. Written with the next renewal of the lock. */
    describe(operation: string): void;
    keepRecords(records: OperationRecords): Promise<void>;
    /** Records which stack owns the cluster, and where it sends SQL clients; removes the record of the stack if undefined. */
    noteOwner(owner: ClusterOwner | undefined, domain?: string, sqlEndpoint?: string): Promise<void>;
    /** Records which members the program has; removes the record if undefined. */
    noteMembers(members: MemberNotes | undefined): Promise<void>;
    /**
     * Takes a consent, so it is used once, and notes the goal of what it lets through.
     * @param digests the consent, and others that no longer count.
     * @param used the consents that were used, this one included. Undefined: what is on record stays.
     * @param needs the consent, if it must still be there. Default: this run has taken it already.
     * @throws StaleDecision if it is not there: somebody has withdrawn it.
     */
    takeConsent(
        digests: readonly string[],
        goals: Approvals["goals"],
        used: Approvals["used"],
        needs?: string,
    ): Promise<void>;
    release(): Promise<void>;
}

/** The lock; or who holds it, what they do, and when it expires, if that is known. */
export type LockAnswer = { lock: HeldLock } | { heldBy: string; operation: string; expiresAt?: number };

/**
 * How a look may save questions while a run waits for what an earlier look has found. What the API server said last may be
 * used again if a watch has heard of no change since.
 */
export interface Lag {
    /**
     * Nothing was done since the last look, which ended just now, and only more is asked for. Only that is then read, and no
     * earlier answers are used. Default: no.
     */
    readonly isCloser?: true;
    /** What alone can end the wait. Then the rest of what PD and the pods said may be used again too. Default: not known. */
    readonly endedBy?: EndedBy;
}

/** Whom a look asks at a time: Kubernetes first, and then what its answer says is there. */
export type Asked = "the API server" | "others";

/** Everything that the effects of gates use from outside. Every decision is made from what these calls return. */
export interface GatePorts {
    now(): number;
    /**
     * Pauses.
     * @param leastMilliseconds how long it pauses in any case. After that it ends as soon as an object has changed that a watch
     * answered for. Default: no change ends it.
     */
    sleep(milliseconds: number, leastMilliseconds?: number): Promise<void>;
    /** The cluster's Lease; `stopAsked`: who asked this run to stop. */
    lease(): Promise<(LeaseView & { readonly stopAsked?: string }) | undefined>;
    /**
     * Observes the cluster.
     * @param lag how much of earlier answers may be used again. The observation says whether any was. Default: nothing.
     * @param tellAsked is told whom it asks from now on, for a wait.
     */
    look(options: LookOptions, lag?: Lag, tellAsked?: (asked: Asked) => void): Promise<Observation>;
    /** Reads why pods are not right. What the API server does not say is not known. Default: nothing is diagnosed. */
    diagnose?(request: DiagnosisRequest): Promise<DiagnosisFacts>;
    /** That the API server gave no answer a moment ago, without asking it. Default: that is not known. */
    silence?(): Error | undefined;
    /** What the journal says of the last operations, for estimates. Default: there is no journal to read. */
    operations?(): Promise<Fact<readonly JournalOperation[]>>;
    perform(action: Action): Promise<void>;
    /** Takes the lock, or returns who holds it. */
    tryLock(lease: LeaseView, operation: string): Promise<LockAnswer>;
    /**
     * Notes on the Lease, without the lock, what this run waits for a person's consent to; removes the note if undefined.
     * @param of the operation that waits.
     */
    noteApprovalWait(of: string, wait: Omit<ApprovalWait, "by" | "of"> | undefined): Promise<void>;
    /** Records on the Lease, without the lock, which revision the member's template has. */
    noteFirstRevision(component: Component, first: FirstRevision): Promise<void>;
    /** Records on the Lease, without the lock, that the program pauses the cluster. */
    notePause(): Promise<void>;
    /** What the API server says about the cluster's namespace and about the permissions of the user. */
    access: AccessReview;
    journal: JournalPort;
    /** The plan that is carried out, for the journal. Default: none. */
    plan?: JournalPlan;
    progress: Progress;
}

/** What a plan uses from outside: it reads the cluster. Nothing here can change it. */
export type PlanPorts = Pick<GatePorts, "now" | "lease" | "look" | "operations">;

/** What the user sees while a gate works. */
export interface Progress {
    /** Whether messages no longer reach anyone: Pulumi was killed while the gate worked. */
    readonly abandoned?: boolean;
    /** A permanent line. */
    info(message: string): void;
    warn(notice: Notice): void;
    /** A status line in a terminal, replaced by the next one. Nothing where there is no terminal. */
    status(message: string): void;
    /** A line in a log; in a terminal, a status line. In contrast to `info` it is not repeated when the run ends. */
    note(message: string): void;
}
