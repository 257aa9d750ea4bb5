import type { Faults } from "./faults";
import { portForwards } from "./kubernetes/portForwards";
import { knownSecrets } from "./kubernetes/secretTls";
import type { DataPlaneEvent } from "./model/events";
import { faultsOf, findCluster, noClusters, stopClusters, tick } from "./playedClusters";
import { nothingSeen } from "./seenObjects";
import type { SimulatedCluster } from "./simulatedCluster";
import { defaultTimings, type Timings } from "./timings";
import { watchCluster } from "./watchCluster";

/** What the data plane needs to know. */
export interface DataPlaneOptions {
    /** Path of a kubeconfig for the cluster whose pods are played. */
    kubeconfig: string;
    timings?: Partial<Timings>;
    /** Told of what went wrong and is tried again. Default: nobody. */
    log?: (line: string) => void;
}

/** The part of a sandbox that plays what runs in the pods of its TiDB clusters. */
export interface DataPlane {
    /** What happened in all clusters, in order. */
    readonly events: DataPlaneEvent[];
    /** Faults of a cluster; they may be set before the cluster exists. */
    faults(namespace: string, name: string): Faults;
    /** A cluster with pods or data; undefined before its first pod and once all is gone. */
    cluster(namespace: string, name: string): SimulatedCluster | undefined;
    /** URLs of the PD members of a cluster, on loopback. */
    pdUrls(namespace: string, name: string): string[];
    /** Ends the watches and closes all ports. */
    stop(): Promise<void>;
}

const tickMilliseconds = 25;

/** Starts to play the TiDB clusters of a Kubernetes cluster that runs KWOK. */
export async function startDataPlane(options: DataPlaneOptions): Promise<DataPlane> {
    const client = await import("@kubernetes/client-node");
    const kubeconfig = new client.KubeConfig();
    kubeconfig.loadFromFile(options.kubeconfig);
    const log = options.log ?? (() => undefined);
    const clusters = noClusters({
        timings: { ...defaultTimings, ...options.timings },
        forwards: portForwards(client, kubeconfig),
        secrets: knownSecrets(),
        log,
    });
    const watches = await watchCluster(client, kubeconfig, nothingSeen(clusters), log);
    const timer = setInterval(() => tick(clusters), tickMilliseconds).unref();
    return {
        events: clusters.events,
        faults: (namespace, name) => faultsOf(clusters, namespace, name),
        cluster: (namespace, name) => findCluster(clusters, namespace, name)?.view,
        pdUrls: (namespace, name) => findCluster(clusters, namespace, name)?.pdUrls() ?? [],
        stop: async () => {
            clearInterval(timer);
            await Promise.all(watches.map((watch) => watch.stop()));
            await stopClusters(clusters);
        },
    };
}
