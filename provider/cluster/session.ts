import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import type { GatePorts, Progress } from "./gatePorts";
import type { ClusterAccess } from "./access";
import { type AccessReview, createAccessReview } from "./accessReview";
import { Captures } from "./captures";
import { ClientCertificate } from "./clientCertificate";
import { steadyNow, sleepAwareClock } from "./clock";
import { loadKubeConfig } from "./kubeConfig";
import { createKubernetesApi, type KubernetesApi } from "./kubernetesApi";
import { ClusterJournal } from "./journal/clusterJournal";
import { readJournal } from "./journal/readJournal";
import { LeadershipTracker } from "./leadershipTracker";
import { noteApprovalWait, noteFirstRevision, notePause } from "./leaseNotes";
import { readLease } from "./leaseView";
import { lockHolder } from "./lockHolder";
import { type LeaseReader, observeCluster, type Observers } from "./observeCluster";
import { ObservationAge } from "./observationAge";
import { NarrowLooks } from "./narrowLooks";
import { MaintenanceTask, maintenanceTaskId } from "./maintenanceTask";
import { Microservices } from "./microservices";
import { OnlineSettings } from "./onlineSettings";
import { PdConnection } from "./pdConnection";
import { PdGuards } from "./pdGuards";
import { PdLock } from "./pdLock";
import { PdSettings } from "./pdSettings";
import { perform, type Performers } from "./perform";
import { PodCalls, type PodEndpoint } from "./podCalls";
import { PodForwards } from "./podForwards";
import { PodStatusPages } from "./podStatus";
import { Pumps } from "./pumps";
import { ReadyTracker } from "./readyTracker";
import { RootLogin } from "./rootLogin";
import { RootPassword } from "./rootPassword";
import { type GuardedLock, SharedLock } from "./sharedLock";
import { SqlLogin } from "./sqlLogin";
import { TidbSettings } from "./tidbSettings";
import { TidbLabels } from "./tidbLabels";
import { TidbUpgrade, tidbUpgradeTimeoutMilliseconds } from "./tidbUpgrade";
import { TikvSettings } from "./tikvSettings";
import { tikvStatusTimeoutMilliseconds, TikvStatus } from "./tikvStatus";
import type { PdAccess } from "./pdAccess";
import { isBookkeeping } from "../lifecycle/vocabulary/actions";
import type { ClusterId } from "./clusterId";
import type { ClusterWatch } from "./watch/clusterWatch";
import { UnchangedReads } from "./watch/unchangedReads";

/** Everything that the gates of one cluster share in one process: connections, port-forwards, the lock. */
export class ClusterSession {
    private readonly observers: Observers;
    private readonly performers: Performers;
    private readonly lock: SharedLock;
    private readonly access: AccessReview;
    private readonly watch: ClusterWatch;
    private readonly reads: UnchangedReads;
    private readonly journal: ClusterJournal;
    private readonly sleepAwareNow = sleepAwareClock();

    private constructor(
        private readonly api: KubernetesApi,
        config: KubeConfig,
        private readonly id: ClusterId,
        pdAccess: PdAccess,
    ) {
        const { namespace, cluster } = id;
        this.access = createAccessReview(config, namespace);
        this.watch = api.watch(id);
        this.reads = new UnchangedReads(api, this.watch);
        this.journal = new ClusterJournal(api, id, lockHolder(), steadyNow);
        const certificate = new ClientCertificate(api, id);
        const pd = new PdConnection(api, config, pdAccess, certificate);
        const holder = lockHolder();
        const maintenance = new MaintenanceTask(maintenanceTaskId(id), pd);
        const pdLock = new PdLock(pd, { holder, namespace, cluster }, this.sleepAwareNow);
        this.lock = new SharedLock(api, id, new PdGuards(pdLock, maintenance), holder, steadyNow, this.sleepAwareNow);
        const shown = pdAccess.tls ? certificate : undefined;
        const callsTo = (endpoint: PodEndpoint) => new PodCalls(config, id, shown, endpoint);
        const captures = new Captures(
            callsTo({ port: ports.ticdc.api, service: headlessServiceName(cluster, "ticdc") }),
        );
        const sql = new SqlLogin(new PodForwards(config, namespace, ports.tidb.sql));
        const rootPassword = new RootPassword(api, id, sql);
        const tikv = {
            port: ports.tikv.status,
            service: headlessServiceName(cluster, "tikv"),
            timeoutMilliseconds: tikvStatusTimeoutMilliseconds,
        };
        const tikvCalls = callsTo(tikv);
        const settings = new OnlineSettings(
            api,
            id,
            {
                tikv: new TikvSettings(tikvCalls, steadyNow),
                pd: new PdSettings(
                    pd,
                    callsTo({ port: ports.pd.client, service: headlessServiceName(cluster, "pd") }),
                    steadyNow,
                ),
                tidb: new TidbSettings(
                    callsTo({ port: ports.tidb.status, service: headlessServiceName(cluster, "tidb") }),
                    new RootLogin(api, id, sql),
                    steadyNow,
                ),
            },
            steadyNow,
        );
        const tidbUpgrade = new TidbUpgrade(
            callsTo({
                port: ports.tidb.status,
                service: headlessServiceName(cluster, "tidb"),
                timeoutMilliseconds: tidbUpgradeTimeoutMilliseconds,
            }),
            steadyNow,
            id,
        );
        const tidbStatus = { port: ports.tidb.status, service: headlessServiceName(cluster, "tidb") };
        const tidbLabels = new TidbLabels(callsTo(tidbStatus), steadyNow, id);
        this.observers = {
            pd,
            captures,
            rootPassword,
            watch: new LeadershipTracker(),
            ready: new ReadyTracker(),
            tikv: new TikvStatus(tikvCalls, steadyNow),
            settings,
            tidbUpgrade,
            tidbLabels,
            statusPages: new PodStatusPages(config, id, shown),
            backups: () => api.readBackups(id),
        };
        this.performers = {
            api,
            pd,
            captures,
            rootPassword,
            settings,
            tidbUpgrade,
            tidbLabels,
            pumps: new Pumps(callsTo({ port: ports.pump.api, service: headlessServiceName(cluster, "pump") })),
            microservices: new Microservices(config, id, shown, pdAccess.domain),
        };
    }

