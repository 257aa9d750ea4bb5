import { randomUUID } from "node:crypto";
import { actWithinMilliseconds, lockDurationSeconds } from "../lifecycle/vocabulary/lock";
import type { PdClient, PdKey } from "../pd";
import { PdError } from "../pd/pdError";
import { StaleDecision } from "./staleDecision";
import type { PdConnection } from "./pdConnection";
import { type PdLockHolder, readPdLockHolder } from "./pdLockHolder";

/** The key in PD's etcd that is the lock of a PD, whichever TidbCluster works on it. */
export const pdLockKey = "/pulumi-tidb/lock";

/** Whether PD's lock is held, and if not, why. */
export type PdLockAnswer =
    | { is: "held" }
    /** Another run holds it: `who` that is and `what` it does, in words. */
    | { is: "other"; who: string; what: string }
    /** PD or its etcd does not answer. */
    | { is: "unreachable"; why: string }
    /** This PD does not serve etcd over HTTP (`enable-grpc-gateway: false`). */
    | { is: "unsupported"; why: string };

/**
 * The lock of a PD: a key in its etcd, attached to an etcd lease. Two TidbClusters can share a PD, even across namespaces
 * and Kubernetes clusters. They then have two Leases in Kubernetes but only one PD.
 */
export class PdLock {
    /** Distinguishes two clusters that one process deploys: they are two holders. */
    private readonly token = randomUUID();
    private lease: { id: string; aliveAt: number } | undefined;
    private unsupported: string | undefined;
    private ended: string | undefined;
    private keeping: Promise<void> | undefined;

    /** @param now a clock that counts sleep, in milliseconds. */
    constructor(
        private readonly pd: Pick<PdConnection, "ask">,
        private readonly self: Omit<PdLockHolder, "operation" | "token">,
        private readonly now: () => number,
    ) {}

    /** Takes the lock, or returns why it cannot. A lock that is already taken is held. @throws PdError if PD refuses. */
    async take(operation: string): Promise<PdLockAnswer> {
        if (this.unsupported !== undefined) {
            return { is: "unsupported", why: this.unsupported };
        }
        if (this.lease) {
            return { is: "held" };
        }
        try {
            return await this.put(operation);
        } catch (error) {
            if (!(error instanceof PdError)) {
                return { is: "unreachable", why: (error as Error).message };
            }
            switch (error.code) {
                case "PD_NO_GATEWAY":
                    this.unsupported = error.message;
                    return { is: "unsupported", why: error.message };
                case "PD_UNREACHABLE":
                case "PD_NO_LEADER":
                case "PD_BAD_ANSWER":
                    return { is: "unreachable", why: error.message };
                case "PD_NOT_BOOTSTRAPPED":
                case "PD_NOT_FOUND":
                case "PD_NOT_READY":
                case "PD_REFUSED":
                    throw error;
            }
        }
    }

    /** Keeps the lock alive. Never throws: each step checks that it is alive. */
    keepAlive(): Promise<void> {
        this.keeping ??= this.renew().finally(() => (this.keeping = undefined));
        return this.keeping;
    }

    /**
     * Checks that the lock, if it is held, was renewed a moment ago. A lock that expired because PD could not be reached is
     * taken again, and everything decided under the old one must be decided again.
     * @returns as `take` does
     * @throws StaleDecision if it had expired or cannot be renewed now
     */
    async confirm(operation: string): Promise<PdLockAnswer> {
        if (this.lease && !this.isFresh()) {
            await this.keepAlive();
        }
        const { ended } = this;
        if (ended !== undefined) {
            const answer = await this.take(operation);
            if (answer.is === "held") {
                this.ended = undefined;
                throw new StaleDecision(
                    `the lock of PD had expired (${ended}) and was taken again: PD is observed again`,
                );
            }
            return answer;
        }
        const answer = await this.take(operation);
        if (answer.is === "held") {
            this.assertFresh();
        }
        return answer;
    }

    /** Checks right before a request is sent. @throws StaleDecision if the lock was held and may have expired. */
    assertFresh(): void {
        if (this.ended !== undefined || (this.lease && !this.isFresh())) {
            const seen = this.ended ?? `it was last renewed ${this.age()} s ago`;
            const limit = actWithinMilliseconds / 1000;
            throw new StaleDecision(
                `the lock of PD (${pdLockKey} in its etcd) may have expired: ${seen}, expected a renewal within ${limit} s. Nothing was done; PD is observed again`,
            );
        }
    }

    /** Releases the lock. If PD does not answer, the lock expires by itself. */
    async release(): Promise<void> {
        await this.keeping;
        const { lease } = this;
        this.lease = undefined;
        this.ended = undefined;
        if (lease) {
            await this.pd.ask((client) => client.revokeLease(lease.id));
        }
    }

    /** Forgets the lock without asking PD, which this run has ended. The lock expires by itself. */
    forget(): void {
        this.lease = undefined;
        this.ended = undefined;
    }

    private async put(operation: string): Promise<PdLockAnswer> {
        const value = JSON.stringify({ ...this.self, operation, token: this.token } satisfies PdLockHolder);
        const at = this.now();
        return this.pd.ask(async (client) => {
            // Waiting runs try often, so they read first: a read changes nothing in PD's etcd.
            const found = await client.readKey(pdLockKey);
            if (found) {
                return this.resume(client, found);
            }
            const id = await client.grantLease(lockDurationSeconds);
            const answer = await client.putIfAbsent(pdLockKey, value, id);
            if (answer.held) {
                this.lease = { id, aliveAt: at };
                return { is: "held" };
            }
            await client.revokeLease(id);
            return this.resume(client, answer);
        });
    }

    /** The key may be this lock's own, from a call whose answer was lost. */
    private async resume(client: PdClient, { value, leaseId }: PdKey): Promise<PdLockAnswer> {
        const found = readPdLockHolder(value);
        const at = this.now();
        if (found?.token === this.token && leaseId !== undefined && (await client.keepLeaseAlive(leaseId))) {
            this.lease = { id: leaseId, aliveAt: at };
            return { is: "held" };
        }
        return found
            ? { is: "other", who: `${found.holder} (${found.namespace}/${found.cluster})`, what: found.operation }
            : { is: "other", who: `an unknown holder of ${pdLockKey} in PD's etcd`, what: value.slice(0, 80) };
    }

    private async renew(): Promise<void> {
        const { lease } = this;
        if (!lease) {
            return;
        }
        const at = this.now();
        try {
            const isAlive = await this.pd.ask((client) => client.keepLeaseAlive(lease.id));
            if (this.lease !== lease) {
                return;
            }
            if (isAlive) {
                lease.aliveAt = at;
            } else {
                this.lease = undefined;
                this.ended = `PD's etcd no longer has lease ${lease.id}`;
            }
        } catch {
            // A lock that was not renewed is not fresh: `confirm` and `assertFresh` report that.
        }
    }

    private isFresh(): boolean {
        return this.lease !== undefined && this.now() - this.lease.aliveAt < actWithinMilliseconds;
    }

    private age(): number {
        return Math.round((this.now() - (this.lease?.aliveAt ?? 0)) / 100) / 10;
    }
}
