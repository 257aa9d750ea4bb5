import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";

/** A request as a test's server got it. */
export interface Received {
    readonly method: string;
    /** With its query. */
    readonly path: string;
    readonly body: string;
    /** Numbers the connections, from 1. */
    readonly connection: number;
}

/** What a test's server answers. `hang`: nothing; `cut`: closes the connection. */
export type Answer =
    "hang" | "cut" | { status: number; body?: string; contentType?: string; headers?: Record<string, string> };

/** A server on loopback that lasts as long as the variable that holds it. */
export interface TestServer extends AsyncDisposable {
    readonly url: string;
    readonly received: Received[];
}

/** Starts a server on a port of the system's choice. */
export async function serve(
    answer: (request: Received) => Answer | Promise<Answer>,
    tls?: https.ServerOptions,
): Promise<TestServer> {
    const received: Received[] = [];
    const connections = new Map<unknown, number>();
    const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
        let body = "";
        for await (const chunk of request) {
            body += chunk;
        }
        const connection = connections.get(request.socket) ?? connections.size + 1;
        connections.set(request.socket, connection);
        const arrived = { method: request.method ?? "", path: request.url ?? "", body, connection };
        received.push(arrived);
        const reply = await answer(arrived);
        if (reply === "cut") {
            request.socket.destroy();
        } else if (reply !== "hang") {
            const contentType = reply.contentType ?? "application/json; charset=UTF-8";
            response.writeHead(reply.status, { "content-type": contentType, ...reply.headers }).end(reply.body ?? "");
        }
    };
    const listener: http.RequestListener = (request, response) => {
        handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    };
    const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return {
        url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
        received,
        async [Symbol.asyncDispose]() {
            server.closeAllConnections();
            await new Promise<void>((resolve) => server.close(() => resolve()));
        },
    };
}
