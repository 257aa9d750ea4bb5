import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { GatePorts, HeldLock, LookOptions, PdPart, Progress } from "../gates/ports";
import type { PdAccess } from "../gates/inputs";
import type { Action } from "../lifecycle/move";
import type { Component, Observation, ObservedMember, ObservedPd, ObservedStore } from "../lifecycle/observation";
import { isNameOf } from "../lifecycle/stage";
import type { PdClient, PdStore } from "../pd";
import { type ClusterAccess, loadKubeConfig } from "./access";
import { type ClusterId, createKubernetesApi, type KubernetesApi } from "./kubernetesApi";
import { ClusterLock, type LeaseView, readLease } from "./lease";
import { lockHolder } from "./lockHolder";
import { PdConnection } from "./pdConnection";
import { TidbStatusPort } from "./tidbStatus";

/** Everything that gates of one cluster share in one process: connections, forwards, the lock. */
export class ClusterSession {
    private readonly pd: PdConnection;
    private readonly tidb: TidbStatusPort;
    private lock: { held: ClusterLock; users: number } | undefined;
    private lockTurn: Promise<unknown> = Promise.resolve();

    private constructor(
        private readonly api: KubernetesApi,
        config: KubeConfig,
        private readonly id: ClusterId,
        pd: PdAccess,
    ) {
        this.pd = new PdConnection(api, config, pd);
        this.tidb = new TidbStatusPort(config, id.namespace);
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
        };
        const [pd, tidbStatus] = await Promise.all([
            options.pd.length > 0 ? this.lookAtPd(options.pd, byComponent.pd) : undefined,
            options.tidbStatus && byComponent.tidb ? this.tidb.ask(byComponent.tidb.pods) : undefined,
        ]);
        return { ...observation, ...pd, tidbStatus, now: Date.now() };
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

async function askPd(
    client: PdClient,
    parts: readonly PdPart[],
    pdMember: ObservedMember | undefined,
    cluster: string,
    namespace: string,
): Promise<ObservedPd> {
    const ask = <T>(part: PdPart, call: () => Promise<T>) => (parts.includes(part) ? call() : undefined);
    const toStore = (store: PdStore) => observeStore(store, cluster, namespace);
    const [health, members, stores, tombstones, replication, evictedStores, regionsAtRisk] = await Promise.all([
        ask("health", () => client.health()),
        ask("leader", () => client.members()),
        ask("stores", () => client.stores()),
        ask("tombstones", () => client.tombstoneStores()),
        ask("max-replicas", () => client.replication()),
        ask("evicted-stores", () => client.evictedStores()),
        ask("regions-at-risk", () => askRegionsAtRisk(client)),
    ]);
    const healthy = (health ?? []).filter((member) => member.healthy).map((member) => member.name);
    const readyMembers = await ask("ready-members", () => askReadyMembers(client, pdMember, healthy));
    return {
        members: health?.map((member) => ({ name: member.name, healthy: member.healthy })),
        leader: members?.leader?.name,
        stores: stores?.map(toStore),
        tombstones: tombstones?.map(toStore),
        maxReplicas: replication?.maxReplicas,
        evictedStores: evictedStores && [...evictedStores],
        regionsAtRisk,
        readyMembers,
    };
}

async function askRegionsAtRisk(client: PdClient) {
    const [missPeer, downPeer, pendingPeer] = await Promise.all([
        client.regionsInCheck("miss-peer"),
        client.regionsInCheck("down-peer"),
        client.regionsInCheck("pending-peer"),
    ]);
    return { missPeer, downPeer, pendingPeer };
}

/**
 * Asks each restarted member itself, once the others call it healthy: before that its process may not serve yet. A
 * member that does not answer is not ready; that one cannot be asked is no fault of PD as a whole.
 */
async function askReadyMembers(
    client: PdClient,
    pdMember: ObservedMember | undefined,
    healthy: readonly string[],
): Promise<string[]> {
    const update = pdMember?.statefulSet?.updateRevision;
    const pods =
        pdMember?.pods.filter(
            (pod) =>
                pod.ready &&
                !pod.terminating &&
                pod.revision === update &&
                healthy.some((name) => isNameOf(name, pod.name)),
        ) ?? [];
    const answers = await Promise.allSettled(
        pods.map(async (pod) => ((await client.memberReady(pod.name)) ? pod.name : undefined)),
    );
    return answers.flatMap((answer) => (answer.status === "fulfilled" && answer.value ? [answer.value] : []));
}

function observeStore(store: PdStore, cluster: string, namespace: string): ObservedStore {
    const host = store.address.replace(/:\d+$/, "");
    const [podName, service, inNamespace] = host.split(".");
    const engine = store.labels.engine === "tiflash" ? "tiflash" : "tikv";
    return {
        id: store.id,
        podName,
        own:
            service === `${cluster}-${engine}-peer` &&
            inNamespace === namespace &&
            podName.startsWith(`${cluster}-${engine}-`),
        engine,
        state: store.state,
        leaderCount: store.leaderCount,
        regionCount: store.regionCount,
        lastHeartbeat: store.lastHeartbeat?.getTime(),
    };
}
