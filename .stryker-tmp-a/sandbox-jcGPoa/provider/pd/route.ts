import { openConnections } from "./connection";
import type { PdClientOptions, PdEndpoint } from "./options";
import { createHttp, exchange, type PdExchange, type PdRequest } from "./request";

/** One endpoint as somewhere to send requests to. */
export interface Route {
    readonly name: string;
    /** Scheme, host and port. */
    readonly url: string;
    /** Name and address, for messages. */
    readonly label: string;
    /** Never rejects: a failure is an answer, too. */
    send(request: PdRequest, timeoutMilliseconds: number): Promise<PdExchange>;
    /** Sees to it that the next request opens a connection of its own. */
    dropIdle(): void;
    close(): void;
}

/** How long one request may take where the options do not say. */
export const defaultTimeoutMilliseconds = 5000;
const defaultConnectTimeoutMilliseconds = 2000;

/**
 * Makes a route for each endpoint, in their order. Sends nothing yet.
 * @throws Error where there is no endpoint, an address is none, or TLS is given for one without TLS
 */
export function createRoutes(options: PdClientOptions): Route[] {
    if (options.endpoints.length === 0) {
        throw new Error(
            "endpoints is empty, expected at least one PD member to ask: find a running PD pod, or give pd.address.",
        );
    }
    return options.endpoints.map((endpoint) => createRoute(endpoint, options));
}

function createRoute(endpoint: PdEndpoint, options: PdClientOptions): Route {
    const url = checkedOrigin(endpoint, options.tls !== undefined);
    const timeout = options.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
    const connectTimeout = Math.min(timeout, options.connectTimeoutMilliseconds ?? defaultConnectTimeoutMilliseconds);
    const connections = openConnections({ ...endpoint, url }, options.tls, connectTimeout);
    const http = createHttp(url, connections);
    return {
        name: endpoint.name,
        url,
        label: endpoint.name === url ? url : `${endpoint.name} (${url})`,
        send: (request, timeoutMilliseconds) => exchange(http, connections, request, timeoutMilliseconds),
        dropIdle: connections.dropIdle,
        close: connections.close,
    };
}

function checkedOrigin({ name, url }: PdEndpoint, withTls: boolean): string {
    const address = URL.canParse(url) ? new URL(url) : undefined;
    if (address?.protocol !== "http:" && address?.protocol !== "https:") {
        throw new Error(
            `The address of PD endpoint ${name} is "${url}", expected http://host:port or https://host:port.`,
        );
    }
    if (withTls && address.protocol === "http:") {
        throw new Error(
            `The address of PD endpoint ${name} is "${url}" and TLS certificates are given: expected https://.`,
        );
    }
    return address.origin;
}
