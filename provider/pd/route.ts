import { unwrapRefusal } from "../http/httpError";
import { openConnections } from "./connection";
import type { PdClientOptions, PdEndpoint } from "./options";
import { exchangeWithPd, type PdExchange, type PdRequest } from "./request";

/** A way to send requests to one endpoint. */
export interface Route {
    readonly name: string;
    /** Scheme, host and port. */
    readonly url: string;
    /** Name and address, for messages. */
    readonly label: string;
    /**
     * Sends a request. A failure is a result, too.
     * @param beforeSend called in the last moment before the request leaves.
     * @throws the error of `beforeSend`, which then keeps the request from being sent
     */
    send(request: PdRequest, timeoutMilliseconds: number, beforeSend?: () => void): Promise<PdExchange>;
    /** Closes idle connections, so the next request opens a new one. */
    dropIdle(): void;
    close(): void;
}

/** How long one request may take if the options do not set it. */
export const defaultTimeoutMilliseconds = 5000;
const defaultConnectTimeoutMilliseconds = 2000;

/**
 * Creates a route for each endpoint, in the same order. Sends nothing yet.
 * @throws Error if there is no endpoint, if an address is invalid, or if TLS is given for an `http` address
 */
export function createRoutes(options: PdClientOptions): Route[] {
    if (options.endpoints.length === 0) {
        throw new Error("endpoints is empty, expected at least one PD member: start a PD pod, or set pd.address.");
    }
    return options.endpoints.map((endpoint) => createRoute(endpoint, options));
}

function createRoute(endpoint: PdEndpoint, options: PdClientOptions): Route {
    const url = checkedOrigin(endpoint, options.tls !== undefined);
    const timeout = options.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
    const connectTimeout = Math.min(timeout, options.connectTimeoutMilliseconds ?? defaultConnectTimeoutMilliseconds);
    const connections = openConnections({ ...endpoint, url }, options.tls, connectTimeout);
    return {
        name: endpoint.name,
        url,
        label: endpoint.name === url ? url : `${endpoint.name} (${url})`,
        send: (request, timeoutMilliseconds, beforeSend) =>
            unwrapRefusal(exchangeWithPd(url, connections, request, timeoutMilliseconds, beforeSend)),
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
            `The address of PD endpoint ${name} is "${url}", but TLS certificates are given: expected https://.`,
        );
    }
    return address.origin;
}
