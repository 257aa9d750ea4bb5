import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as http from "node:http";
import * as https from "node:https";
import { isDeepStrictEqual } from "node:util";

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
    let kept: { readonly like: http.AgentOptions; readonly agent: http.Agent } | undefined;
    return {
        getName: () => config.getName(),
        applySecurityAuthentication: async (context) => {
            await config.applySecurityAuthentication(context);
            const made = context.getAgent() as (http.Agent & { readonly options?: http.AgentOptions }) | undefined;
            // That of a proxy is of another class, and stays.
            const kind = [http.Agent, https.Agent].find((one) => made?.constructor === one);
            if (kind === undefined || made?.options === undefined) {
                return;
            }
            if (kept === undefined || !isDeepStrictEqual(kept.like, made.options)) {
                // Connections of earlier credentials end when they are idle.
                const agent = new kind({ ...made.options, keepAlive: true, timeout: idleTimeout });
                kept = { like: made.options, agent };
            }
            context.setAgent(kept.agent);
        },
    };
}
