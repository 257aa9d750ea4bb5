import type { Configuration, KubeConfig, PromiseHttpLibrary, RequestContext } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type * as kubernetesClient from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { exchange, type HttpAnswer } from "../http/exchange";
import { callTimeoutMilliseconds, type ServerClock } from "./apiCall";
import { keptConnections } from "./keptConnections";

/** What the clients of the API server's groups have in common. */
export interface ApiOptions {
    readonly authentication?: ReturnType<typeof keptConnections>;
    /** Reads the API server's clock from each answer. */
    readonly clock?: ServerClock;
    /** Throws if nothing may be changed any more. Called in the last moment before a request that changes something leaves. */
    readonly assertAllowed?: () => void;
}

/** @returns the configuration of the official client, with this package's HTTP client and the time limit of a call. */
export function apiConfiguration(
    client: typeof kubernetesClient,
    config: KubeConfig,
    { authentication = keptConnections(config), clock, assertAllowed }: ApiOptions = {},
): Configuration {
    return client.createConfiguration({
        baseServer: new client.ServerConfiguration(config.getCurrentCluster()?.server ?? "unknown", {}),
        authMethods: { default: authentication },
        httpApi: client.wrapHttpLibrary(httpLibrary(client, assertAllowed)),
        promiseMiddleware: clock ? [clock.reader] : [],
    });
}

/**
 * Sends a request of the official client, which has its credentials and its connection.
 * @param assertAllowed throws if nothing may be changed any more.
 */
export function sendToApi(request: RequestContext, assertAllowed?: () => void): Promise<HttpAnswer> {
    const method = request.getHttpMethod().toString();
    return exchange({
        method,
        url: request.getUrl(),
        headers: request.getHeaders(),
        body: request.getBody()?.toString(),
        agent: request.getAgent(),
        timeoutMilliseconds: callTimeoutMilliseconds,
        beforeSend: method === "GET" ? undefined : assertAllowed,
    });
}

function httpLibrary(client: typeof kubernetesClient, assertAllowed: (() => void) | undefined): PromiseHttpLibrary {
    return {
        send: async (request) => {
            const { status, headers, body } = await sendToApi(request, assertAllowed);
            const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
            return new client.ResponseContext(status, Object.fromEntries(texts) as Record<string, string>, {
                text: () => Promise.resolve(body.toString("utf8")),
                binary: () => Promise.resolve(body),
            });
        },
    };
}
