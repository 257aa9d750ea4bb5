import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess } from "../provider/cluster/access";
import { type AccessArgs, accessOf } from "./access";
import type { TidbCluster } from "./tidbCluster";

/** How a component that works on a cluster reaches Kubernetes. */
export interface KubernetesOf {
    /** For its gates. */
    readonly access: pulumi.Output<ClusterAccess>;
    /** That of its objects. Undefined: the default provider. */
    readonly provider: pulumi.ProviderResource | undefined;
}

/**
 * Its objects keep their own provider: Pulumi would replace a Job whose provider changes, and the new one would do the work again.
 *
 * @param cluster the TidbCluster of the program that it works on. Undefined: another one.
 * @returns how it reaches Kubernetes: as its arguments say. Without them, as its cluster does if both have the same provider. Warns if
 * the two differ.
 */
export function kubernetesOf(
    component: pulumi.ComponentResource,
    args: AccessArgs,
    cluster: TidbCluster | undefined,
): KubernetesOf {
    const { kubeconfig, context } = args;
    const [own, its] = [component, cluster].map((one) => one?.getProvider("kubernetes:batch/v1:Job"));
    const isOwn = kubeconfig !== undefined || context !== undefined || own !== its;
    const access = cluster === undefined || isOwn ? accessOf(args) : pulumi.output(cluster.access);
    if (cluster !== undefined) {
        const isOther = own !== its;
        pulumi.all([access, cluster.access]).apply(([one, other]) => {
            if (isOther || one.kubeconfig !== other.kubeconfig || one.context !== other.context) {
                void pulumi.log.warn(
                    "its kubeconfig, context or Kubernetes provider is not that of its TidbCluster. Both must lead to one Kubernetes cluster: pass it the same `provider`, `kubeconfig` and `context`",
                    component,
                );
            }
        });
    }
    return { access, provider: own };
}
