import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { nodeCondition } from "./clusterObjects";
import { processCondition } from "./stages";
import { stoppedLabel } from "./stoppedLabel";

/** A pod on a node. */
export interface PodOnNode {
    namespace: string;
    name: string;
}

/**
 * Stops a node, as if its machine had lost power: its pods' processes are gone at once, and it sends no more heartbeats. Kubernetes
 * calls it NotReady after the controller manager's grace period (50 s), and its pods not Ready. Stopping it again changes nothing.
 * @returns its pods
 * @throws if there is no such node
 */
export async function stopNode(kubeconfig: string, name: string): Promise<PodOnNode[]> {
    const { client, core } = await connect(kubeconfig);
    await readNode(core, name);
    await label(client, core, name, "true");
    return (await podsOn(core, name)).map(named);
}

/**
 * Starts a stopped node: its kubelet says that it is Ready, and starts the containers of its pods again.
 * @returns its pods
 * @throws if there is no such node, or if it has not been stopped
 */
export async function startNode(kubeconfig: string, name: string): Promise<PodOnNode[]> {
    const { client, core } = await connect(kubeconfig);
    const node = await readNode(core, name);
    if (!Object.hasOwn(node.metadata?.labels ?? {}, stoppedLabel)) {
        throw new Error(`node ${name} has not been stopped`);
    }
    const now = new Date();
    const pods = await podsOn(core, name); // Before KWOK removes those that are to go and plays their successors.
    await label(client, core, name, null);
    const types = new Set(["Ready", ...(node.status?.conditions ?? []).map(({ type }) => type)]);
    const conditions = [...types].map((type) => nodeCondition(type, now));
    const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.StrategicMergePatch);
    await core.patchNodeStatus({ name, body: { status: { conditions } } }, merge);
    for (const pod of pods.filter(isToRun)) {
        await core.patchNamespacedPodStatus({ ...named(pod), body: { status: startedAgain(pod, now) } }, merge);
    }
    return pods.map(named);
}

async function connect(kubeconfigFile: string) {
    const client = await import("@kubernetes/client-node");
    const kubeconfig = new client.KubeConfig();
    kubeconfig.loadFromFile(kubeconfigFile);
    return { client, core: kubeconfig.makeApiClient(client.CoreV1Api) };
}

async function readNode(core: k8s.CoreV1Api, name: string): Promise<k8s.V1Node> {
    const { items } = await core.listNode();
    const node = items.find(({ metadata }) => metadata?.name === name);
    if (node === undefined) {
        const names = items.map(({ metadata }) => metadata?.name);
        throw new Error(`found no node "${name}", expected one of ${names.join(", ")}`);
    }
    return node;
}

/** @param value null removes the label */
async function label(client: typeof k8s, core: k8s.CoreV1Api, name: string, value: string | null): Promise<void> {
    const merge = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
    await core.patchNode({ name, body: { metadata: { labels: { [stoppedLabel]: value } } } }, merge);
}

async function podsOn(core: k8s.CoreV1Api, node: string): Promise<k8s.V1Pod[]> {
    return (await core.listPodForAllNamespaces({ fieldSelector: `spec.nodeName=${node}` })).items;
}

function named({ metadata }: k8s.V1Pod): PodOnNode {
    return { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
}

/** KWOK plays all others, or they run as processes: pods that start for the first time, and those that are to go. */
function isToRun({ metadata, status }: k8s.V1Pod): boolean {
    const isProcess = status?.conditions?.some(({ type }) => type === processCondition) ?? false;
    return metadata?.deletionTimestamp === undefined && status?.phase === "Running" && !isProcess;
}

function startedAgain({ status }: k8s.V1Pod, now: Date): object {
    const conditions = ["Ready", "ContainersReady"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: now.toISOString(),
    }));
    const containerStatuses = status?.containerStatuses?.map((container) => ({
        ...container,
        ready: true,
        started: true,
        restartCount: container.restartCount + 1,
        state: { running: { startedAt: now.toISOString() } },
    }));
    return { conditions, ...(containerStatuses === undefined ? {} : { containerStatuses }) };
}
