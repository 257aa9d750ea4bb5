import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import type { Approvals } from "../../../provider/lifecycle/vocabulary/approvals";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { StepNeeds } from "../../../provider/lifecycle/vocabulary/lock";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { noRecords, type Observation, type OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { now } from "../lifecycle/observations";
import { grantedAccess } from "./grantedAccess";

/** A played cluster with a Lease: what runs of a gate see and change, and the consents that people give. */
export abstract class PlayedRun {
    records: OperationRecords = noRecords();
    approvals: Approvals = { given: {}, goals: {} };
    /** The digest of the plan whose consent was taken last. */
    taken: string | undefined;
    /** Whether somebody approves what a run waits for. */
    approves = true;
    /** The only digest that they approve. Default: whatever a run asks for. */
    approvesOnly?: string;
    /** What is done at the n-th call of a port: a kill, or a change of the cluster. */
    at: Record<number, () => void> = {};
    calls = 0;
    done: string[] = [];
    said: string[] = [];
    looks: LookOptions[] = [];
    /** What locks are held, and how often a run has paused without them. */
    locks: ("Lease" | "PD")[] = [];
    pausedUnlocked = 0;
    /** What is there at each call: all that the next run can find after a kill. */
    private found: string[] = [];

    /** What a look shows besides the records. */
    protected abstract seen(time: number, options: LookOptions): Observation;
    /** Carries out an action. */
    protected abstract does(action: Action): void;

    /** The calls at which something else is there than at the one before: between them, a run only looks again and again. */
    callsAtChanges(): number[] {
        return this.found.flatMap((here, index) => (here === this.found[index - 1] ? [] : [index + 1]));
    }

    /** The same calls, and the last ones before them: a run that is not killed there has waited until then. */
    callsAroundChanges(): number[] {
        const first = this.callsAtChanges();
        return [...new Set([...first, ...first.map((call) => call - 1), this.calls])].filter((call) => call > 0);
    }

    /** Counts calls from here on. */
    countAnew(): void {
        [this.calls, this.found] = [0, []];
    }

    private count(): void {
        const ofTheRun = { at: 0, calls: 0, said: 0, looks: 0, pausedUnlocked: 0, found: 0 };
        this.found.push(JSON.stringify({ ...this, ...ofTheRun }));
        this.calls += 1;
        this.at[this.calls]?.();
    }

    ports(): GatePorts {
        let time = now;
        const lock = {
            confirmHeld: ({ usesPd }: StepNeeds) => {
                this.locks = usesPd ? ["Lease", "PD"] : this.locks;
                return Promise.resolve();
            },
            describe: () => undefined,
            keepRecords: (kept: OperationRecords) => {
                this.count();
                this.records = kept;
                return Promise.resolve();
            },
            noteOwner: () => Promise.resolve(),
            noteMembers: () => Promise.resolve(),
            takeConsent: (
                _: readonly string[],
                goals: Approvals["goals"],
                _used: Approvals["used"],
                digest?: string,
            ) => {
                this.count();
                this.taken = digest ?? this.taken;
                this.done.push("consent");
                this.approvals = { given: {}, goals };
                return Promise.resolve();
            },
            release: () => Promise.resolve(void (this.locks = [])),
        };
        return {
            now: () => time,
            sleep: (milliseconds) => {
                this.pausedUnlocked += this.locks.includes("PD") ? 0 : 1;
                return Promise.resolve(void (time += milliseconds));
            },
            lease: () => Promise.resolve({ uid: "lease-1", resourceVersion: "1", lock: {}, records: this.records }),
            look: (options) => {
                this.count();
                this.looks.push(options);
                const { records, approvals } = this;
                return Promise.resolve({ ...this.seen(time, options), now: time, records, approvals });
            },
            perform: async (action) => {
                this.done.push(action.do);
                this.does(action);
                this.count();
            },
            tryLock: () => {
                this.locks = ["Lease"];
                return Promise.resolve({ lock });
            },
            noteApprovalWait: (_of, wait) => {
                if (wait && this.approves && wait.digest === (this.approvesOnly ?? wait.digest)) {
                    this.approvals = { ...this.approvals, given: { [wait.digest]: { by: "ann", at: time } } };
                }
                return Promise.resolve();
            },
            noteFirstRevision: () => Promise.resolve(),
            notePause: () => Promise.reject(new Error("this gate pauses nothing")),
            access: grantedAccess,
            journal: noJournal,
            progress: {
                info: (message) => void this.said.push(message),
                status: () => undefined,
                note: () => undefined,
                warn: ({ message }) => void this.said.push(message),
            },
        };
    }
}
