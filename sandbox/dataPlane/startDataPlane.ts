import { type JobsOptions, type SandboxJobs, startJobs } from "./jobs/startJobs";
import type { Faults } from "./faults";
import { containerCrashes } from "./kubernetes/containerCrashes";
import { podEnds } from "./kubernetes/podEnds";
import { portForwards } from "./kubernetes/portForwards";
import { knownSecrets } from "./kubernetes/secretTls";
import type { DataPlaneEvent } from "./model/events";
import { faultsOf, findCluster, flushLogs, noClusters, stopClusters, tick } from "./servedClusters";
import { noObjects } from "./knownObjects";
import { pdAddresses, type ServiceAddresses } from "./serviceAddresses";
import type { SimulatedCluster } from "./simulatedCluster";
import { defaultTimings, type Timings } from "./timings";
import { watchCluster } from "./watchCluster";

/** The options of the data plane. */
export interface DataPlaneOptions {
    /** The path of a kubeconfig for the cluster whose pods are simulated. */
    kubeconfig: string;
    timings?: Partial<Timings>;
    /** How the pods of Jobs run. Default: they do not. */
    jobs?: JobsOptions;
    /** The components whose pods run as processes: they are observed, but not served. Default: none. */
    processComponents?: readonly string[];
    /** Receives errors after which the data plane tries again. Default: no log. */
    log?: (line: string) => void;
}

/** The part of a sandbox that simulates the processes in the pods of its TiDB clusters. */
export interface DataPlane {
    /** The events of all clusters, in order. */
    readonly events: DataPlaneEvent[];
    /** The faults of a cluster. They may be set before the cluster exists. */
    faults(namespace: string, name: string): Faults;
    /** Returns a cluster that has pods or data. Undefined before its first pod and after everything is gone. */
    cluster(namespace: string, name: string): SimulatedCluster | undefined;
    /** The loopback URLs of a cluster's PD members. */
    pdUrls(namespace: string, name: string): string[];
    /** The Jobs, whose commands run as processes. Undefined without the option `jobs`. */
    readonly jobs: SandboxJobs | undefined;
    /** Ends the watches and the processes of Jobs, and closes all ports. */
    stop(): Promise<void>;
}

const tickMilliseconds = 25;
/** How often the checkpoint of a log backup moves. A real one does every few minutes (`log-backup.max-flush-interval`). */
const flushMilliseconds = 1_000;

/** Starts to simulate the TiDB clusters in a Kubernetes cluster that uses KWOK. */
export async function startDataPlane(options: DataPlaneOptions): Promise<DataPlane> {
    const client = await import("@kubernetes/client-node");
    const kubeconfig = new client.KubeConfig();
    kubeconfig.loadFromFile(options.kubeconfig);
    const log = options.log ?? (() => undefined);
    const clusters = noClusters({
        timings: { ...defaultTimings, ...options.timings },
        forwards: portForwards(client, kubeconfig),
        crashes: containerCrashes(client, kubeconfig),
        ends: podEnds(client, kubeconfig),
        secrets: knownSecrets(),
        processComponents: new Set(options.processComponents),
        log,
    });
    const watches = await watchCluster(client, kubeconfig, noObjects(clusters), log);
    const addresses = (namespace: string): ServiceAddresses => pdAddresses(clusters, namespace);
    const jobs = options.jobs && (await startJobs(client, kubeconfig, { ...options.jobs, addresses }, log));
    const timer = setInterval(() => tick(clusters), tickMilliseconds).unref();
    const flushes = setInterval(() => flushLogs(clusters), flushMilliseconds).unref();
    return {
        events: clusters.events,
        faults: (namespace, name) => faultsOf(clusters, namespace, name),
        cluster: (namespace, name) => findCluster(clusters, namespace, name)?.view,
        pdUrls: (namespace, name) => findCluster(clusters, namespace, name)?.pdUrls() ?? [],
        jobs,
        stop: async () => {
            clearInterval(timer);
            clearInterval(flushes);
            await jobs?.stop();
            await Promise.all(watches.map((watch) => watch.stop()));
            await stopClusters(clusters);
        },
    };
}
