import type { ClusterName } from "../provider/cluster/controllerCalls";
import type { ClusterStatus } from "../status/clusterStatus";
import { NoSuchCluster } from "../provider/cluster/noSuchCluster";
import { statusChanges, type StatusFacts } from "../status/statusChanges";
import { conditionWords } from "../status/statusWords";
import { type LockWatch, lockState, watchLock } from "../provider/lifecycle/vocabulary/lock";
import { type Pace, waitBeforeLook } from "./backOff";
import type { CertificateWatch } from "./certificateWatch";
import type { ControllerLog } from "./controllerLog";
import type { ControllerMetrics } from "./controllerMetrics";
import { type Standstill, standstillOf, stuckReason } from "./stuck";

/** Something that the controller may do to a cluster by itself. */
export interface ControllerAction {
    readonly kind: string;
    /**
     * Does what is due, under the cluster's lock, and tells it in the log.
     * @param isInterrupted whether the controller ends or no longer leads: then nothing more is begun
     * @param lookAgainIn is told after how many seconds something is due if nothing changes
     * @returns what was done, one line each, which the log has already; empty if nothing was due
     */
    act(
        name: ClusterName,
        seen: ClusterStatus,
        isInterrupted: () => boolean,
        lookAgainIn: (seconds: number) => void,
    ): Promise<readonly string[]>;
}

/** What a worker uses. */
export interface WorkerPorts {
    read(name: ClusterName): Promise<ClusterStatus>;
    readonly actions: readonly ControllerAction[];
    readonly log: ControllerLog;
    readonly metrics: ControllerMetrics;
    readonly certificates?: Pick<CertificateWatch, "look" | "rest">;
    readonly pace: Pace;
    /** The time in milliseconds since 1970, by a clock that nobody can set. */
    now(): number;
    /** The same by the machine's clock, which Prometheus' clock agrees with. */
    machineTime(): number;
    random(): number;
}

/** A look, or a kind of action, that has failed since it last succeeded. */
interface Failing {
    readonly failures: number;
    readonly problem: string;
    /** Before then an action of this kind is not tried again. */
    readonly until: number;
}

/**
 * Looks at one cluster, again and again, and does what is due. One loop at a time calls it, so it never runs beside itself. It
 * lives as long as the cluster, also while another controller leads: it knows since when the cluster has been as it is.
 */
export class ClusterWorker {
    private facts: StatusFacts | undefined;
    private standstill: Standstill | undefined;
    private lockWatch: LockWatch | undefined;
    /** What failed last, by kind. */
    private readonly failing = new Map<string, Failing>();

    constructor(
        private readonly name: ClusterName,
        private readonly ports: WorkerPorts,
    ) {}

    /** Looks once, and acts. @returns how long to wait before the next look, in milliseconds */
    async round(isInterrupted: () => boolean): Promise<number> {
        const { actions, pace, random } = this.ports;
        let dueIn = Infinity;
        const seen = await this.tried("look", () => this.look());
        if (seen && !isInterrupted()) {
            for (const action of actions) {
                dueIn = Math.min(dueIn, await this.act(action, seen, isInterrupted));
            }
            // After the actions: a dead member waits for no certificate.
            await this.ports.certificates?.look(this.name, seen);
        }
        return Math.min(dueIn, waitBeforeLook(pace, this.failing.get("look")?.failures ?? 0, random()));
    }

    /** What fails waits longer each time, and keeps nothing else waiting. @returns undefined if it failed. */
    private async tried<T>(kind: string, what: () => Promise<T>): Promise<T | undefined> {
        const { log, pace, now, random } = this.ports;
        const before = this.failing.get(kind);
        try {
            const result = await what();
            if (this.failing.delete(kind)) {
                log.info(`the last ${kind} succeeded again`, { ...this.name });
            }
            return result;
        } catch (error) {
            // A cluster that was there and has no Lease any more is destroyed by somebody.
            const isGone = error instanceof NoSuchCluster && this.facts !== undefined;
            const problem = isGone ? "its Lease is gone, so it is being destroyed" : (error as Error).message;
            // The same problem again is counted, not told again.
            if (problem !== before?.problem) {
                log[isGone ? "info" : "error"](problem, { ...this.name });
            }
            const failures = (before?.failures ?? 0) + 1;
            this.failing.set(kind, { failures, problem, until: now() + waitBeforeLook(pace, failures, random()) });
            return undefined;
        }
    }

    private async look(): Promise<ClusterStatus> {
        const { read, log, metrics, now, machineTime } = this.ports;
        const began = now();
        let seen: ClusterStatus;
        try {
            seen = this.watched(await read(this.name));
        } catch (error) {
            metrics.lookFailed(this.name);
            throw error;
        }
        const at = now();
        metrics.tookSeconds((at - began) / 1000);
        this.standstill = standstillOf(seen, this.standstill, at);
        metrics.looked(this.name, seen.conditions, stuckReason(this.standstill, at), machineTime() / 1000);
        const isFirst = this.facts === undefined;
        const { changes, facts } = statusChanges(this.facts, seen);
        this.facts = facts;
        for (const line of isFirst ? seen.conditions.map(conditionWords) : changes) {
            log.info(line, { ...this.name });
        }
        return seen;
    }

    /** Clocks differ, so only a lock that was seen not to be renewed for its whole duration is overdue. */
    private watched(seen: ClusterStatus): ClusterStatus {
        const { operation } = seen;
        if (operation === null) {
            this.lockWatch = undefined;
            return seen;
        }
        const { holder, renewedAt } = operation;
        const lock = { holder, renewedAt: renewedAt === null ? undefined : Date.parse(renewedAt) };
        const now = this.ports.now();
        this.lockWatch = watchLock(lock, this.lockWatch, now);
        return { ...seen, operation: { ...operation, isOverdue: lockState(lock, "", this.lockWatch, now).free } };
    }

    /** @returns after how many milliseconds more of this kind is due; Infinity if nothing is, or it failed */
    private async act(
        { kind, act }: ControllerAction,
        seen: ClusterStatus,
        isInterrupted: () => boolean,
    ): Promise<number> {
        const { metrics, now } = this.ports;
        if (now() < (this.failing.get(kind)?.until ?? 0)) {
            return Infinity;
        }
        let dueIn = Infinity;
        const done = await this.tried(kind, () =>
            act(this.name, seen, isInterrupted, (seconds) => (dueIn = Math.min(dueIn, seconds * 1000))),
        );
        if (done === undefined) {
            metrics.acted(this.name, kind, "failure");
            return Infinity;
        }
        if (done.length > 0) {
            metrics.acted(this.name, kind, "success");
        }
        return dueIn;
    }
}
