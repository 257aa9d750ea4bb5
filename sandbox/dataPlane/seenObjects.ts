import type { V1ConfigMap, V1PersistentVolumeClaim, V1Pod, V1Secret } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { observePod, type PodNeeds } from "./kubernetes/podObservation";
import type { KnownSecrets } from "./kubernetes/secretTls";
import { type KnownStartScripts, knownStartScripts } from "./kubernetes/startScripts";
import type { PlayedCluster } from "./playedCluster";
import { clusterOf, forgetGone, type PlayedClusters, renewCertificates } from "./playedClusters";

/** A simulated pod. */
interface SeenPod {
    pod: V1Pod;
    playedBy: PlayedCluster;
    /** Whether its process has run. */
    started: boolean;
}

/** What the data plane knows of the objects in a Kubernetes cluster, by `<namespace>/<name>`. */
export interface SeenObjects {
    readonly clusters: PlayedClusters;
    readonly pods: Map<string, SeenPod>;
    /** Pods whose ConfigMap does not exist yet. */
    readonly waiting: Map<string, V1Pod>;
    /** The UIDs of claims. */
    readonly claims: Map<string, string>;
    readonly secrets: KnownSecrets;
    readonly scripts: KnownStartScripts;
}

/** Creates a record without any objects. Pods that appear later are simulated in `clusters`. */
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

/** Simulates a pod in its current state, if everything its process needs to start exists. */
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
    // A pod stays with the cluster that its process joined, even if that cluster's objects are deleted first.
    const playedBy = known?.playedBy ?? clusterOf(seen.clusters, found.namespace, found.cluster);
    seen.pods.set(key, { pod, playedBy, started: known?.started || found.pod.running });
    playedBy.see(found.pod);
}

/** Stops simulating a pod that was deleted. */
export function losePod(seen: SeenObjects, pod: V1Pod): void {
    const key = keyOf(pod);
    // The deletion of a pod may be read after its successor was created. Only the pod on record is removed.
    const known = seen.pods.get(key);
    seen.waiting.delete(key);
    if (known && known.pod.metadata?.uid === pod.metadata?.uid) {
        seen.pods.delete(key);
        known.playedBy.lose(pod.metadata?.name ?? "");
        forgetGone(seen.clusters, new Set(seen.claims.values()));
    }
}

/** Records a claim. Pods that wait for it start. */
export function seeClaim(seen: SeenObjects, claim: V1PersistentVolumeClaim): void {
    const isNew = seen.claims.get(keyOf(claim)) !== claim.metadata?.uid;
    seen.claims.set(keyOf(claim), claim.metadata?.uid ?? "");
    if (isNew) {
        seePodsAgain(seen);
    }
}

/** Records that a claim and its data are gone. */
export function loseClaim(seen: SeenObjects, claim: V1PersistentVolumeClaim): void {
    if (seen.claims.get(keyOf(claim)) === claim.metadata?.uid) {
        seen.claims.delete(keyOf(claim));
        forgetGone(seen.clusters, new Set(seen.claims.values()));
    }
}

/** Records a Secret. Pods that wait for it start, and running pods serve its certificate. */
export function seeSecret(seen: SeenObjects, secret: V1Secret): void {
    if (seen.secrets.see(secret)) {
        renewCertificates(seen.clusters);
        seePodsAgain(seen);
    }
}

/** Records a ConfigMap, which may hold a start script. Pods that wait for it start. */
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
        // A kubelet keeps the files of a deleted Secret for a running pod. Only a process that has not started yet
        // needs it.
        hasSecret: known?.started ? () => true : secrets.has,
        pdOf: scripts.pdOf,
    };
}

function keyOf({ metadata }: V1Pod | V1PersistentVolumeClaim): string {
    return `${metadata?.namespace}/${metadata?.name}`;
}
