import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { GatePorts, Progress } from "../gates/ports";
import type { PdAccess } from "../gates/inputs";
import type { LookOptions, PdPart } from "../lifecycle/look";
import type { Action } from "../lifecycle/move";
import type { Component, Observation, ObservedMember } from "../lifecycle/observation";
import type { PdClient } from "../pd";
import type { ClusterAccess } from "./access";
import { ClientCertificate } from "./clientCertificate";
import { Captures } from "./captures";
import { loadKubeConfig } from "./kubeConfig";
import { type ClusterId, createKubernetesApi, type KubernetesApi } from "./kubernetesApi";
import { notePd, readLease } from "./lease";
import { MaintenanceTask } from "./maintenanceTask";
import { Microservices } from "./microservices";
import { askPd } from "./observePd";
import { PdConnection } from "./pdConnection";
import { PodCalls, type PodEndpoint } from "./podCalls";
import { PodForwards } from "./podForwards";
import { PodStatusPages } from "./podStatus";
import { Pumps } from "./pumps";
import { RootPassword } from "./rootPassword";
import { SharedLock } from "./sharedLock";
import { SQL_PORT, SqlLogin } from "./sqlLogin";

/** Everything that gates of one cluster share in one process: connections, forwards, the lock. */
export class ClusterSession {
    private readonly pd: PdConnection;
    private readonly statusPages: PodStatusPages;
    private readonly microservices: Microservices;
    private readonly captures: Captures;
    private readonly pumps: Pumps;
    private readonly rootPassword: RootPassword;
    private readonly lock: SharedLock;

    private constructor(
        private readonly api: KubernetesApi,
        config: KubeConfig,
        private readonly id: ClusterId,
        pd: PdAccess,
        leaseUid: string,
    ) {
        const certificate = new ClientCertificate(api, id);
        this.pd = new PdConnection(api, config, pd, certificate);
        const task = `${id.namespace}.${id.cluster}.${leaseUid}`;
        this.lock = new SharedLock(api, id, new MaintenanceTask(task, this.pd));
        const shown = pd.tls ? certificate : undefined;
        const callsTo = (endpoint: PodEndpoint) => new PodCalls(config, id, shown, endpoint);
        this.captures = new Captures(callsTo({ port: 8301, service: `${id.cluster}-ticdc-peer` }));
        this.pumps = new Pumps(callsTo({ port: 8250, service: `${id.cluster}-pump` }));
        this.rootPassword = new RootPassword(api, id, new SqlLogin(new PodForwards(config, id.namespace, SQL_PORT)));
        this.statusPages = new PodStatusPages(config, id, shown);
        this.microservices = new Microservices(config, id, shown, pd.domain);
    }

    static async open(access: ClusterAccess, id: ClusterId, pd: PdAccess, leaseUid: string): Promise<ClusterSession> {
        const config = await loadKubeConfig(access);
        return new ClusterSession(await createKubernetesApi(config), config, id, pd, leaseUid);
    }

    /** @returns what one gate works with. */
    ports(progress: Progress): GatePorts {
        return {
            now: Date.now,
            sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
            lease: () => readLease(this.api, this.id.namespace, this.id.cluster),
            look: (options) => this.look(options),
            perform: (action) => this.perform(action),
            tryLock: (lease, operation) => this.lock.tryTake(lease, operation),
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
            pdClusterId: lease?.pdClusterId,
            stopRequest: lease?.stopRequest,
            operatedBy: lease && this.lock.operatedBy(lease),
        };
        const [pd, podStatus, captures, rootPassword] = await Promise.all([
            options.pd.length > 0 ? this.lookAtPd(options.pd, byComponent.pd) : undefined,
            options.status.length > 0
                ? this.statusPages.ask(members.filter(({ component }) => options.status.includes(component)))
                : undefined,
            options.asks?.includes("captures") && byComponent.ticdc
                ? this.captures.observe(byComponent.ticdc)
                : undefined,
            options.asks?.includes("password-secret")
                ? this.rootPassword.observe(
                      options.asks.includes("root-login") ? (byComponent.tidb?.pods ?? []) : undefined,
                  )
                : undefined,
        ]);
        return { ...observation, ...pd, podStatus, captures, rootPassword, now: Date.now() };
    }

    private async lookAtPd(
        parts: readonly PdPart[],
        pdMember: ObservedMember | undefined,
    ): Promise<Pick<Observation, "pd" | "pdTrouble">> {
        try {
            const asked = this.pd.knowsMembers ? parts : parts.filter((part) => part !== "ready-members");
            const { cluster, namespace } = this.id;
            const ask = (client: PdClient) => askPd(client, asked, pdMember, cluster, namespace);
            const pd = await this.pd.ask(ask, pdMember?.pods);
            const clusterId = parts.includes("cluster-id") ? await this.pd.clusterId(pdMember?.pods) : undefined;
            return { pd: { ...pd, clusterId } };
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
            case "begin-shutdown":
                return api.noteShutdown(namespace, action.pod, action.uid, new Date());
            case "resign-owner":
                return this.captures.resignOwner({ name: action.pod, uid: action.uid });
            case "drain-capture":
                return this.captures.drain({ name: action.pod, uid: action.uid }, action.capture);
            case "close-pump":
                return this.pumps.close({ name: action.pod, uid: action.uid }, action.nodeId);
            case "delete-pod":
                return api.deletePod(namespace, action.pod, action.uid);
            case "release-claims":
                await Promise.all(action.claims.map((claim) => api.releaseClaim(namespace, claim.name, new Date())));
                return;
            case "delete-claims":
                await Promise.all(action.claims.map((claim) => api.deleteClaim(namespace, claim.name, claim.uid)));
                return;
            case "delete-stateful-set":
                return api.deleteStatefulSet(namespace, action.name, action.uid);
            case "make-password-secret":
                return this.rootPassword.makeSecret();
            case "set-password":
                return this.rootPassword.set({ name: action.pod, uid: action.uid });
            case "note-password":
                return this.rootPassword.note(action.how, new Date());
            case "note-pd":
                return notePd(api, namespace, this.id.cluster, action.clusterId);
            case "forget-eviction":
            case "forget-removal":
                return;
        }
    }
}
