import { leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import { lockDurationSeconds } from "../lifecycle/vocabulary/lock";
import { KubernetesApiError } from "./apiCall";
import type { KubernetesApi } from "./kubernetesApi";
import { type LeaseView, readLease, viewLease } from "./leaseView";

/** Others write to the Lease too: who asks for a stop, and Pulumi. Each of them is in the way once. */
const maxAttempts = 5;

/** What a holder changes of the Lease. */
export interface LeasePatch {
    /** `null` removes one. */
    annotations?: Record<string, string | null>;
}

/**
 * What the holder of a Lease writes to it. Every write names the version that this process wrote last, so that one that
 * slept cannot write over what its successor wrote; and every write is a sign of life.
 */
export class FencedLease {
    private version = "";
    private uid = "";
    private writes: Promise<unknown> = Promise.resolve();
    private lostBecause: string | undefined;

    /** @param now the holder's own clock, in milliseconds. */
    constructor(
        private readonly api: Pick<KubernetesApi, "readLease" | "patchLease">,
        private readonly namespace: string,
        private readonly cluster: string,
        private readonly holder: string,
        private readonly now: () => number,
    ) {}

    /** Why the Lease is lost, for good; undefined while nobody is known to have it. */
    get lost(): string | undefined {
        return this.lostBecause;
    }

    /** @returns when a take that succeeded was begun; `undefined` where somebody else wrote to the Lease first. */
    async take(lease: LeaseView, operation: string): Promise<number | undefined> {
        const at = this.now();
        this.uid = lease.uid;
        try {
            const taken = await this.patch({
                metadata: {
                    resourceVersion: lease.resourceVersion,
                    annotations: { [leaseAnnotations.operation]: operation },
                },
                spec: {
                    holderIdentity: this.holder,
                    leaseDurationSeconds: lockDurationSeconds,
                    acquireTime: microTime(at),
                    renewTime: microTime(at),
                },
            });
            this.version = taken.metadata?.resourceVersion ?? "";
            return at;
        } catch (error) {
            if (isConflict(error)) {
                return undefined;
            }
            throw error;
        }
    }

    /**
     * Writes. The writes wait for one another, as each builds on the version that the one before it made.
     * @returns when the write that succeeded was begun.
     * @throws Error where the Lease is lost, or the API server does not answer
     */
    write(patch: LeasePatch): Promise<number> {
        const next = this.writes.then(() => this.writeAsHolder(patch));
        this.writes = next.catch(() => undefined);
        return next;
    }

    /** Gives the Lease back, unless somebody else has it by now: a process that slept can have lost it unseen. */
    async release(): Promise<void> {
        await this.writes;
        for (let attempt = 1; ; attempt += 1) {
            const lease = await readLease(this.api, this.namespace, this.cluster);
            if (lease?.uid !== this.uid || lease.lock.holder !== this.holder) {
                return;
            }
            try {
                await this.patch({
                    metadata: {
                        resourceVersion: lease.resourceVersion,
                        annotations: { [leaseAnnotations.operation]: null, [leaseAnnotations.stop]: null },
                    },
                    spec: { holderIdentity: null, renewTime: null, acquireTime: null, leaseDurationSeconds: null },
                });
                return;
            } catch (error) {
                if (!isConflict(error) || attempt === maxAttempts) {
                    throw error;
                }
            }
        }
    }

    private async writeAsHolder({ annotations }: LeasePatch): Promise<number> {
        for (let attempt = 1; ; attempt += 1) {
            const at = this.now();
            try {
                this.assertHeld();
                const metadata = { annotations, resourceVersion: this.version };
                this.adopt(viewLease(await this.patch({ metadata, spec: { renewTime: microTime(at) } })));
                return at;
            } catch (error) {
                if (!isConflict(error) || attempt === maxAttempts) {
                    throw error;
                }
                // Whether whoever wrote took the Lease decides.
                this.adopt(await readLease(this.api, this.namespace, this.cluster));
            }
        }
    }

    private adopt(lease: LeaseView | undefined): void {
        if (lease?.uid !== this.uid) {
            this.lostBecause = lease ? "the Lease was made anew" : "the Lease is gone";
        } else if (lease.lock.holder !== this.holder) {
            this.lostBecause = `${lease.lock.holder ?? "nobody"} holds it now`;
        } else {
            this.version = lease.resourceVersion;
        }
        this.assertHeld();
    }

    private assertHeld(): void {
        if (this.lostBecause !== undefined) {
            throw new Error(`Lease ${leaseName(this.cluster)} was not written: ${this.lostBecause}`);
        }
    }

    private patch(patch: object) {
        return this.api.patchLease(this.namespace, leaseName(this.cluster), patch);
    }
}

function isConflict(error: unknown): boolean {
    return error instanceof KubernetesApiError && error.status === 409;
}

function microTime(milliseconds: number): string {
    return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
