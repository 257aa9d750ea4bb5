import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { GatePorts, HeldLock, Progress } from "../gates/ports";
import type { PdAccess } from "../gates/inputs";
import { lockState } from "../lifecycle/lock";
import type { LookOptions, PdPart } from "../lifecycle/look";
import type { Action } from "../lifecycle/move";
import type { Component, Observation, ObservedMember } from "../lifecycle/observation";
import type { ClusterAccess } from "./access";
import { loadKubeConfig } from "./kubeConfig";
import { type ClusterId, createKubernetesApi, type KubernetesApi } from "./kubernetesApi";
import { ClusterLock, type LeaseView, readLease } from "./lease";
import { lockHolder } from "./lockHolder";
import { askPd } from "./observePd";
import { PdConnection } from "./pdConnection";
import { PodStatusPages } from "./podStatus";

/** Everything that gates of one cluster share in one process: connections, forwards, the lock. */
export class ClusterSession {
    private readonly pd: PdConnection;
    private readonly statusPages: PodStatusPages;
    private lock: { held: ClusterLock; users: number } | undefined;
    private lockTurn: Promise<unknown> = Promise.resolve();

    private constructor(
        private readonly api: KubernetesApi,
        config: KubeConfig,
        private readonly id: ClusterId,
        pd: PdAccess,
    ) {
        this.pd = new PdConnection(api, config, pd);
        this.statusPages = new PodStatusPages(config, id.namespace);
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
            operatedBy: lease && otherOperation(lease, Date.now()),
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
            const client = await this.pd.client(pdMember?.pods);
            const asked = this.pd.knowsMembers ? parts : parts.filter((part) => part !== "ready-members");
            return { pd: await askPd(client, asked, pdMember, this.id.cluster, this.id.namespace) };
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
                return (await this.pd.client()).transferLeader(action.to);
            case "begin-eviction":
                return (await this.pd.client()).beginLeaderEviction(action.storeId);
            case "end-eviction":
                return (await this.pd.client()).endLeaderEviction(action.storeId);
            case "remove-store":
                return (await this.pd.client()).deleteStore(action.storeId);
            case "bring-store-back":
                return (await this.pd.client()).setStoreUp(action.storeId);
            case "remove-member":
                return (await this.pd.client()).deleteMember(action.member);
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
            const held = new ClusterLock(this.api, this.id.namespace, this.id.cluster, lockHolder());
            const other = await held.tryTake(lease, operation);
            if (other) {
                return { heldBy: other.holder, operation: other.operation, expiresAt: other.expiresAt };
            }
            this.lock = { held, users: 0 };
        }
        const { lock } = this;
        lock.users += 1;
        return {
            lock: {
                assertHeld: () => lock.held.assertHeld(),
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

function otherOperation({ lock }: LeaseView, now: number): string | undefined {
    const state = lockState(lock, lockHolder(), now);
    return state.free ? undefined : `${state.holder} operates the cluster: ${state.operation}`;
}
