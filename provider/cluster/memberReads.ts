import type { AppsV1Api, CoreV1Api, VersionApi } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { componentLabel, instanceLabel } from "../../topology/labels";
import { KubernetesApiError } from "./apiCall";
import type { ListCalls } from "./listCalls";
import type { MemberReads } from "./observeMembers";
import type { ClusterId } from "./clusterId";

/** The client's calls. Each has a description for messages, and is retried where that may help. */
export interface ReadCalls {
    apps: AppsV1Api;
    core: CoreV1Api;
    version: Pick<VersionApi, "getCodeWithHttpInfo">;
    read: <T>(what: string, request: () => Promise<T>) => Promise<T>;
    readOrMissing: <T>(what: string, request: () => Promise<T>) => Promise<T | undefined>;
}

/** @returns the reads from Kubernetes that observe a cluster's members. */
export function memberReads(
    { apps, core, version, read, readOrMissing }: ReadCalls,
    lists: ListCalls,
    id: ClusterId,
): MemberReads {
    const { namespace, cluster, instance } = id;
    return {
        statefulSet: (name) =>
            readOrMissing(`read StatefulSet ${name}`, () => apps.readNamespacedStatefulSet({ namespace, name })),
        pods: async (components) => {
            const labelSelector = `${instanceLabel}=${instance},${componentLabel} in (${components.join(",")})`;
            const what = `list pods of ${cluster} (${components.join(", ")})`;
            return (await read(what, () => lists.pods(labelSelector))).items;
        },
        claims: async () => (await read(`list claims of namespace ${namespace}`, () => lists.claims())).items,
        node: async (name) => {
            try {
                return (await readOrMissing(`read node ${name}`, () => core.readNode({ name }))) ?? "absent";
            } catch (error) {
                if (!(error instanceof KubernetesApiError)) {
                    throw error;
                }
                // Nodes are cluster-wide, unlike everything else that gates read: a namespace's Role cannot grant this.
                const right = error.status === 403 ? "; grant `get` on `nodes` by a ClusterRole" : "";
                return { trouble: `${error.message}${right}` };
            }
        },
        time: async () => {
            const { headers } = await read("read the time", () => version.getCodeWithHttpInfo());
            const time = Date.parse(headers.date ?? "");
            return Number.isNaN(time) ? undefined : time;
        },
    };
}
