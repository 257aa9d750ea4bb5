/** How a gate finds its Kubernetes cluster, in the same way as the Kubernetes provider. */
export interface ClusterAccess {
    /** Path or content of a kubeconfig. Default: `KUBECONFIG`, then `~/.kube/config`. */
    kubeconfig?: string;
    /** Name of a context in the kubeconfig. Default: its current context. */
    context?: string;
}

/** There is no kubeconfig, or it cannot be used. The message names the places that were searched. */
export class ClusterAccessError extends Error {
    override readonly name = "ClusterAccessError";
}

/** @returns whether the text is a kubeconfig's content, which has keys; a path has none. */
export function isKubeconfigContent(kubeconfig: string): boolean {
    return /[\n{]/.test(kubeconfig) || /^\s*apiVersion:/.test(kubeconfig);
}
