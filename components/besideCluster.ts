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
    /** Options of its objects. */
    readonly objects: pulumi.CustomResourceOptions;
}

/**
 * @param cluster the TidbCluster of the program that it works on. Undefined: another one.
 * @returns how it reaches Kubernetes: as its arguments and options say, otherwise as its cluster does. Warns if the two differ.
 */
export function kubernetesOf(
    component: pulumi.ComponentResource,
    args: AccessArgs,
    cluster: TidbCluster | undefined,
): KubernetesOf {
    const { kubeconfig, context } = args;
    const [own, its] = [component, cluster].map((one) => one?.getProvider("kubernetes:batch/v1:Job"));
    const isGiven = kubeconfig !== undefined || context !== undefined;
    const access = cluster === undefined || isGiven ? accessOf(args) : pulumi.output(cluster.access);
    if (cluster !== undefined) {
        const isOther = own !== undefined && own !== its;
        pulumi.all([access, cluster.access]).apply(([one, other]) => {
            if (isOther || one.kubeconfig !== other.kubeconfig || one.context !== other.context) {
                void pulumi.log.warn(
                    "its kubeconfig, context or Kubernetes provider is not that of its TidbCluster: both must lead to one Kubernetes cluster",
                    component,
                );
            }
        });
    }
    // An object of an earlier provider has the same name: created first, it would be deleted afterwards.
    const objects = own === undefined && its !== undefined ? { provider: its, deleteBeforeReplace: true } : {};
    return { access, provider: own ?? its, objects };
}
