import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { agentsKept } from "../http/agents";

/**
 * For how long a connection is kept without a request, in milliseconds. An API server keeps them for 90 s; what is between here and there drops them
 * earlier, and some without a word.
 */
const longestIdle = 5_000;

/**
 * The official client makes an agent for each request, and with it a connection: a TLS handshake takes two round trips and more time of
 * the processor than the request.
 * @returns the authentication of the kubeconfig, whose requests share connections as long as the credentials are the same.
 */
export function keptConnections(
    config: KubeConfig,
    idleTimeout = longestIdle,
): Pick<KubeConfig, "getName" | "applySecurityAuthentication"> {
    const keep = agentsKept(idleTimeout);
    return {
        getName: () => config.getName(),
        applySecurityAuthentication: async (context) => {
            await config.applySecurityAuthentication(context);
            const kept = keep(context.getAgent());
            if (kept) {
                context.setAgent(kept);
            }
        },
    };
}
