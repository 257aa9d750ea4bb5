import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { GatePorts, HeldLock, Progress } from "../gates/ports";
import type { PdAccess } from "../gates/inputs";
import { type LockState, lockState, type LockWatch, watchLock } from "../lifecycle/lock";
import type { LookOptions, PdPart } from "../lifecycle/look";
import type { Action } from "../lifecycle/move";
import type { Component, Observation, ObservedMember } from "../lifecycle/observation";
import type { PdClient } from "../pd";
import type { ClusterAccess } from "./access";
import { ClientCertificate } from "./clientCertificate";
import { loadKubeConfig } from "./kubeConfig";
import { type ClusterId, createKubernetesApi, type KubernetesApi } from "./kubernetesApi";
import { ClusterLock, type LeaseView, readLease } from "./lease";
import { lockHolder } from "./lockHolder";
import { Microservices } from "./microservices";
import { askPd } from "./observePd";
import { PdConnection } from "./pdConnection";
import { PodStatusPages } from "./podStatus";

/** How long to leave a lock alone that somebody took between one's look and one's own try. */
const TAKEN_MEANWHILE_MILLISECONDS = 1_000;

/** Everything that gates of one cluster share in one process: connections, forwards, the lock. */
export class ClusterSession {
    private readonly pd: PdConnection;
    private readonly statusPages: PodStatusPages;
    private readonly microservices: Microservices;
    private lock: { held: ClusterLock; users: number } | undefined;
    private lockTurn: Promise<unknown> = Promise.resolve();
    private lockWatch: LockWatch | undefined;

    private constructor(
        private readonly api: KubernetesApi,
        config: KubeConfig,
        private readonly id: ClusterId,
        pd: PdAccess,
    ) {
        const certificate = new ClientCertificate(api, id);
        this.pd = new PdConnection(api, config, pd, certificate);
        this.statusPages = new PodStatusPages(config, id, pd.tls ? certificate : undefined);
        this.microservices = new Microservices(config, id, pd.tls ? certificate : undefined, pd.domain);
    }

    static async open(access: ClusterAccess, id: ClusterId, pd: PdAccess): Promise<ClusterSession> {
        const config = await loadKubeConfig(access);
        return new ClusterSession(await createKubernetesApi(config), config, id, pd);
    }

    /** @returns what one gate works with. */
    ports(progress: Progress): GatePorts {
        return {
            now: Date.now,
            sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
            lease: () => readLease(this.api, this.id.namespace, this.id.cluster),
            look: (options) => this.look(options),
            perform: (action) => this.perform(action),
            tryLock: this.inTurn((lease: LeaseView, operation: string) => this.tryLock(lease, operation, progress)),
            progress,
        };
    }

    private async look(options: LookOptions): Promise<Observation> {
        const [members, lease] = await Promise.all([
            Promise.all(options.components.map((component) => this.api.readMember(this.id, component))),
            readLease(this.api, this.id.namespace, this.id.cluster),
        ]);
        const byComponent: Partial<Record<Component, ObservedMember>> = Object.fromEntries(
            members.map((member) => [member.component, member]),
        );
        const observation: Observation = {
            now: Date.now(),
            cluster: this.id.cluster,
            members: byComponent,
            records: lease?.records ?? { evictions: {}, removals: {} },
            operatedBy: lease && describeOther(this.watch(lease)),
        };
        const [pd, podStatus] = await Promise.all([
            options.pd.length > 0 ? this.lookAtPd(options.pd, byComponent.pd) : undefined,
            options.status.length > 0
                ? this.statusPages.ask(members.filter(({ component }) => options.status.includes(component)))
                : undefined,
        ]);
        return { ...observation, ...pd, podStatus, now: Date.now() };
    }

    private async lookAtPd(
        parts: readonly PdPart[],
        pdMember: ObservedMember | undefined,
    ): Promise<Pick<Observation, "pd" | "pdTrouble">> {
        try {
            const asked = this.pd.knowsMembers ? parts : parts.filter((part) => part !== "ready-members");
            const { cluster, namespace } = this.id;
            const ask = (client: PdClient) => askPd(client, asked, pdMember, cluster, namespace);
            return { pd: await this.pd.ask(ask, pdMember?.pods) };
        } catch (error) {
            this.pd.forget();
            return { pdTrouble: (error as Error).message };
        }
    }

    private async perform(action: Action): Promise<void> {
        const { api } = this;
        const { namespace } = this.id;
        switch (action.do) {
            case "transfer-leader":
                return this.pd.ask((client) => client.transferLeader(action.to));
            case "transfer-primary":
                return this.microservices.transferPrimary(action.service, action.from, action.to);
            case "begin-eviction":
                return this.pd.ask((client) => client.beginLeaderEviction(action.storeId));
            case "end-eviction":
                return this.pd.ask((client) => client.endLeaderEviction(action.storeId));
            case "remove-store":
                return this.pd.ask((client) => client.deleteStore(action.storeId));
            case "bring-store-back":
                return this.pd.ask((client) => client.setStoreUp(action.storeId));
            case "remove-member":
                return this.pd.ask((client) => client.deleteMember(action.member));
            case "delete-pod":
                return api.deletePod(namespace, action.pod, action.uid);
            case "release-claims":
                await Promise.all(action.claims.map((claim) => api.releaseClaim(namespace, claim.name, new Date())));
                return;
            case "delete-claims":
                await Promise.all(action.claims.map((claim) => api.deleteClaim(namespace, claim.name, claim.uid)));
                return;
            case "forget-eviction":
            case "forget-removal":
                return;
        }
    }

    private watch({ lock }: LeaseView): LockState {
        const now = Date.now();
        this.lockWatch = watchLock(lock, this.lockWatch, now);
        return lockState(lock, lockHolder(), this.lockWatch, now);
    }

    /** Taking and releasing wait for one another: they write under one name, so that the Lease could not tell them apart. */
    private inTurn<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
        return (...args) => {
            const next = this.lockTurn.then(() => work(...args));
            this.lockTurn = next.catch(() => undefined);
            return next;
        };
    }

    /** Gates of one process share the lock: they are parts of one operation. */
    private async tryLock(
        lease: LeaseView,
        operation: string,
        progress: Progress,
    ): Promise<{ lock: HeldLock } | { heldBy: string; operation: string; expiresAt: number }> {
        if (!this.lock) {
            const state = this.watch(lease);
            if (!state.free) {
                return { heldBy: state.holder, operation: state.operation, expiresAt: state.expiresAt };
            }
            const held = new ClusterLock(this.api, this.id.namespace, this.id.cluster, lockHolder());
            if (!(await held.take(lease, operation))) {
                const expiresAt = Date.now() + TAKEN_MEANWHILE_MILLISECONDS;
                return { heldBy: "another run", operation: "took the lock at the same moment", expiresAt };
            }
            this.lock = { held, users: 0 };
        }
        const { lock } = this;
        lock.users += 1;
        return {
            lock: {
                confirmHeld: () => lock.held.confirmHeld(),
                describe: (text) => lock.held.describe(text),
                keepRecords: (records) => lock.held.keepRecords(records),
                get stopRequestedBy() {
                    return lock.held.stopRequestedBy ?? (progress.abandoned ? "the end of Pulumi" : undefined);
                },
                release: this.inTurn(async () => {
                    lock.users -= 1;
                    if (lock.users === 0) {
                        this.lock = undefined;
                        await lock.held.release();
                    }
                }),
            },
        };
    }
}

function describeOther(state: LockState): string | undefined {
    return state.free ? undefined : `${state.holder} operates the cluster: ${state.operation}`;
}
