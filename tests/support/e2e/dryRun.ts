import axios from "axios";
import type { RequestOptions } from "node:https";
import type { KubernetesObject } from "../../../components/kubernetes/object";

/** The API server's answer to the dry run of a creation. */
export interface DryRunAnswer {
    readonly status: number;
    /** The reason if it refused. */
    readonly message: string;
    /** Its warnings. */
    readonly warnings: string[];
}

/** The path of the collection for each kind, without the namespace. */
const collections: Readonly<Record<string, readonly [string, string]>> = {
    ClusterRole: ["apis/rbac.authorization.k8s.io/v1", "clusterroles"],
    ClusterRoleBinding: ["apis/rbac.authorization.k8s.io/v1", "clusterrolebindings"],
    ConfigMap: ["api/v1", "configmaps"],
    DaemonSet: ["apis/apps/v1", "daemonsets"],
    Deployment: ["apis/apps/v1", "deployments"],
    Job: ["apis/batch/v1", "jobs"],
    Lease: ["apis/coordination.k8s.io/v1", "leases"],
    Role: ["apis/rbac.authorization.k8s.io/v1", "roles"],
    RoleBinding: ["apis/rbac.authorization.k8s.io/v1", "rolebindings"],
    Secret: ["api/v1", "secrets"],
    Service: ["api/v1", "services"],
    ServiceAccount: ["api/v1", "serviceaccounts"],
    StatefulSet: ["apis/apps/v1", "statefulsets"],
    StorageClass: ["apis/storage.k8s.io/v1", "storageclasses"],
};

/** Kinds of objects that belong to no namespace. */
const clusterScoped: readonly string[] = ["ClusterRole", "ClusterRoleBinding", "StorageClass"];

/**
 * Asks an API server whether it would create an object. It runs all validation and admission and stores nothing.
 * Unknown and duplicate fields are refused.
 */
export async function dryRunOf(kubeconfig: string): Promise<(object: KubernetesObject) => Promise<DryRunAnswer>> {
    const { KubeConfig } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const server = config.getCurrentCluster()?.server ?? "";
    return async (object) => {
        const [group, plural] = collections[object.kind] ?? [];
        if (group === undefined) {
            throw new Error(`dryRun.ts has no collection path for objects of kind ${object.kind}`);
        }
        const place = clusterScoped.includes(object.kind) ? "" : `/namespaces/${object.metadata.namespace}`;
        const answer = await axios.post<{ message?: string }>(`${server}/${group}${place}/${plural}`, object, {
            params: { dryRun: "All", fieldValidation: "Strict" },
            httpsAgent: options.agent,
            headers: options.headers as Record<string, string> | undefined,
            validateStatus: () => true,
        });
        const { warning = [] } = answer.headers as { warning?: string | string[] };
        return { status: answer.status, message: answer.data.message ?? "", warnings: [warning].flat() };
    };
}
