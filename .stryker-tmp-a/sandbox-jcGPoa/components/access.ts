import * as pulumi from "@pulumi/pulumi";
import { type ClusterAccess, isKubeconfigContent } from "../provider/cluster/access";

/** How the gates reach the Kubernetes cluster: the same one that the Kubernetes provider writes to. */
export interface AccessArgs {
    /**
     * A kubeconfig, as its path or its content. Content becomes a secret in the state, a path does not.
     * Default: the configuration `kubernetes:kubeconfig`, then `KUBECONFIG`, then `~/.kube/config`.
     */
    kubeconfig?: pulumi.Input<string>;
    /** Name of the context in it. Default: the configuration `kubernetes:context`, then its current context. */
    context?: pulumi.Input<string>;
}

/** @returns the access as the gates take it, found where the Kubernetes provider looks for its own. */
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
