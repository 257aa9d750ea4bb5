import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { heldPodAnnotation } from "../../controlPlane/heldPod";
import type { PodObservation } from "../model/cluster";
import { backOff } from "./containerCrashes";
import { type Component, components } from "../model/events";
import type { KnownStartScripts } from "./startScripts";
import { storeLabelsOf } from "./storeLabels";

/** A pod of a TiDB cluster, with its cluster. */
export interface ClusterPod {
    namespace: string;
    cluster: string;
    pod: PodObservation;
}

const componentNames: ReadonlySet<string> = new Set(components);

/** What a kubelet needs before it starts a pod's process. */
export interface PodNeeds {
    /** The UID of a claim. */
    claimUid(namespace: string, claim: string): string | undefined;
    hasSecret(namespace: string, secret: string): boolean;
    /** The cluster whose PD the pod uses. Undefined while the object that says so does not exist. */
    pdOf: KnownStartScripts["pdOf"];
    /** The configuration in the pod's ConfigMap; empty if it has none. */
    configOf: KnownStartScripts["configOf"];
    /** Whether the node runs. A pod on a node that has stopped has no process, whatever its status says. */
    nodeRuns(node: string): boolean;
}

/**
 * Returns how the data plane sees a pod. Undefined for a pod that it does not simulate, or before its ConfigMap exists.
 * While the claim with the pod's data or a mounted Secret is missing, its process has not started.
 */
export function observePod(pod: V1Pod, needs: PodNeeds): ClusterPod | undefined {
    const labels = pod.metadata?.labels ?? {};
    const component = labels["app.kubernetes.io/component"];
    const cluster = labels["app.kubernetes.io/instance"];
    if (labels["app.kubernetes.io/name"] !== "tidb-cluster" || !cluster || !componentNames.has(component)) {
        return undefined;
    }
    const namespace = pod.metadata?.namespace ?? "default";
    const uid = pod.metadata?.uid ?? "";
    const claimName = dataClaim(pod, component);
    const pd = needs.pdOf(pod);
    if (pd === undefined) {
        return undefined;
    }
    const claim = claimName === undefined ? uid : needs.claimUid(namespace, claimName);
    const mounts = claim !== undefined && secretsOf(pod).every((secret) => needs.hasSecret(namespace, secret));
    const own = pod.status?.containerStatuses?.find(({ name }) => name === component);
    const runs = own?.state?.waiting === undefined && own?.state?.terminated === undefined;
    const isUp = mounts && needs.nodeRuns(pod.spec?.nodeName ?? "");
    const stays = isUp && pod.status?.phase === "Running" && pod.metadata?.deletionTimestamp === undefined;
    const lives = stays && runs;
    // Kubernetes adds the grace period to the time of the deletion.
    const killedAt = pod.metadata?.deletionTimestamp;
    const waiting = stays && own?.state?.waiting?.reason === backOff ? own.state.waiting : undefined;
    const config = needs.configOf(pod);
    const tlsSecret = secretsOf(pod).find((secret) => secret.endsWith("-cluster-secret"));
    const podReady = pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
    return {
        ...(pd === "own" ? { namespace, cluster } : { namespace: pd.namespace, cluster: pd.name }),
        pod: {
            name: pod.metadata?.name ?? "",
            uid,
            component: component as Component,
            claim: claim ?? "",
            running: lives,
            ...(isUp && killedAt !== undefined ? { killedAt: new Date(killedAt).getTime() } : {}),
            ...(Object.hasOwn(pod.metadata?.annotations ?? {}, heldPodAnnotation) ? { isHeld: true as const } : {}),
            ...(waiting && { backsOff: waiting.message ?? "" }),
            // A failing sidecar makes the pod not Ready, but the component's own process still serves.
            ready: lives && (own?.ready ?? podReady),
            version: imageTag(pod, component),
            config,
            ...(["tikv", "tiflash"].includes(component) ? { storeLabels: storeLabelsOf(pod, component, config) } : {}),
            ...(pd === "own" ? {} : { elsewhere: { service: pod.spec?.subdomain ?? "", namespace } }),
            ...(tlsSecret === undefined ? {} : { tlsSecret }),
        },
    };
}

/**
 * Returns the claim with the component's own data. Its volume is named after the component or is the first by name,
 * such as TiFlash's `data0`. Kubernetes adds the claims of a StatefulSet to a pod in random order.
 */
function dataClaim(pod: V1Pod, component: string): string | undefined {
    const volumes = [...(pod.spec?.volumes ?? [])]
        .filter((volume) => volume.persistentVolumeClaim !== undefined)
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    const volume = volumes.find(({ name }) => name === component) ?? volumes[0];
    return volume?.persistentVolumeClaim?.claimName;
}

/** Returns the Secrets that a pod needs to start. */
function secretsOf(pod: V1Pod): string[] {
    const mounted = pod.spec?.volumes?.flatMap(({ secret }) => (secret && !secret.optional ? [secret] : [])) ?? [];
    return mounted.flatMap(({ secretName }) => (secretName ? [secretName] : []));
}

function imageTag(pod: V1Pod, component: string): string {
    const containers = pod.spec?.containers ?? [];
    const image = (containers.find(({ name }) => name === component) ?? containers[0])?.image ?? "";
    return /:([^:/@]+)(@.*)?$/.exec(image)?.[1] ?? "None";
}
