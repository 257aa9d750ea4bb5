import type { KubernetesApiError } from "../provider/cluster/apiCall";

/**
 * Says why a command could not work on a cluster, and what to do next. An error of the API server says only what failed.
 * Commands that reach a cluster report their errors with this.
 */
export function clusterFailure(error: unknown): string {
    const { message } = error as Error;
    const next = isApiError(error) ? nextStep(error.status) : undefined;
    return next === undefined ? message : `${message}. Next: ${next}`;
}

function nextStep(status: number | undefined): string | undefined {
    if (status === undefined) {
        return "check that the cluster runs and that this machine reaches it, or choose another one with --kubeconfig or --context";
    }
    if (status === 401) {
        return "log in again, or choose another user with --kubeconfig or --context";
    }
    if (status === 403) {
        return "grant this permission to the user of the kubeconfig, or choose another user with --kubeconfig or --context";
    }
    return status === 429 || status >= 500 ? "the API server is overloaded or failed: try again" : undefined;
}

/** Compares names: the class itself would load the Kubernetes client, which `--help` does not need. */
function isApiError(error: unknown): error is KubernetesApiError {
    return (error as Error).name === ("KubernetesApiError" satisfies KubernetesApiError["name"]);
}
