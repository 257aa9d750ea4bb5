import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { ClusterAccess } from "../provider/cluster/access";
import { sleepAwareClock, steadyNow } from "../provider/cluster/clock";
import { type ClusterName, createControllerCalls } from "../provider/cluster/controllerCalls";
import { createKubernetesApi, type KubernetesApi } from "../provider/cluster/kubernetesApi";
import { EventWriter } from "../provider/cluster/journal/eventWriter";
import { callThisProcess, lockHolder } from "../provider/cluster/lockHolder";
import { readStatus } from "../status/readStatus";
import { changingSources, liveSources } from "../status/statusSources";
import type { ControllerActionKind } from "../topology/controllerPermissions";
import type { ControllerAction } from "./clusterWorker";
import { CertificateWatch } from "./certificateWatch";
import { controllerLog, type LogFormat, progressInLog } from "./controllerLog";
import { ControllerMetrics } from "./controllerMetrics";
import { type DriftPorts, DriftWatch } from "./drift/driftWatch";
import type { ProgramPlace } from "./drift/programProblem";
import { programRuns } from "./drift/programRuns";
import { drainAction } from "./drainAction";
import { failoverAction } from "./failoverAction";
import { freshStops } from "./freshStops";
import { serveHealth } from "./healthServer";
import { Leadership } from "./leadership";
import { readClusterCertificates } from "./readCertificates";
import { Controller, watchedOf } from "./runController";
import { sweepAction } from "./sweepAction";

/** The longest wait after looks that failed. */
const longestWaitMilliseconds = 5 * 60_000;

/** The longest wait after runs of a program that failed. */
const longestWaitForProgramMilliseconds = 60 * 60_000;

/** How long a preview that was asked to end may take before it is asked again: twice that is less than Kubernetes' 30 s between SIGTERM and SIGKILL. */
const previewGraceMilliseconds = 10_000;

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
    /** The program whose objects it compares with it; undefined: none. */
    readonly program?: WatchedProgram;
    /** Writes a line of the log. */
    write(line: string): void;
}

/** A program whose objects are watched for drift. */
export interface WatchedProgram extends ProgramPlace {
    readonly everyMilliseconds: number;
    /** After this a preview is cancelled. */
    readonly previewMilliseconds: number;
    /** Whether what drifted is brought back. */
    readonly applies: boolean;
}

/** A controller that runs. */
export interface RunningController {
    /** Where it answers Kubernetes' probes and Prometheus. */
    readonly address: string;
    /** Ends when it has stopped. */
    readonly done: Promise<void>;
    /**
     * Asks it to stop: what has begun is finished or left for the next run.
     * @param areChildrenAsked whether the processes that it started were asked, too, as by Ctrl-C in a terminal
     */
    stop(areChildrenAsked: boolean): void;
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
        sweep: () => sweepAction(access, changing, telling),
    };
    const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
        pause(milliseconds, undefined, { signal }).catch((error: Error) => {
            if (!signal.aborted) {
                throw error;
            }
        });
    const usual = { log, metrics, now: steadyNow, machineTime: Date.now, random: Math.random };
    let connected: Promise<KubernetesApi> | undefined;
    const api = (): Promise<KubernetesApi> => (connected ??= createKubernetesApi(config));
    const certificates = new CertificateWatch({
        ...usual,
        read: async (name, seen) => readClusterCertificates(await api(), name, seen, steadyNow),
    });
    let areChildrenAsked = false;
    const watch =
        settings.program &&
        driftWatch(settings.program, {
            ...usual,
            sleep,
            write: async (namespace, events) => {
                // A writer that may not write does not ask again. It may be allowed to by the next time.
                const writer = new EventWriter(await api(), namespace, lockHolder());
                writer.tell(events);
                return writer.written();
            },
        });
    const controller = new Controller({
        ...usual,
        leadership,
        namespaces: namespaces ?? [undefined],
        findClusters: async (namespace) => watchedOf(await calls.findClusters(namespace), settings.clusters),
        read: (name) => readStatus({ ...name, access, zones: false }, reading),
        actions: settings.acts.map((kind) => actions[kind]()),
        certificates,
        ...(watch && { companion: { begin: () => watch.begin(), end: () => watch.end(areChildrenAsked) } }),
        pace: { every: everyMilliseconds, longest: longestWaitMilliseconds },
        sleep: (milliseconds) => sleep(milliseconds, stopping.signal),
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
        stop: (asked) => {
            areChildrenAsked = asked;
            log.info("asked to stop");
            stopping.abort();
        },
    };
}

/** Returns a watch of a program. What runs it is loaded only here. */
function driftWatch(
    { everyMilliseconds, previewMilliseconds, applies, ...place }: WatchedProgram,
    ports: Pick<DriftPorts, "log" | "machineTime" | "random" | "sleep" | "write"> & {
        readonly metrics: ControllerMetrics;
    },
): DriftWatch {
    return new DriftWatch({
        ...ports,
        metrics: ports.metrics.drift,
        runs: programRuns(place, {
            longest: previewMilliseconds,
            grace: previewGraceMilliseconds,
            wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }),
        }),
        stack: place.stack,
        applies,
        pace: { every: everyMilliseconds, longest: Math.max(everyMilliseconds, longestWaitForProgramMilliseconds) },
    });
}
