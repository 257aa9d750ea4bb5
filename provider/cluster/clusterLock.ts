import { leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import { actWithinMilliseconds, renewEveryMilliseconds } from "../lifecycle/vocabulary/lock";
import type { OperationRecords } from "../lifecycle/vocabulary/observation";
import { sleepAwareClock } from "./clock";
import { FencedLease } from "./fencedLease";
import type { KubernetesApi } from "./kubernetesApi";
import type { LeaseView } from "./leaseView";
import { StaleDecision } from "./staleDecision";

/** The lock of one cluster, held by one process. Renews itself until it is released. */
export class ClusterLock {
    private readonly lease: FencedLease;
    private renewedAt = -Infinity;
    private timer: NodeJS.Timeout | undefined;
    private isRenewing = false;
    private lastProblem: Error | undefined;

    /**
     * @param now a clock in which sleep counts.
     * @param alongside what is kept alive with the lock. It never throws, and is called again whether it has ended or not.
     */
    constructor(
        api: Pick<KubernetesApi, "readLease" | "patchLease">,
        private readonly namespace: string,
        private readonly cluster: string,
        readonly holder: string,
        private readonly now: () => number = sleepAwareClock(),
        private readonly alongside: () => void = () => undefined,
    ) {
        this.lease = new FencedLease(api, namespace, cluster, holder, now);
    }

    /** Takes a lock that was seen to be free. @returns whether nobody else took it first. */
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

    /** Says what is being done, for whoever waits. */
    describe(operation: string): Promise<void> {
        return this.annotate({ [leaseAnnotations.operation]: operation });
    }

    /** Remembers; written before what is remembered is done. */
    keepRecords(records: OperationRecords): Promise<void> {
        return this.annotate({ [leaseAnnotations.records]: JSON.stringify(records) });
    }

    /** Writes annotations; `null` removes one. @throws Error where the lock is lost, or the API server does not answer. */
    async annotate(annotations: Record<string, string | null>): Promise<void> {
        this.renewedAt = await this.lease.write({ annotations });
    }

    /**
     * Makes sure that the lock is held, and was renewed a moment ago. One that could not be renewed, because the API
     * server did not answer or this process slept, is still held where nobody took it meanwhile: that is asked.
     * @throws Error where it is lost, or that cannot be told: nothing more may be done.
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
     * For right before a request is sent: what comes later may find another holder.
     * @throws StaleDecision where the last renewal was begun too long ago; Error where the lock is lost.
     */
    assertFresh(): void {
        if (this.lease.lost !== undefined) {
            throw this.failure();
        }
        if (!this.isFresh()) {
            const seconds = Math.round((this.now() - this.renewedAt) / 100) / 10;
            throw new StaleDecision(
                `the lock of ${this.name} was last renewed ${seconds} s ago, expected less than ${actWithinMilliseconds / 1000} s: nothing was done, and the cluster is looked at again`,
            );
        }
    }

    /** Gives the lock back, unless somebody else has it by now. */
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
            `the lock of ${this.name} was lost: ${why}. Nothing more is done; run \`pulumi up\` again, it goes on from what it finds`,
            { cause: lost === undefined ? this.lastProblem : undefined },
        );
    }

    private keepAlive(): void {
        this.alongside();
        if (!this.isRenewing) {
            this.isRenewing = true;
            void this.renew().finally(() => (this.isRenewing = false));
        }
    }

    private async renew(): Promise<void> {
        try {
            this.renewedAt = await this.lease.write({});
            this.lastProblem = undefined;
        } catch (error) {
            // Not fatal by itself: confirmHeld asks once more before anything is done.
            this.lastProblem = error as Error;
        }
    }
}
