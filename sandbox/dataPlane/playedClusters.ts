import { systemClock } from "./clock";
import { type Faults, noFaults } from "./faults";
import type { PortForwards } from "./kubernetes/portForwards";
import type { KnownSecrets } from "./kubernetes/secretTls";
import type { DataPlaneEvent } from "./model/events";
import { type PlayedCluster, playCluster } from "./playedCluster";
import type { Timings } from "./timings";

/** All clusters that a data plane plays, by `<namespace>/<name>`. */
export interface PlayedClusters {
    /** Those with pods or data. */
    readonly playing: Map<string, PlayedCluster>;
    /** Faults are kept beyond their cluster, and may be there before it. */
    readonly faults: Map<string, Faults>;
    /** What happened in all of them, in order. */
    readonly events: DataPlaneEvent[];
    readonly timings: Timings;
    readonly forwards: PortForwards;
    /** The certificates that pods serve TLS with. */
    readonly secrets: KnownSecrets;
    readonly log: (line: string) => void;
}

/** Nothing is played yet. */
export function noClusters(
    surroundings: Pick<PlayedClusters, "timings" | "forwards" | "secrets" | "log">,
): PlayedClusters {
    return { playing: new Map(), faults: new Map(), events: [], ...surroundings };
}

/** The faults of a cluster, whether or not it is there. */
export function faultsOf({ faults }: PlayedClusters, namespace: string, name: string): Faults {
    const key = keyOf(namespace, name);
    const known = faults.get(key) ?? noFaults();
    faults.set(key, known);
    return known;
}

/** A cluster with pods or data; undefined before its first pod and once all is gone. */
export function findCluster(clusters: PlayedClusters, namespace: string, name: string): PlayedCluster | undefined {
    return clusters.playing.get(keyOf(namespace, name));
}

/** The cluster, played from now on if it was not. */
export function clusterOf(clusters: PlayedClusters, namespace: string, name: string): PlayedCluster {
    const known = findCluster(clusters, namespace, name) ?? begin(clusters, namespace, name);
    clusters.playing.set(keyOf(namespace, name), known);
    return known;
}

/** Stops playing the clusters that have neither pods nor data left. `claims` are the UIDs of the claims that there are. */
export function forgetGone({ playing, log }: PlayedClusters, claims: ReadonlySet<string>): void {
    for (const [key, cluster] of playing) {
        if (cluster.isGone(claims)) {
            playing.delete(key);
            cluster.stop(true).catch((error: unknown) => log(`cluster ${key}: ${String(error)}`));
        }
    }
}

/** Serves the certificates that the pods' Secrets hold now. */
export function renewCertificates({ playing }: PlayedClusters): void {
    playing.forEach((cluster) => cluster.renewCertificates());
}

/** Lets all models catch up with the clock. */
export function tick({ playing }: PlayedClusters): void {
    playing.forEach((cluster) => cluster.tick());
}

/** Closes all listeners. The pods stay as they are. */
export async function stopClusters({ playing }: PlayedClusters): Promise<void> {
    await Promise.all([...playing.values()].map((cluster) => cluster.stop(false)));
}

function begin(clusters: PlayedClusters, namespace: string, name: string): PlayedCluster {
    const { timings, forwards, secrets, events, log } = clusters;
    return playCluster({
        namespace,
        name,
        timings,
        faults: faultsOf(clusters, namespace, name),
        onEvent: (event) => events.push(event),
        clock: systemClock,
        forwards,
        tls: (secret) => secrets.tls(namespace, secret),
        log,
    });
}

function keyOf(namespace: string, name: string): string {
    return `${namespace}/${name}`;
}
