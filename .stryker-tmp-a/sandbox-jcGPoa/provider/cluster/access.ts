/** How a gate finds its Kubernetes cluster: as the Kubernetes provider does. */
export interface ClusterAccess {
    /** A kubeconfig's path or content. Default: `KUBECONFIG`, then `~/.kube/config`. */
    kubeconfig?: string;
    /** Name of a context in it. Default: its current context. */
    context?: string;
}

/** No kubeconfig, or one that cannot be used. The message names the places that were looked at. */
export class ClusterAccessError extends Error {
    override readonly name = "ClusterAccessError";
}

/** A kubeconfig's content has keys; a path has none. */
export function isKubeconfigContent(kubeconfig: string): boolean {
    return /[\n{]/.test(kubeconfig) || /^\s*apiVersion:/.test(kubeconfig);
}
