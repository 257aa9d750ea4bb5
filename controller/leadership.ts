import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import {
    lockDurationSeconds,
    lockState,
    type LockWatch,
    type ObservedLock,
    watchLock,
} from "../provider/lifecycle/vocabulary/lock";

/** The calls for the Lease by which one of several controllers leads. */
export interface LeadershipCalls {
    readLease(): Promise<V1Lease | undefined>;
    /** Creates it without a holder. An existing one is left as it is. */
    createLease(): Promise<void>;
    /** @returns whether it was written: false if somebody else has written to it since it was read. */
    writeLease(resourceVersion: string, spec: object): Promise<boolean>;
}

/**
 * Who leads among several controllers. A Lease decides, by the rules of a cluster's lock. It saves work: what keeps two of
 * them from acting on one cluster is that cluster's own lock.
 */
export class Leadership {
    private watch: LockWatch | undefined;
    private renewedAt = -Infinity;

    /** @param now a clock that nobody can set and that counts sleep, in milliseconds since 1970. */
    constructor(
        private readonly calls: LeadershipCalls,
        private readonly holder: string,
        private readonly now: () => number,
    ) {}

    /** Whether this controller leads: nobody else may take the Lease yet. A renewal that is late once ends nothing. */
    get isLeader(): boolean {
        return this.now() - this.renewedAt < lockDurationSeconds * 1000;
    }

    /** Takes the Lease if it is free, or renews it. Called every few seconds. @throws KubernetesApiError */
    async renew(): Promise<void> {
        const at = this.now();
        const lease = await this.calls.readLease();
        if (lease === undefined) {
            await this.calls.createLease();
            return;
        }
        const lock = lockOf(lease);
        this.watch = watchLock(lock, this.watch, at);
        if (!lockState(lock, this.holder, this.watch, at).free) {
            this.renewedAt = -Infinity;
            return;
        }
        const time = new Date(at).toISOString().replace("Z", "000Z");
        const isTaken = await this.calls.writeLease(lease.metadata?.resourceVersion ?? "", {
            holderIdentity: this.holder,
            leaseDurationSeconds: lockDurationSeconds,
            renewTime: time,
            ...(lock.holder === this.holder ? {} : { acquireTime: time }),
        });
        // Otherwise somebody else has written to it, and the next look at it tells who leads.
        this.renewedAt = isTaken ? at : this.renewedAt;
    }

    /** Gives the Lease up, so another controller takes over at once. @throws KubernetesApiError */
    async release(): Promise<void> {
        this.renewedAt = -Infinity;
        const lease = await this.calls.readLease();
        if (lease !== undefined && lockOf(lease).holder === this.holder) {
            await this.calls.writeLease(lease.metadata?.resourceVersion ?? "", {
                holderIdentity: null,
                leaseDurationSeconds: null,
                renewTime: null,
                acquireTime: null,
            });
        }
    }
}

function lockOf({ spec }: V1Lease): ObservedLock {
    return {
        holder: spec?.holderIdentity || undefined,
        renewedAt: spec?.renewTime ? new Date(spec.renewTime).getTime() : undefined,
        durationSeconds: spec?.leaseDurationSeconds,
    };
}
