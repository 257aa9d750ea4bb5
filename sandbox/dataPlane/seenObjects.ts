import type { V1ConfigMap, V1PersistentVolumeClaim, V1Pod, V1Secret } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { observePod, type PodNeeds } from "./kubernetes/podObservation";
import type { KnownSecrets } from "./kubernetes/secretTls";
import { type KnownStartScripts, knownStartScripts } from "./kubernetes/startScripts";
import type { PlayedCluster } from "./playedCluster";
import { clusterOf, forgetGone, type PlayedClusters, renewCertificates } from "./playedClusters";

/** A pod that is played. */
interface SeenPod {
    pod: V1Pod;
    playedBy: PlayedCluster;
    /** Whether its process has run. */
    started: boolean;
}

/** What the data plane has seen of the objects of a Kubernetes cluster, by `<namespace>/<name>`. */
export interface SeenObjects {
    readonly clusters: PlayedClusters;
    readonly pods: Map<string, SeenPod>;
    /** Pods whose ConfigMap is not there yet. */
    readonly waiting: Map<string, V1Pod>;
    /** UIDs of claims. */
    readonly claims: Map<string, string>;
    readonly secrets: KnownSecrets;
    readonly scripts: KnownStartScripts;
}

/** Nothing has been seen yet. Pods that will be are played in `clusters`. */
export function nothingSeen(clusters: PlayedClusters): SeenObjects {
    return {
        clusters,
        pods: new Map(),
        waiting: new Map(),
        claims: new Map(),
        secrets: clusters.secrets,
        scripts: knownStartScripts(),
    };
}

/** Plays a pod as it is now, if all is there that its process needs to start. */
export function seePod(seen: SeenObjects, pod: V1Pod): void {
    const key = keyOf(pod);
    const last = seen.pods.get(key);
    const known = last?.pod.metadata?.uid === pod.metadata?.uid ? last : undefined;
    const found = observePod(pod, needsOf(seen, known));
    if (found === undefined) {
        seen.waiting.set(key, pod);
        return;
    }
    seen.waiting.delete(key);
    // A pod stays with the cluster that its process went to, whatever is deleted before it.
    const playedBy = known?.playedBy ?? clusterOf(seen.clusters, found.namespace, found.cluster);
    seen.pods.set(key, { pod, playedBy, started: known?.started || found.pod.running });
    playedBy.see(found.pod);
}

/** Stops playing a pod that was deleted. */
export function losePod(seen: SeenObjects, pod: V1Pod): void {
    const key = keyOf(pod);
    // The deletion of a pod may be read after its successor: only the one that is known can be lost.
    const known = seen.pods.get(key);
    seen.waiting.delete(key);
    if (known && known.pod.metadata?.uid === pod.metadata?.uid) {
        seen.pods.delete(key);
        known.playedBy.lose(pod.metadata?.name ?? "");
        forgetGone(seen.clusters, new Set(seen.claims.values()));
    }
}

/** Takes note of a claim; pods that wait for it start. */
export function seeClaim(seen: SeenObjects, claim: V1PersistentVolumeClaim): void {
    const isNew = seen.claims.get(keyOf(claim)) !== claim.metadata?.uid;
    seen.claims.set(keyOf(claim), claim.metadata?.uid ?? "");
    if (isNew) {
        seePodsAgain(seen);
    }
}

/** Takes note that a claim is gone, with its data. */
export function loseClaim(seen: SeenObjects, claim: V1PersistentVolumeClaim): void {
    if (seen.claims.get(keyOf(claim)) === claim.metadata?.uid) {
        seen.claims.delete(keyOf(claim));
        forgetGone(seen.clusters, new Set(seen.claims.values()));
    }
}

/** Takes note of a Secret: pods that wait for it start, those that run serve its certificate. */
export function seeSecret(seen: SeenObjects, secret: V1Secret): void {
    if (seen.secrets.see(secret)) {
        renewCertificates(seen.clusters);
        seePodsAgain(seen);
    }
}

/** Takes note of a ConfigMap, which may hold a start script; pods that wait for it start. */
export function seeConfigMap(seen: SeenObjects, configMap: V1ConfigMap): void {
    seen.scripts.see(configMap);
    [...seen.waiting.values()].forEach((pod) => seePod(seen, pod));
}

function seePodsAgain(seen: SeenObjects): void {
    [...seen.pods.values()].forEach(({ pod }) => seePod(seen, pod));
}

function needsOf({ claims, secrets, scripts }: SeenObjects, known: SeenPod | undefined): PodNeeds {
    return {
        claimUid: (namespace, claim) => claims.get(`${namespace}/${claim}`),
        // A kubelet leaves a pod the files of a Secret that is deleted: only a process that is yet to start needs it.
        hasSecret: known?.started ? () => true : secrets.has,
        pdOf: scripts.pdOf,
    };
}

function keyOf({ metadata }: V1Pod | V1PersistentVolumeClaim): string {
    return `${metadata?.namespace}/${metadata?.name}`;
}
