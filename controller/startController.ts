import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { ClusterAccess } from "../provider/cluster/access";
import { sleepAwareClock, steadyNow } from "../provider/cluster/clock";
import { type ClusterName, createControllerCalls } from "../provider/cluster/controllerCalls";
import { createKubernetesApi, type KubernetesApi } from "../provider/cluster/kubernetesApi";
import { callThisProcess, lockHolder } from "../provider/cluster/lockHolder";
import { readStatus } from "../status/readStatus";
import { changingSources, liveSources } from "../status/statusSources";
import type { ControllerActionKind } from "../topology/controllerPermissions";
import type { ControllerAction } from "./clusterWorker";
import { CertificateWatch } from "./certificateWatch";
import { controllerLog, type LogFormat, progressInLog } from "./controllerLog";
import { ControllerMetrics } from "./controllerMetrics";
import { drainAction } from "./drainAction";
import { failoverAction } from "./failoverAction";
import { growAction } from "./growAction";
import { freshStops } from "./freshStops";
import { serveHealth } from "./healthServer";
import { Leadership } from "./leadership";
import { readClusterCertificates } from "./readCertificates";
import { Controller, watchedOf } from "./runController";
import { sweepAction } from "./sweepAction";

/** The longest wait after looks that failed. */
const longestWaitMilliseconds = 5 * 60_000;

/** How a controller runs. */
export interface ControllerSettings {
    readonly access: ClusterAccess;
    /** Namespaces whose clusters it looks after; undefined: all. */
    readonly namespaces: readonly string[] | undefined;
    /** The only clusters of their namespaces that it looks after. Empty: all. */
    readonly clusters: readonly ClusterName[];
    /** The Lease by which one of several controllers leads: those with one Lease look after the same clusters. */
    readonly lease: { readonly namespace: string; readonly name: string };
    /** What it may do by itself. */
    readonly acts: readonly ControllerActionKind[];
    /** Between two looks at a cluster. */
    readonly everyMilliseconds: number;
    /** Where it answers Kubernetes' probes and Prometheus. */
    readonly listen: { readonly host: string; readonly port: number };
    readonly logFormat: LogFormat;
    /** Writes a line of the log. */
    write(line: string): void;
}

/** A controller that runs. */
export interface RunningController {
    /** Where it answers Kubernetes' probes and Prometheus. */
    readonly address: string;
    /** Ends when it has stopped. */
    readonly done: Promise<void>;
    /** Asks it to stop: what has begun is finished or left for the next run. */
    stop(): void;
}

/** Starts a controller. @throws Error if it cannot listen */
export async function startController(config: KubeConfig, settings: ControllerSettings): Promise<RunningController> {
    const { access, namespaces, lease, everyMilliseconds, listen } = settings;
    // What it does by itself must not look like a person's run, in a lock, a journal or an Event.
    callThisProcess("controller");
    const calls = await createControllerCalls(config);
    const log = controllerLog(settings.logFormat, settings.write, steadyNow);
    const metrics = new ControllerMetrics(true);
    const stopping = new AbortController();
    // Each cluster waits for it. Node.js takes more than ten listeners for a leak.
    setMaxListeners(0, stopping.signal);
    const reading = liveSources(config);
    const leadership = new Leadership(
        {
            readLease: () => calls.readLease(lease.namespace, lease.name),
            createLease: () => calls.createLease(lease.namespace, lease.name),
            writeLease: (version, spec) => calls.writeLease(lease.namespace, lease.name, version, spec),
        },
        lockHolder(),
        sleepAwareClock(),
    );
    const live = changingSources(config);
    const changing = { ...live, world: freshStops(live.world) };
    const telling = { progressOf: progressInLog(log), now: steadyNow };
    const actions: Record<ControllerActionKind, () => ControllerAction> = {
        failover: () => failoverAction(access, changing, telling),
        drain: () => drainAction(access, changing, telling),
        grow: () => growAction(access, changing, telling),
        sweep: () => sweepAction(access, changing, telling),
    };
    const usual = { log, metrics, now: steadyNow, machineTime: Date.now, random: Math.random };
    let connected: Promise<KubernetesApi> | undefined;
    const api = (): Promise<KubernetesApi> => (connected ??= createKubernetesApi(config));
    const certificates = new CertificateWatch({
        ...usual,
        read: async (name, seen) => readClusterCertificates(await api(), name, seen, steadyNow),
    });
    const controller = new Controller({
        ...usual,
        leadership,
        namespaces: namespaces ?? [undefined],
        findClusters: async (namespace) => watchedOf(await calls.findClusters(namespace), settings.clusters),
        read: (name) => readStatus({ ...name, access, zones: false }, reading),
        actions: settings.acts.map((kind) => actions[kind]()),
        certificates,
        pace: { every: everyMilliseconds, longest: longestWaitMilliseconds },
        sleep: (milliseconds) =>
            pause(milliseconds, undefined, { signal: stopping.signal }).catch((error: Error) => {
                if (!stopping.signal.aborted) {
                    throw error;
                }
            }),
        isStopped: () => stopping.signal.aborted,
    });
    const server = await serveHealth(listen.host, listen.port, {
        unhealthy: () => controller.unhealthy(),
        unready: () => controller.unready(),
        metrics: () => metrics.text(),
        contentType: metrics.contentType,
    });
    log.info(`listens on ${server.address}`);
    return {
        address: server.address,
        done: controller.run().finally(() => server.close()),
        stop: () => {
            log.info("asked to stop");
            stopping.abort();
        },
    };
}
