import { leaseAnnotations } from "../../topology/annotations";
import { leaseName } from "../../topology/names";
import { lockDurationSeconds } from "../lifecycle/vocabulary/lock";
import { KubernetesApiError } from "./apiCall";
import type { KubernetesApi } from "./kubernetesApi";
import { type LeaseView, readLease, viewLease } from "./leaseView";
import { StaleDecision } from "./staleDecision";

/** Stop requests and Pulumi write to the Lease too. Each such write causes one conflict. */
const maxAttempts = 5;

/** A holder's change of the Lease. */
export interface LeasePatch {
    /** `null` removes an annotation. */
    annotations?: Record<string, string | null>;
    /** Whether the Lease that is written onto still allows it. Otherwise nothing is written, with StaleDecision. Default: it does. */
    isStill?: (lease: LeaseView) => boolean;
}

/**
 * Writes to a Lease as its holder. Every write names the resourceVersion of this process's last write, so a process that
 * slept cannot overwrite its successor. Every write also renews the Lease; between them `clusterLock.ts` renews it on a timer.
 */
export class FencedLease {
    /** The Lease as this process wrote or read it last. The next write is refused if it has changed since. */
    private seen: LeaseView | undefined;
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

    /** Why the Lease is lost for good; undefined while it is not known to be lost. */
    get lost(): string | undefined {
        return this.lostBecause;
    }

    /** @returns when the successful attempt began; `undefined` if somebody else wrote to the Lease first. */
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
            this.seen = viewLease(taken);
            return at;
        } catch (error) {
            if (isConflict(error)) {
                return undefined;
            }
            throw error;
        }
    }

    /**
     * Writes to the Lease. Writes wait for each other, because each needs the version that the previous one created.
     * @returns when the successful write began.
     * @throws Error if the Lease is lost or the API server does not answer
     */
    write(patch: LeasePatch): Promise<number> {
        const next = this.writes.then(() => this.writeAsHolder(patch));
        this.writes = next.catch(() => undefined);
        return next;
    }

    /** Releases the Lease, unless another run holds it by now: a process that slept can lose it without noticing. */
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
                        annotations: { [leaseAnnotations.operation]: null },
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

    private async writeAsHolder({ annotations, isStill }: LeasePatch): Promise<number> {
        for (let attempt = 1; ; attempt += 1) {
            const at = this.now();
            try {
                this.assertHeld();
                await this.assertStill(isStill);
                const metadata = { annotations, resourceVersion: this.seen?.resourceVersion ?? "" };
                this.adopt(viewLease(await this.patch({ metadata, spec: { renewTime: microTime(at) } })));
                return at;
            } catch (error) {
                if (!isConflict(error) || attempt === maxAttempts) {
                    throw error;
                }
                // What matters is whether the other writer took the Lease.
                this.adopt(await readLease(this.api, this.namespace, this.cluster));
            }
        }
    }

    /** What was seen last may be older than the decision, so the Lease is read again before it is refused. */
    private async assertStill(isStill: (lease: LeaseView) => boolean = () => true): Promise<void> {
        if (this.seen && !isStill(this.seen)) {
            this.adopt(await readLease(this.api, this.namespace, this.cluster));
            if (!isStill(this.seen)) {
                throw new StaleDecision(`Lease ${leaseName(this.cluster)} has changed: it is observed again`);
            }
        }
    }

    private adopt(lease: LeaseView | undefined): void {
        if (lease?.uid !== this.uid) {
            this.lostBecause = lease ? "the Lease was recreated" : "the Lease is gone";
        } else if (lease.lock.holder !== this.holder) {
            this.lostBecause = `${lease.lock.holder ?? "nobody"} holds it now`;
        } else {
            this.seen = lease;
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
