import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { LOCK_DURATION_SECONDS, type ObservedLock, RENEW_EVERY_MILLISECONDS } from "../lifecycle/lock";
import { noRecords, type OperationRecords } from "../lifecycle/observation";
import { KubernetesApiError } from "./apiCall";
import type { KubernetesApi } from "./kubernetesApi";

const RECORDS = "pulumi-tidb/records";
const OPERATION = "pulumi-tidb/operation";
const STOP = "pulumi-tidb/stop";
const PD_CLUSTER_ID = "pulumi-tidb/pd-cluster-id";

/** The cluster's Lease as gates see it: the proof of the right cluster, the lock, and what must not be forgotten. */
export interface LeaseView {
    uid: string;
    resourceVersion: string;
    lock: ObservedLock;
    records: OperationRecords;
    /** Who asked last that a run end at its next safe point. */
    stopRequest?: string;
    /** Id of the PD that the cluster's data are known to. */
    pdClusterId?: string;
}

/** @returns the name of the Lease of a TidbCluster. */
export function leaseName(cluster: string): string {
    return `${cluster}-pulumi-tidb`;
}

/** Reads the Lease; `undefined` when there is none. */
export async function readLease(
    api: KubernetesApi,
    namespace: string,
    cluster: string,
): Promise<LeaseView | undefined> {
    const lease = await api.readLease(namespace, leaseName(cluster));
    return lease && viewLease(lease);
}

function viewLease(lease: V1Lease): LeaseView {
    const annotations = lease.metadata?.annotations ?? {};
    return {
        uid: lease.metadata?.uid ?? "",
        resourceVersion: lease.metadata?.resourceVersion ?? "",
        lock: {
            holder: lease.spec?.holderIdentity || undefined,
            renewedAt: lease.spec?.renewTime ? new Date(lease.spec.renewTime).getTime() : undefined,
            durationSeconds: lease.spec?.leaseDurationSeconds,
            operation: annotations[OPERATION],
        },
        stopRequest: annotations[STOP],
        pdClusterId: annotations[PD_CLUSTER_ID],
        records: annotations[RECORDS]
            ? { ...noRecords(), ...(JSON.parse(annotations[RECORDS]) as OperationRecords) }
            : noRecords(),
    };
}

/** Notes which PD the cluster's is. */
export async function notePd(api: KubernetesApi, namespace: string, cluster: string, clusterId: string): Promise<void> {
    const metadata = { annotations: { [PD_CLUSTER_ID]: clusterId } };
    await api.patchLease(namespace, leaseName(cluster), { metadata });
}

/** Asks whoever operates the cluster to end at the next safe point. Seen when they next look at it. */
export async function requestStop(
    api: KubernetesApi,
    namespace: string,
    cluster: string,
    requestedBy: string,
): Promise<void> {
    await api.patchLease(namespace, leaseName(cluster), { metadata: { annotations: { [STOP]: requestedBy } } });
}

/** The lock of one cluster, held by one process. Renews itself until it is released. */
export class ClusterLock {
    private renewedAt = 0;
    private timer: NodeJS.Timeout | undefined;
    private lost: string | undefined;
    private lastProblem: Error | undefined;
    private writes: Promise<unknown> = Promise.resolve();

    constructor(
        private readonly api: KubernetesApi,
        private readonly namespace: string,
        private readonly cluster: string,
        readonly holder: string,
        private readonly now: () => number = Date.now,
    ) {}

    /** Takes a lock that was seen to be free. @returns whether nobody else took it first. */
    async take(lease: LeaseView, operation: string): Promise<boolean> {
        const at = this.now();
        try {
            await this.api.patchLease(this.namespace, leaseName(this.cluster), {
                metadata: {
                    resourceVersion: lease.resourceVersion,
                    annotations: { [OPERATION]: operation },
                },
                spec: {
                    holderIdentity: this.holder,
                    leaseDurationSeconds: LOCK_DURATION_SECONDS,
                    acquireTime: microTime(at),
                    renewTime: microTime(at),
                },
            });
        } catch (error) {
            if (error instanceof KubernetesApiError && error.status === 409) {
                return false;
            }
            throw error;
        }
        this.renewedAt = at;
        this.timer = setInterval(() => void this.renew(), RENEW_EVERY_MILLISECONDS);
        this.timer.unref();
        return true;
    }

    /** Says what is being done, for whoever waits. */
    async describe(operation: string): Promise<void> {
        await this.write({ metadata: { annotations: { [OPERATION]: operation } } });
    }

    /** Remembers; written before what is remembered is done. */
    async keepRecords(records: OperationRecords): Promise<void> {
        await this.write({ metadata: { annotations: { [RECORDS]: JSON.stringify(records) } } });
    }

    /**
     * Makes sure that the lock is held. One that could not be renewed in time, because the API server did not answer or
     * this process slept, is still held where nobody took it meanwhile: that is asked.
     * @throws Error where it is lost, or that cannot be told: nothing more may be done.
     */
    async confirmHeld(): Promise<void> {
        if (this.lost === undefined && this.isDue()) {
            await this.renew();
        }
        if (this.lost !== undefined || this.isDue()) {
            throw new Error(
                `the lock of ${this.namespace}/${this.cluster} (Lease ${leaseName(this.cluster)}) was lost: ${this.lost ?? this.lastProblem?.message ?? "it could not be renewed in time"}. Nothing more is done; run \`pulumi up\` again, it goes on from what it finds`,
                { cause: this.lost === undefined ? this.lastProblem : undefined },
            );
        }
    }

    private isDue(): boolean {
        return this.now() - this.renewedAt >= LOCK_DURATION_SECONDS * 1000;
    }

    /** Gives the lock back, unless somebody else has it by now: a process that slept can have lost it unseen. */
    async release(): Promise<void> {
        clearInterval(this.timer);
        await this.writes;
        const lease = await readLease(this.api, this.namespace, this.cluster);
        if (lease?.lock.holder === this.holder) {
            const { resourceVersion } = lease;
            await this.api.patchLease(this.namespace, leaseName(this.cluster), {
                metadata: { resourceVersion, annotations: { [OPERATION]: null, [STOP]: null } },
                spec: { holderIdentity: null, renewTime: null, acquireTime: null, leaseDurationSeconds: null },
            });
        }
    }

    private async renew(): Promise<void> {
        const at = this.now();
        try {
            const lease = viewLease(await this.write({ spec: { renewTime: microTime(at) } }));
            if (lease.lock.holder !== this.holder) {
                this.lost = `${lease.lock.holder ?? "nobody"} holds it now`;
            } else {
                this.renewedAt = at;
            }
        } catch (error) {
            // Not fatal by itself: confirmHeld asks once more before anything is done.
            this.lastProblem = error as Error;
        }
    }

    private write(patch: object): Promise<V1Lease> {
        const next = this.writes.then(() => this.api.patchLease(this.namespace, leaseName(this.cluster), patch));
        this.writes = next.catch(() => undefined);
        return next;
    }
}

function microTime(milliseconds: number): string {
    return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
