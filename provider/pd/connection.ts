import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { PdEndpoint, PdTls } from "./options";

/** Keep-alive connections to one endpoint. */
export interface Connections {
    readonly agent: http.Agent;
    /** Whether the request had a usable connection. Without one it was certainly not sent. */
    carried(request: unknown): boolean;
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
export function openConnections(endpoint: PdEndpoint, tls: PdTls | undefined, connectTimeout: number): Connections {
    const ready = new WeakSet<Duplex>();
    // Node destroys a connection that nobody uses after this timeout. A request that is under way has its own time limit.
    const agentOptions = {
        keepAlive: true,
        maxSockets: maxConnections,
        timeout: endpoint.idleMilliseconds ?? longestIdle,
    };
    const agent = endpoint.url.startsWith("https:")
        ? new https.Agent({ ...agentOptions, ...tls, servername: endpoint.servername, ...identity(endpoint) })
        : new http.Agent(agentOptions);
    watchConnecting(agent, connectTimeout, ready);
    return {
        agent,
        carried: (request) => {
            const socket = request instanceof http.ClientRequest ? request.socket : undefined;
            return socket ? ready.has(socket) : false;
        },
        dropIdle: () => Object.values(agent.freeSockets).forEach((free) => free?.forEach((socket) => socket.destroy())),
        close: () => agent.destroy(),
    };
}

/** Returns the check of a server's certificate that accepts any of the endpoint's names. */
export function identity({
    otherNames,
}: Pick<PdEndpoint, "otherNames">): Pick<https.AgentOptions, "checkServerIdentity"> {
    const checkAny = (asked: string, certificate: PeerCertificate) => {
        const problem = checkServerIdentity(asked, certificate);
        return otherNames?.some((name) => !checkServerIdentity(name, certificate)) ? undefined : problem;
    };
    return otherNames ? { checkServerIdentity: checkAny } : {};
}

/** Limits how long a connection may take to become usable. The agent's own timeout restarts with each byte. */
function watchConnecting(agent: http.Agent, timeout: number, ready: WeakSet<Duplex>): void {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
        const socket = connect(options, callback) as Socket | undefined;
        if (socket) {
            const isTls = "encrypted" in socket;
            const expiry = setTimeout(
                () => socket.destroy(new Error(`no ${isTls ? "TLS " : ""}connection within ${timeout} ms`)),
                timeout,
            );
            socket.once(isTls ? "secureConnect" : "connect", () => {
                clearTimeout(expiry);
                ready.add(socket);
            });
            socket.once("close", () => clearTimeout(expiry));
        }
        return socket;
    };
}
