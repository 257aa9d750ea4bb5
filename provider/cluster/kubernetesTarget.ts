import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Where a kubeconfig leads. */
export interface KubernetesTarget {
    /** Name of the context in the kubeconfig. */
    readonly context: string;
    /** URL of the API server, without credentials; `unknown` if the kubeconfig has no URL. */
    readonly server: string;
}

/** Returns where a kubeconfig leads. Nothing else of it is shown: neither its user nor a token. */
export function targetOf(config: Pick<KubeConfig, "getCurrentContext" | "getCurrentCluster">): KubernetesTarget {
    return { context: config.getCurrentContext(), server: addressOf(config.getCurrentCluster()?.server ?? "") };
}

/**
 * Returns the URL of an API server without a user, a password, a query and a fragment, because proxies take credentials there.
 * A text that is not a URL is not shown.
 */
export function addressOf(server: string): string {
    if (!URL.canParse(server)) {
        return "unknown";
    }
    const { protocol, host, pathname } = new URL(server);
    return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}
