import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterChange, clusterConfig } from "../e2e/stack";

/** A cluster that TiDB Operator runs, with the spec that ours has. */
export interface OperatedCluster {
    /** Applies the spec, and waits until the operator has carried it out. */
    up(change: ClusterChange): Promise<void>;
}

/** The part of a TidbCluster that says what the operator has done. */
export interface SeenTidbCluster {
    status?: { conditions?: { type: string; status: string }[] };
}

type Wanted = Record<(typeof members)[number], { replicas: number }> & { version: string };

const members = ["pd", "tikv", "tidb"] as const;
const name = "demo";
/** The operator reconciles every 30 s at the latest. */
export const quietMilliseconds = 60_000;
const pauseMilliseconds = 1_000;
const timeoutMilliseconds = 1_800_000;

/** Creates the namespace. @param kubeconfig the path of the kubeconfig of a cluster in which TiDB Operator 1.6 runs */
export async function operatedCluster(kubeconfig: string, namespace: string): Promise<OperatedCluster> {
    const client = await import("@kubernetes/client-node");
    const config = new client.KubeConfig();
    config.loadFromFile(kubeconfig);
    const apps = config.makeApiClient(client.AppsV1Api);
    const custom = config.makeApiClient(client.CustomObjectsApi);
    const resource = { group: "pingcap.com", version: "v1alpha1", namespace, plural: "tidbclusters", name };
    const serverSideApply = client.setHeaderOptions("Content-Type", client.PatchStrategy.ServerSideApply);
    const look = async (wanted: Wanted): Promise<string | undefined> => {
        const seen = (await custom.getNamespacedCustomObject(resource)) as SeenTidbCluster;
        const { items } = await apps.listNamespacedStatefulSet({ namespace });
        return whyNotDone(wanted, seen, items);
    };
    await config.makeApiClient(client.CoreV1Api).createNamespace({ body: { metadata: { name: namespace } } });
    return {
        up: async (change) => {
            const { spec } = JSON.parse(clusterConfig(namespace, change).cluster) as { spec: Wanted };
            const body = {
                apiVersion: "pingcap.com/v1alpha1",
                kind: "TidbCluster",
                metadata: { name, namespace },
                spec: spec as object,
            };
            await custom.patchNamespacedCustomObject(
                { ...resource, body, fieldManager: "operated-cluster", force: true },
                serverSideApply,
            );
            await untilQuiet(() => look(spec), { now: Date.now, sleep });
        },
    };
}

/** Returns what the operator still has to do; undefined if its TidbCluster and StatefulSets show nothing. */
export function whyNotDone(
    wanted: Wanted,
    { status }: SeenTidbCluster,
    sets: readonly k8s.V1StatefulSet[],
): string | undefined {
    for (const member of members) {
        const set = sets.find(({ metadata }) => metadata?.name === `${name}-${member}`);
        const { replicas } = wanted[member];
        const image = set?.spec?.template.spec?.containers.find((one) => one.name === member)?.image;
        const seen = set?.status;
        if (set?.spec?.replicas !== replicas || !image?.endsWith(`:${wanted.version}`)) {
            return `the StatefulSet of ${member} has ${set?.spec?.replicas} replicas of ${image}`;
        }
        if (
            seen?.observedGeneration !== set.metadata?.generation ||
            seen?.readyReplicas !== replicas ||
            seen.currentRevision !== seen.updateRevision
        ) {
            return `${member} has ${seen?.readyReplicas} Ready and ${seen?.updatedReplicas} updated pods of ${replicas}`;
        }
    }
    const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
    return ready === "True" ? undefined : `the TidbCluster has Ready=${ready}`;
}

/**
 * Waits until nothing has been left to do for a while: the operator does not say whether it has seen a spec yet.
 * @throws after half an hour, with what is left
 */
export async function untilQuiet(
    look: () => Promise<string | undefined>,
    { now, sleep: pause }: { now(): number; sleep(milliseconds: number): Promise<unknown> },
): Promise<void> {
    const began = now();
    let quietSince = began;
    for (let left = await look(); now() - quietSince < quietMilliseconds; left = await look()) {
        if (left !== undefined) {
            quietSince = now();
        }
        if (now() - began > timeoutMilliseconds) {
            throw new Error(`TiDB Operator is not done after ${timeoutMilliseconds / 60_000} minutes: ${left}`);
        }
        await pause(pauseMilliseconds);
    }
}
