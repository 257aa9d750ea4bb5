import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { PdEndpoint, PdTls } from "./options";

/** Keep-alive connections to one endpoint. */
export interface Connections {
    readonly agent: http.Agent;
    /** Whether the request had a connection that could carry it. Without one it was certainly not sent. */
    carried(request: unknown): boolean;
    /** Ends the connections that no request uses, so that the next request opens a new one. */
    dropIdle(): void;
    /** Ends all connections. */
    close(): void;
}

/** More would not help: a gate asks a handful of questions at a time, and each may be a stream of a port-forward. */
const connectionsAtOnce = 8;

/** Prepares connections to an endpoint; the first request opens the first one. */
export function openConnections(endpoint: PdEndpoint, tls: PdTls | undefined, connectTimeout: number): Connections {
    const ready = new WeakSet<Duplex>();
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

/** How the names of a server's certificate are checked, where it may be any of several. */
export function identity({
    otherNames,
}: Pick<PdEndpoint, "otherNames">): Pick<https.AgentOptions, "checkServerIdentity"> {
    const checkAny = (asked: string, certificate: PeerCertificate) => {
        const problem = checkServerIdentity(asked, certificate);
        return otherNames?.some((name) => !checkServerIdentity(name, certificate)) ? undefined : problem;
    };
    return otherNames ? { checkServerIdentity: checkAny } : {};
}

const agentOptions = { keepAlive: true, maxSockets: connectionsAtOnce } as const;

/** The agent's own time-out starts over with each byte; this one bounds the way to a usable connection. */
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
