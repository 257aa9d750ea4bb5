import { leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import { actWithinMilliseconds, renewEveryMilliseconds } from "../lifecycle/vocabulary/lock";
import type { OperationRecords } from "../lifecycle/vocabulary/observation";
import { sleepAwareClock } from "./clock";
import { FencedLease, type LeasePatch } from "./fencedLease";
import type { KubernetesApi } from "./kubernetesApi";
import type { LeaseView } from "./leaseView";
import { StaleDecision } from "./staleDecision";

/** How long the description of an operation may be, in characters: a Lease is not a log. */
const longestOperation = 500;

/** The lock of one cluster, held by one process. Renews itself until it is released. */
export class ClusterLock {
    private readonly lease: FencedLease;
    private renewedAt = -Infinity;
    private timer: NodeJS.Timeout | undefined;
    private isRenewing = false;
    private doing: string | undefined;
    private noted: string | undefined;
    private lastProblem: Error | undefined;

    /**
     * @param now a clock that counts sleep.
     * @param onRenew called at each renewal, even if its previous call has not ended, to keep something else alive. Must
     * never throw.
     */
    constructor(
        api: Pick<KubernetesApi, "readLease" | "patchLease">,
        private readonly namespace: string,
        private readonly cluster: string,
        readonly holder: string,
        private readonly now: () => number = sleepAwareClock(),
        private readonly onRenew: () => void = () => undefined,
    ) {
        this.lease = new FencedLease(api, namespace, cluster, holder, now);
    }

    /** Takes a lock that was observed to be free. @returns false if another run took it first. */
    async take(lease: LeaseView, operation: string): Promise<boolean> {
        const at = await this.lease.take(lease, operation);
        if (at === undefined) {
            return false;
        }
        this.renewedAt = at;
        this.timer = setInterval(() => this.keepAlive(), renewEveryMilliseconds);
        this.timer.unref();
        return true;
    }

    /** Notes what this run is doing, for runs that wait and for a status. It is written with what is written next. */
    describe(operation: string): void {
        this.doing = operation.slice(0, longestOperation);
    }

    /** Writes the records. Called before the recorded action. */
    keepRecords(records: OperationRecords): Promise<void> {
        return this.annotate({ [leaseAnnotations.records]: JSON.stringify(records) });
    }

    /** Writes annotations; `null` removes one. @throws Error if the lock is lost or the API server does not answer; StaleDecision as `LeasePatch` says. */
    async annotate(annotations: Record<string, string | null>, isStill?: LeasePatch["isStill"]): Promise<void> {
        await this.write({ annotations, isStill });
    }

    /**
     * Checks that the lock is held and was renewed a moment ago. If it could not be renewed, because the API server did
     * not answer or this process slept, it is still held unless another run took it: a renewal finds out.
     * @throws Error if the lock is lost, or if that cannot be determined: then nothing more may be done.
     */
    async confirmHeld(): Promise<void> {
        if (this.lease.lost === undefined && !this.isFresh()) {
            await this.renew();
        }
        if (this.lease.lost !== undefined || !this.isFresh()) {
            throw this.failure();
        }
    }

    /**
     * Checks right before a request is sent that the last renewal is recent: a later request may meet another holder.
     * @throws StaleDecision if the last renewal began too long ago; Error if the lock is lost.
     */
    assertFresh(): void {
        if (this.lease.lost !== undefined) {
            throw this.failure();
        }
        if (!this.isFresh()) {
            const seconds = Math.round((this.now() - this.renewedAt) / 100) / 10;
            throw new StaleDecision(
                `the lock of ${this.name} was last renewed ${seconds} s ago, expected less than ${actWithinMilliseconds / 1000} s: nothing was done; the cluster is observed again`,
            );
        }
    }

    /** Releases the lock, unless another run holds it by now. */
    async release(): Promise<void> {
        clearInterval(this.timer);
        await this.lease.release();
    }

    private get name(): string {
        return `${this.namespace}/${this.cluster} (Lease ${leaseName(this.cluster)})`;
    }

    private isFresh(): boolean {
        return this.now() - this.renewedAt < actWithinMilliseconds;
    }

    private failure(): Error {
        const { lost } = this.lease;
        const why = lost ?? this.lastProblem?.message ?? "it could not be renewed in time";
        return new Error(
            `the lock of ${this.name} was lost: ${why}. Nothing more is done; run \`pulumi up\` again: it continues from the cluster's current state`,
            { cause: lost === undefined ? this.lastProblem : undefined },
        );
    }

    private keepAlive(): void {
        this.onRenew();
        if (!this.isRenewing) {
            this.isRenewing = true;
            void this.renew().finally(() => (this.isRenewing = false));
        }
    }

    /** With what this run is doing, if that has changed. */
    private async write(patch: LeasePatch): Promise<void> {
        const { doing } = this;
        const isNew = doing !== undefined && doing !== this.noted;
        this.renewedAt = await this.lease.write(
            isNew ? { ...patch, annotations: { [leaseAnnotations.operation]: doing, ...patch.annotations } } : patch,
        );
        this.noted = doing;
    }

    private async renew(): Promise<void> {
        try {
            await this.write({});
            this.lastProblem = undefined;
        } catch (error) {
            // Not fatal by itself: confirmHeld renews again before the next action.
            this.lastProblem = error as Error;
        }
    }
}
