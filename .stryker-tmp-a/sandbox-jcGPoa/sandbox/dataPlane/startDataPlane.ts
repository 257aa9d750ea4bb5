import type { V1ConfigMap, V1PersistentVolumeClaim, V1Pod, V1Secret } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { systemClock } from "./clock";
import { type Faults, noFaults } from "./faults";
import { observePod } from "./kubernetes/podObservation";
import { portForwards } from "./kubernetes/portForwards";
import { knownSecrets } from "./kubernetes/secretTls";
import { knownStartScripts } from "./kubernetes/startScripts";
import { watchObjects } from "./kubernetes/watchObjects";
import type { DataPlaneEvent } from "./model/events";
import { type PlayedCluster, playCluster } from "./playedCluster";
import type { SimulatedCluster } from "./simulatedCluster";
import { defaultTimings, type Timings } from "./timings";

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
    const api = kubeconfig.makeApiClient(client.CoreV1Api);
    const timings = { ...defaultTimings, ...options.timings };
    const log = options.log ?? (() => undefined);
    const forwards = portForwards(client, kubeconfig);

    const events: DataPlaneEvent[] = [];
    const faults = new Map<string, Faults>();
    const clusters = new Map<string, PlayedCluster>();
    const pods = new Map<string, { pod: V1Pod; playedBy: PlayedCluster; started: boolean }>();
    /** Pods whose ConfigMap is not there yet. */
    const waiting = new Map<string, V1Pod>();
    const claims = new Map<string, string>();
    const secrets = knownSecrets();
    const scripts = knownStartScripts();

    const faultsOf = (namespace: string, name: string): Faults => {
        const key = `${namespace}/${name}`;
        const known = faults.get(key) ?? noFaults();
        faults.set(key, known);
        return known;
    };
    const clusterOf = (namespace: string, name: string): PlayedCluster => {
        const key = `${namespace}/${name}`;
        const known =
            clusters.get(key) ??
            playCluster({
                namespace,
                name,
                timings,
                faults: faultsOf(namespace, name),
                onEvent: (event) => events.push(event),
                clock: systemClock,
                forwards,
                tls: (secret) => secrets.tls(namespace, secret),
                log,
            });
        clusters.set(key, known);
        return known;
    };
    const claimUid = (namespace: string, claim: string) => claims.get(`${namespace}/${claim}`);
    const seePod = (pod: V1Pod): void => {
        const last = pods.get(keyOf(pod));
        const known = last?.pod.metadata?.uid === pod.metadata?.uid ? last : undefined;
        // A kubelet leaves a pod the files of a Secret that is deleted: only a process that is yet to start needs it.
        const hasSecret = known?.started ? () => true : secrets.has;
        const seen = observePod(pod, { claimUid, hasSecret, pdOf: scripts.pdOf });
        if (seen !== undefined) {
            // A pod stays with the cluster that its process went to, whatever is deleted before it.
            const playedBy = known?.playedBy ?? clusterOf(seen.namespace, seen.cluster);
            pods.set(keyOf(pod), { pod, playedBy, started: known?.started || seen.pod.running });
            playedBy.see(seen.pod);
        }
        waiting.delete(keyOf(pod));
        if (seen === undefined) {
            waiting.set(keyOf(pod), pod);
        }
    };
    const seePodsAgain = () => [...pods.values()].forEach(({ pod }) => seePod(pod));
    const losePod = (pod: V1Pod): void => {
        // The deletion of a pod may be read after its successor: only the one that is known can be lost.
        const known = pods.get(keyOf(pod));
        waiting.delete(keyOf(pod));
        if (known && known.pod.metadata?.uid === pod.metadata?.uid) {
            pods.delete(keyOf(pod));
            known.playedBy.lose(pod.metadata?.name ?? "");
            forgetWhatIsGone();
        }
    };
    const seeClaim = (claim: V1PersistentVolumeClaim): void => {
        const isNew = claims.get(keyOf(claim)) !== claim.metadata?.uid;
        claims.set(keyOf(claim), claim.metadata?.uid ?? "");
        if (isNew) {
            seePodsAgain();
        }
    };
    const loseClaim = (claim: V1PersistentVolumeClaim): void => {
        if (claims.get(keyOf(claim)) === claim.metadata?.uid) {
            claims.delete(keyOf(claim));
            forgetWhatIsGone();
        }
    };
    const seeSecret = (secret: V1Secret): void => {
        if (secrets.see(secret)) {
            clusters.forEach((cluster) => cluster.renewCertificates());
            seePodsAgain();
        }
    };
    const seeScript = (configMap: V1ConfigMap): void => {
        scripts.see(configMap);
        [...waiting.values()].forEach(seePod);
    };
    const forgetWhatIsGone = (): void => {
        const alive = new Set(claims.values());
        for (const [key, cluster] of clusters) {
            if (cluster.isGone(alive)) {
                clusters.delete(key);
                cluster.stop(true).catch((error: unknown) => log(`cluster ${key}: ${String(error)}`));
            }
        }
    };

    const watchError = (kind: string) => (error: unknown) => log(`watch of ${kind}: ${String(error)}; listing again`);
    const watches = [
        await watchObjects<V1Secret>(client, kubeconfig, {
            path: "/api/v1/secrets",
            list: () => api.listSecretForAllNamespaces(),
            onChange: seeSecret,
            onDelete: secrets.lose,
            onError: watchError("secrets"),
        }),
        await watchObjects<V1ConfigMap>(client, kubeconfig, {
            path: "/api/v1/configmaps",
            list: () => api.listConfigMapForAllNamespaces(),
            onChange: seeScript,
            onDelete: () => undefined,
            onError: watchError("configmaps"),
        }),
        await watchObjects<V1PersistentVolumeClaim>(client, kubeconfig, {
            path: "/api/v1/persistentvolumeclaims",
            list: () => api.listPersistentVolumeClaimForAllNamespaces(),
            onChange: seeClaim,
            onDelete: loseClaim,
            onError: watchError("claims"),
        }),
        await watchObjects<V1Pod>(client, kubeconfig, {
            path: "/api/v1/pods",
            list: () => api.listPodForAllNamespaces({ labelSelector: podSelector }),
            labelSelector: podSelector,
            onChange: seePod,
            onDelete: losePod,
            onError: watchError("pods"),
        }),
    ];
    const timer = setInterval(() => clusters.forEach((cluster) => cluster.tick()), tickMilliseconds).unref();
    return {
        events,
        faults: faultsOf,
        cluster: (namespace, name) => clusters.get(`${namespace}/${name}`)?.view,
        pdUrls: (namespace, name) => clusters.get(`${namespace}/${name}`)?.pdUrls() ?? [],
        stop: async () => {
            clearInterval(timer);
            await Promise.all(watches.map((watch) => watch.stop()));
            await Promise.all([...clusters.values()].map((cluster) => cluster.stop(false)));
        },
    };
}

const podSelector = "app.kubernetes.io/name=tidb-cluster";

function keyOf(object: V1Pod | V1PersistentVolumeClaim): string {
    return `${object.metadata?.namespace}/${object.metadata?.name}`;
}
