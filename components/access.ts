import * as pulumi from "@pulumi/pulumi";
import { type ClusterAccess, isKubeconfigContent } from "../provider/cluster/access";

/**
 * How the gates connect to the Kubernetes cluster, which must be the one that the Kubernetes provider writes to. A gate is
 * a Pulumi resource that checks the live cluster, plans steps, and carries them out when it is safe.
 */
export interface AccessArgs {
    /**
     * Path or content of a kubeconfig. Content is stored as a secret in the state, a path is not.
     * Default: the configuration `kubernetes:kubeconfig`, then `KUBECONFIG`, then `~/.kube/config`.
     */
    kubeconfig?: pulumi.Input<string>;
    /** Name of a context in the kubeconfig. Default: the configuration `kubernetes:context`, then the current context. */
    context?: pulumi.Input<string>;
}

/**
 * @returns the gates' access to the cluster, with the same defaults as the Kubernetes provider.
 * @internal
 */
export function accessOf(args: AccessArgs): pulumi.Output<ClusterAccess> {
    const config = new pulumi.Config("kubernetes");
    const kubeconfig = pulumi.output(args.kubeconfig ?? config.get("kubeconfig"));
    const context = pulumi.output(args.context ?? config.get("context"));
    return pulumi.all([kubeconfig, context]).apply(([file, name]) => {
        const access = {
            ...(file === undefined ? {} : { kubeconfig: file }),
            ...(name === undefined ? {} : { context: name }),
        };
        return file !== undefined && isKubeconfigContent(file) ? pulumi.secret(access) : pulumi.output(access);
    });
}
