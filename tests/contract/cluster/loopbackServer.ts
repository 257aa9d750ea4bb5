import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A server on the loopback interface, and the kubeconfig that names it as the API server. */
export interface LoopbackServer {
    readonly kubeconfig: string;
    /** Breaks all connections, as a restart does. */
    breakConnections(): void;
    close(): Promise<void>;
}

/** Starts it. @param upgrade answers a request for a WebSocket. */
export async function startLoopbackServer(
    answer: RequestListener,
    upgrade?: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
): Promise<LoopbackServer> {
    const server = createServer(answer);
    if (upgrade) {
        server.on("upgrade", upgrade);
    }
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const one = {
        name: "one",
        cluster: {
            server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            "insecure-skip-tls-verify": true,
        },
        user: {},
        context: { cluster: "one", user: "one" },
    };
    const kubeconfig = JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [one],
        users: [one],
        contexts: [one],
        "current-context": "one",
    });
    const breakConnections = () => server.closeAllConnections();
    const close = () => {
        breakConnections();
        return new Promise<void>((resolve) => server.close(() => resolve()));
    };
    return { kubeconfig, breakConnections, close };
}
