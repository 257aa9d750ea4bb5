import type { AppsV1Api, CoreV1Api } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { componentLabel, instanceLabel } from "../../topology/labels";
import { KubernetesApiError } from "./apiCall";
import type { MemberReads } from "./observeMembers";
import type { ClusterId } from "./clusterId";

/** The client's calls, each with its name for messages, repeated where that may help. */
export interface ReadCalls {
    apps: AppsV1Api;
    core: CoreV1Api;
    read: <T>(what: string, request: () => Promise<T>) => Promise<T>;
    readOrMissing: <T>(what: string, request: () => Promise<T>) => Promise<T | undefined>;
}

/** @returns what is read of Kubernetes to observe a cluster's members. */
export function memberReads({ apps, core, read, readOrMissing }: ReadCalls, id: ClusterId): MemberReads {
    const { namespace, cluster, instance } = id;
    return {
        statefulSet: (name) =>
            readOrMissing(`read StatefulSet ${name}`, () => apps.readNamespacedStatefulSet({ namespace, name })),
        pods: async (components) => {
            const labelSelector = `${instanceLabel}=${instance},${componentLabel} in (${components.join(",")})`;
            const what = `list pods of ${cluster} (${components.join(", ")})`;
            return (await read(what, () => core.listNamespacedPod({ namespace, labelSelector }))).items;
        },
        claims: async () =>
            (
                await read(`list claims of namespace ${namespace}`, () =>
                    core.listNamespacedPersistentVolumeClaim({ namespace }),
                )
            ).items,
        node: async (name) => {
            try {
                return (await readOrMissing(`read node ${name}`, () => core.readNode({ name }))) ?? "absent";
            } catch (error) {
                if (!(error instanceof KubernetesApiError)) {
                    throw error;
                }
                // Cluster-wide, unlike all else that gates read: a Role of the namespace cannot grant it.
                const right = error.status === 403 ? "; grant `get` on `nodes` by a ClusterRole" : "";
                return { trouble: `node ${name} could not be read: ${error.message}${right}` };
            }
        },
    };
}
