import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";

/** @returns an agent whose connections are reused. Node closes one that was idle for `timeout` milliseconds. */
export function keepAliveAgent(isTls: boolean, options: https.AgentOptions): http.Agent {
    return isTls ? new https.Agent({ ...options, keepAlive: true }) : new http.Agent({ ...options, keepAlive: true });
}

/** Closes the idle connections of an agent, so the next request opens a new one. */
export function dropIdle({ freeSockets }: http.Agent): void {
    Object.values(freeSockets).forEach((free) => free?.forEach((socket: Socket) => socket.destroy()));
}

/**
 * The official client of Kubernetes makes an agent for each request.
 * @param timeout how long a connection may be idle, in milliseconds.
 * @returns replaces such an agent by one that keeps connections, as long as its options stay the same. The agent of a proxy stays.
 */
export function agentsKept(timeout: number): (made: http.Agent | undefined) => http.Agent | undefined {
    let kept: { readonly like: http.AgentOptions; readonly agent: http.Agent } | undefined;
    return (made) => {
        const { constructor: kind, options } = (made ?? {}) as http.Agent & { options?: http.AgentOptions };
        if (options === undefined || (kind !== http.Agent && kind !== https.Agent)) {
            return made;
        }
        if (kept === undefined || !isDeepStrictEqual(kept.like, options)) {
            // Connections of earlier credentials end once they are idle.
            kept = { like: options, agent: keepAliveAgent(kind === https.Agent, { ...options, timeout }) };
        }
        return kept.agent;
    };
}
