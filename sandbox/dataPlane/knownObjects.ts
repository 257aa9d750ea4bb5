import type { V1ConfigMap, V1Node, V1PersistentVolumeClaim, V1Pod, V1Secret } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { stoppedLabel } from "../controlPlane/stoppedLabel";
import { observePod, type PodNeeds } from "./kubernetes/podObservation";
import type { KnownSecrets } from "./kubernetes/secretTls";
import { type KnownStartScripts, knownStartScripts } from "./kubernetes/startScripts";
import type { ServedCluster } from "./servedCluster";
import { clusterOf, forgetGone, type ServedClusters, renewCertificates } from "./servedClusters";

/** A simulated pod. */
interface KnownPod {
    pod: V1Pod;
    servedBy: ServedCluster;
    /** Whether its process has run. */
    started: boolean;
}

/** What the data plane knows of the objects in a Kubernetes cluster, by `<namespace>/<name>`. */
export interface KnownObjects {
    readonly clusters: ServedClusters;
    readonly pods: Map<string, KnownPod>;
    /** Pods whose ConfigMap does not exist yet. */
    readonly waiting: Map<string, V1Pod>;
    /** The UIDs of claims. */
    readonly claims: Map<string, string>;
    /** The names of nodes that have stopped. */
    readonly stoppedNodes: Set<string>;
    readonly secrets: KnownSecrets;
    readonly scripts: KnownStartScripts;
}

/** Creates a record without any objects. Pods that appear later are simulated in `clusters`. */
export function noObjects(clusters: ServedClusters): KnownObjects {
    return {
        clusters,
        pods: new Map(),
        waiting: new Map(),
        claims: new Map(),
        stoppedNodes: new Set(),
        secrets: clusters.secrets,
        scripts: knownStartScripts(),
    };
}

/** Simulates a pod in its current state, if everything its process needs to start exists. */
export function updatePod(objects: KnownObjects, pod: V1Pod): void {
    const key = keyOf(pod);
    const last = objects.pods.get(key);
    const known = last?.pod.metadata?.uid === pod.metadata?.uid ? last : undefined;
    const found = observePod(pod, needsOf(objects, known));
    if (found === undefined) {
        objects.waiting.set(key, pod);
        return;
    }
    objects.waiting.delete(key);
    // A pod stays with the cluster that its process joined, even if that cluster's objects are deleted first.
    const servedBy = known?.servedBy ?? clusterOf(objects.clusters, found.namespace, found.cluster);
    objects.pods.set(key, { pod, servedBy, started: known?.started || found.pod.running });
    servedBy.updatePod(found.pod);
}

/** Stops simulating a pod that was deleted. */
export function removePod(objects: KnownObjects, pod: V1Pod): void {
    const key = keyOf(pod);
    // The deletion of a pod may be read after its successor was created. Only the pod on record is removed.
    const known = objects.pods.get(key);
    objects.waiting.delete(key);
    if (known && known.pod.metadata?.uid === pod.metadata?.uid) {
        objects.pods.delete(key);
        known.servedBy.removePod(pod.metadata?.name ?? "");
        forgetGone(objects.clusters, new Set(objects.claims.values()));
    }
}

/** Records a claim. Pods that wait for it start. */
export function updateClaim(objects: KnownObjects, claim: V1PersistentVolumeClaim): void {
    const isNew = objects.claims.get(keyOf(claim)) !== claim.metadata?.uid;
    objects.claims.set(keyOf(claim), claim.metadata?.uid ?? "");
    if (isNew) {
        updatePods(objects);
    }
}

/** Records that a claim and its data are gone. */
export function removeClaim(objects: KnownObjects, claim: V1PersistentVolumeClaim): void {
    if (objects.claims.get(keyOf(claim)) === claim.metadata?.uid) {
        objects.claims.delete(keyOf(claim));
        forgetGone(objects.clusters, new Set(objects.claims.values()));
    }
}

/** Records a Secret. Pods that wait for it start, and running pods serve its certificate. */
export function updateSecret(objects: KnownObjects, secret: V1Secret): void {
    if (objects.secrets.update(secret)) {
        renewCertificates(objects.clusters);
        updatePods(objects);
    }
}

/** Records a ConfigMap, which may hold a start script. Pods that wait for it start. */
export function updateConfigMap(objects: KnownObjects, configMap: V1ConfigMap): void {
    objects.scripts.update(configMap);
    [...objects.waiting.values()].forEach((pod) => updatePod(objects, pod));
    // A process that did not start with its file reads the new one.
    updatePods(objects);
}

/** Records whether a node has stopped. Its pods stop, or start again, with it. A node that is deleted stays as it was. */
export function updateNode(objects: KnownObjects, { metadata }: V1Node): void {
    const { stoppedNodes } = objects;
    const name = metadata?.name ?? "";
    const hasStopped = Object.hasOwn(metadata?.labels ?? {}, stoppedLabel);
    if (hasStopped !== stoppedNodes.has(name)) {
        stoppedNodes[hasStopped ? "add" : "delete"](name);
        updatePods(objects);
    }
}

function updatePods(objects: KnownObjects): void {
    [...objects.pods.values()].forEach(({ pod }) => updatePod(objects, pod));
}

function needsOf({ claims, secrets, scripts, stoppedNodes }: KnownObjects, known: KnownPod | undefined): PodNeeds {
    return {
        claimUid: (namespace, claim) => claims.get(`${namespace}/${claim}`),
        // A kubelet keeps the files of a deleted Secret for a running pod. Only a process that has not started yet
        // needs it.
        hasSecret: known?.started ? () => true : secrets.has,
        pdOf: scripts.pdOf,
        configOf: scripts.configOf,
        nodeRuns: (node) => !stoppedNodes.has(node),
    };
}

function keyOf({ metadata }: V1Pod | V1PersistentVolumeClaim): string {
    return `${metadata?.namespace}/${metadata?.name}`;
}
