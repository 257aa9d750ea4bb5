import type { Agent } from "node:http";
import type { AgentOptions } from "node:https";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { dropIdle, keepAliveAgent } from "../http/agents";
import type { HttpRequest } from "../http/exchange";
import type { PdEndpoint, PdTls } from "./options";

/** Keep-alive connections to one endpoint. */
export interface Connections extends Pick<HttpRequest, "connectTimeoutMilliseconds" | "opened"> {
    readonly agent: Agent;
    /** Closes idle connections, so the next request opens a new one. */
    dropIdle(): void;
    /** Closes all connections. */
    close(): void;
}

/** More would not help: callers send a handful of requests at a time, and each may be a stream of a port-forward. */
const maxConnections = 8;

/**
 * How long a connection may be idle before it is closed, in milliseconds. What is on the way, such as a load balancer, may
 * drop an idle connection without a word, and the next request on it would get no answer.
 */
const longestIdle = 20_000;

/** Prepares connections to an endpoint. The first request opens the first connection. */
export function openConnections(
    endpoint: PdEndpoint,
    tls: PdTls | undefined,
    connectTimeoutMilliseconds: number,
): Connections {
    const agent = keepAliveAgent(endpoint.url.startsWith("https:"), {
        maxSockets: maxConnections,
        // Node closes a connection that nobody uses after this time. A request that is under way has its own time limit.
        timeout: endpoint.idleMilliseconds ?? longestIdle,
        ...tls,
        servername: endpoint.servername,
        ...identity(endpoint),
    });
    return {
        agent,
        connectTimeoutMilliseconds,
        opened: endpoint.opened,
        dropIdle: () => dropIdle(agent),
        close: () => agent.destroy(),
    };
}

/** Returns the check of a server's certificate that accepts any of the endpoint's names. */
export function identity({ otherNames }: Pick<PdEndpoint, "otherNames">): Pick<AgentOptions, "checkServerIdentity"> {
    const checkAny = (asked: string, certificate: PeerCertificate) => {
        const problem = checkServerIdentity(asked, certificate);
        return otherNames?.some((name) => !checkServerIdentity(name, certificate)) ? undefined : problem;
    };
    return otherNames ? { checkServerIdentity: checkAny } : {};
}
