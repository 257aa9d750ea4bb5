import { systemClock } from "./clock";
import { type Faults, noFaults } from "./faults";
import type { ContainerCrashes } from "./kubernetes/containerCrashes";
import type { PodEnds } from "./kubernetes/podEnds";
import type { PortForwards } from "./kubernetes/portForwards";
import type { KnownSecrets } from "./kubernetes/secretTls";
import type { DataPlaneEvent } from "./model/events";
import { type ServedCluster, serveCluster } from "./servedCluster";
import { startFailure } from "./startFailures";
import type { Timings } from "./timings";

/** All clusters that a data plane simulates, by `<namespace>/<name>`. */
export interface ServedClusters {
    /** The clusters that have pods or data. */
    readonly serving: Map<string, ServedCluster>;
    /** The faults of clusters. They may be set before their cluster exists and are kept after it is gone. */
    readonly faults: Map<string, Faults>;
    /** The events of all clusters, in order. */
    readonly events: DataPlaneEvent[];
    readonly timings: Timings;
    readonly forwards: PortForwards;
    readonly crashes: ContainerCrashes;
    readonly ends: PodEnds;
    /** The certificates that pods use for TLS. */
    readonly secrets: KnownSecrets;
    /** The components whose pods run as processes. */
    readonly processComponents: ReadonlySet<string>;
    readonly log: (line: string) => void;
}

/** Creates a record without any clusters. */
export function noClusters(
    surroundings: Pick<
        ServedClusters,
        "timings" | "forwards" | "crashes" | "ends" | "secrets" | "processComponents" | "log"
    >,
): ServedClusters {
    return { serving: new Map(), faults: new Map(), events: [], ...surroundings };
}

/** Returns the faults of a cluster, whether or not it exists. */
export function faultsOf({ faults }: ServedClusters, namespace: string, name: string): Faults {
    const key = keyOf(namespace, name);
    const known = faults.get(key) ?? noFaults();
    faults.set(key, known);
    return known;
}

/** Returns a cluster that has pods or data. Undefined before its first pod and after everything is gone. */
export function findCluster(clusters: ServedClusters, namespace: string, name: string): ServedCluster | undefined {
    return clusters.serving.get(keyOf(namespace, name));
}

/** Returns the cluster, and starts to simulate it if necessary. */
export function clusterOf(clusters: ServedClusters, namespace: string, name: string): ServedCluster {
    const known = findCluster(clusters, namespace, name) ?? begin(clusters, namespace, name);
    clusters.serving.set(keyOf(namespace, name), known);
    return known;
}

/** Stops simulating the clusters that have neither pods nor data. `claims` are the UIDs of the existing claims. */
export function forgetGone({ serving, log }: ServedClusters, claims: ReadonlySet<string>): void {
    for (const [key, cluster] of serving) {
        if (cluster.isGone(claims)) {
            serving.delete(key);
            cluster.stop(true).catch((error: unknown) => log(`cannot stop cluster ${key}: ${String(error)}`));
        }
    }
}

/** Reloads the certificates from the pods' Secrets. */
export function renewCertificates({ serving }: ServedClusters): void {
    serving.forEach((cluster) => cluster.renewCertificates());
}

/** Advances all models to the current time. */
export function tick({ serving }: ServedClusters): void {
    serving.forEach((cluster) => cluster.tick());
}

/** Moves the checkpoints of all log backups to the current time. */
export function flushLogs({ serving }: ServedClusters): void {
    serving.forEach((cluster) => cluster.view.flushLog());
}

/** Closes all listeners. The pods stay unchanged. */
export async function stopClusters({ serving }: ServedClusters): Promise<void> {
    await Promise.all([...serving.values()].map((cluster) => cluster.stop(false)));
}

function begin(clusters: ServedClusters, namespace: string, name: string): ServedCluster {
    const { timings, forwards, crashes, ends, secrets, processComponents, events, log } = clusters;
    return serveCluster({
        namespace,
        name,
        timings,
        faults: faultsOf(clusters, namespace, name),
        onEvent: (event) => {
            events.push(event);
            if (event.kind === "member-refused" || event.kind === "store-refused") {
                log(startFailure(`${namespace}/${event.pod}`, event.detail ?? ""));
            }
        },
        clock: systemClock,
        forwards,
        crashes,
        ends,
        tls: (secret) => secrets.tls(namespace, secret),
        isServed: (component) => !processComponents.has(component),
        log,
    });
}

function keyOf(namespace: string, name: string): string {
    return `${namespace}/${name}`;
}