    static async open(access: ClusterAccess, id: ClusterId, pd: PdAccess): Promise<ClusterSession> {
        const config = await loadKubeConfig(access);
        return new ClusterSession(await createKubernetesApi(config), config, id, pd);
    }

    /** @returns the ports of one gate. They act only under a lock that the gate took, and on a recent observation. */
    ports(progress: Progress): GatePorts {
        const { namespace, cluster } = this.id;
        const age = new ObservationAge(this.sleepAwareNow);
        const narrow = new NarrowLooks(this.observers.pd, this.id, steadyNow);
        const leaseReader: LeaseReader = {
            operatedBy: (lease) => this.lock.operatedBy(lease),
            stopRequest: (lease) => this.lock.stopRequest(lease),
        };
        let held: GuardedLock | undefined;
        let seenChanges: number | undefined;
        return {
            now: steadyNow,
            sleep: (milliseconds, leastMilliseconds) =>
                leastMilliseconds !== undefined && seenChanges !== undefined
                    ? this.watch.sleep(milliseconds, seenChanges, leastMilliseconds)
                    : new Promise((resolve) => setTimeout(resolve, milliseconds)),
            lease: async () => {
                const lease = await readLease(this.api, namespace, cluster);
                const stopAsked = this.lock.stopRequest(lease);
                return lease && { ...lease, stopAsked };
            },
            look: (options, lag, tellAsked) => {
                const isCloser = lag?.isCloser === true;
                const look = async () => {
                    const mayLag = lag !== undefined && !isCloser;
                    seenChanges = mayLag ? this.watch.changes : undefined;
                    const api = this.reads.for(options, mayLag);
                    return (
                        (await narrow.look(options, lag?.endedBy, api, leaseReader)) ??
                        narrow.keep(
                            options,
                            api,
                            await observeCluster(
                                options,
                                api,
                                this.id,
                                this.observers,
                                leaseReader,
                                steadyNow,
                                tellAsked,
                            ),
                        )
                    );
                };
                return age.measure(look, isCloser ? () => narrow.closer(options, this.observers) : undefined);
            },
            diagnose: (request) => this.api.readDiagnosis(this.id, request, steadyNow),
            operations: () => readJournal(this.api, this.id, steadyNow),
            perform: (action) => {
                const lock = held;
                if (!lock) {
                    return Promise.reject(
                        new Error(`the lock of ${namespace}/${cluster} is not held: nothing was done`),
                    );
                }
                const assertAllowed = () => {
                    lock.assertFresh();
                    age.assertRecent(lock.needs.usesPd);
                };
                if (!isBookkeeping(action)) {
                    // What acts then waits: a watch that is complete by then saves the first questions of the wait.
                    this.watch.known();
                }
                return perform(action, this.performers, this.id, lock, assertAllowed);
            },
            tryLock: async (lease, operation) => {
                const answer = await this.lock.tryTake(lease, operation);
                held = "lock" in answer ? answer.lock : held;
                return answer;
            },
            noteApprovalWait: (of, wait) =>
                noteApprovalWait(this.api, namespace, cluster, { by: lockHolder(), of }, wait, steadyNow),
            noteFirstRevision: (component, first) => noteFirstRevision(this.api, namespace, cluster, component, first),
            notePause: () => notePause(this.api, namespace, cluster),
            access: this.access,
            journal: this.journal.port(progress),
            progress,
        };
    }
}
