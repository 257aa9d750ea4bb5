import type { KubeConfig, V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { gateFieldManager } from "../../topology/annotations";
import { componentLabel, managedByLabel, nameLabel } from "../../topology/labels";
import { clusterOfLease } from "../../topology/names";
import { KubernetesApiError, undefinedIfNotFound, withErrorContext, withRetries } from "./apiCall";
import { apiConfiguration } from "./apiClient";

/** A TidbCluster, by the name and namespace of its objects. */
export interface ClusterName {
    readonly namespace: string;
    readonly cluster: string;
}

/** The calls of a controller that belong to no single cluster. */
export interface ControllerCalls {
    /** Lists the clusters that have a Lease. @param namespace undefined: all, which takes a permission for all. */
    findClusters(namespace: string | undefined): Promise<ClusterName[]>;
    readLease(namespace: string, name: string): Promise<V1Lease | undefined>;
    /** Creates a Lease without a holder. An existing one is left as it is. */
    createLease(namespace: string, name: string): Promise<void>;
    /** @returns whether it was written: false if its version is another one by now. */
    writeLease(namespace: string, name: string, resourceVersion: string, spec: object): Promise<boolean>;
}

/** Selects the Leases of clusters: `components/lease/manifests.ts` labels them so. */
const labelSelector = `${componentLabel}=lease,${managedByLabel}=pulumi-tidb,${nameLabel}=tidb-cluster`;

/** @returns the calls, made with the official client. */
export async function createControllerCalls(config: KubeConfig): Promise<ControllerCalls> {
    const client = await import("@kubernetes/client-node");
    const server = config.getCurrentCluster()?.server ?? "unknown";
    const coordination = new client.CoordinationV1Api(apiConfiguration(client, config));
    const fieldManager = gateFieldManager;
    const mergePatch = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
    const call = <T>(what: string, request: () => Promise<T>) => withErrorContext(server, what, request);
    const read = <T>(what: string, request: () => Promise<T>) => withRetries(() => call(what, request));
    return {
        findClusters: async (namespace) => {
            const { items } =
                namespace === undefined
                    ? await read("list the Leases of all namespaces", () =>
                          coordination.listLeaseForAllNamespaces({ labelSelector }),
                      )
                    : await read(`list the Leases of namespace ${namespace}`, () =>
                          coordination.listNamespacedLease({ namespace, labelSelector }),
                      );
            return items.map(({ metadata }) => ({
                namespace: metadata?.namespace ?? "",
                cluster: clusterOfLease(metadata?.name ?? ""),
            }));
        },
        readLease: (namespace, name) =>
            undefinedIfNotFound(
                read(`read Lease ${name}`, () => coordination.readNamespacedLease({ namespace, name })),
            ),
        createLease: async (namespace, name) => {
            const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } };
            await orFalse(
                call(`create Lease ${name}`, () =>
                    coordination.createNamespacedLease({ namespace, body, fieldManager }),
                ),
            );
        },
        writeLease: (namespace, name, resourceVersion, spec) => {
            const body = { metadata: { resourceVersion }, spec };
            return orFalse(
                call(`write Lease ${name}`, () =>
                    coordination.patchNamespacedLease({ namespace, name, body, fieldManager }, mergePatch),
                ),
            );
        },
    };
}

/** @returns whether the write happened; false if somebody else was first (409). */
async function orFalse(request: Promise<unknown>): Promise<boolean> {
    try {
        await request;
        return true;
    } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 409) {
            return false;
        }
        throw error;
    }
}
