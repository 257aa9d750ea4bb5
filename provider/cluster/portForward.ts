import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Writable } from "node:stream";

/** A loopback listener whose connections reach a port of a pod through the API server. */
export interface Forward {
    port: number;
    /** Why the last connection failed, if it did. */
    readonly trouble: string | undefined;
    close(): void;
}

/**
 * Listens on a free loopback port and forwards each connection to the pod. Each connection finds the pod again by name, so
 * a restarted pod of the same name is reached too. Does not keep the process alive.
 */
export async function forwardPort(
    config: KubeConfig,
    namespace: string,
    pod: string,
    podPort: number,
): Promise<Forward> {
    const client = await import("@kubernetes/client-node");
    const forwarder = new client.PortForward(config);
    let trouble: string | undefined;
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
        sockets.add(socket);
        socket.unref();
        socket.on("close", () => sockets.delete(socket));
        socket.on("error", () => socket.destroy());
        // The node's errors come on a separate stream; without it a refused connection would hang.
        const refusals = new Writable({
            write: (chunk: Buffer, _encoding, done) => {
                if (chunk.length > 0) {
                    trouble = chunk.toString("utf8").trim();
                    socket.destroy();
                }
                done();
            },
        });
        forwarder
            .portForward(namespace, pod, [podPort], socket, refusals, socket)
            .then((connection) => {
                const webSocket = typeof connection === "function" ? connection() : connection;
                trouble = undefined;
                webSocket?.on("close", () => socket.destroy());
                socket.on("close", () => webSocket?.close());
            })
            .catch((error: Error | { error?: Error; message?: string }) => {
                trouble = error instanceof Error ? error.message : (error.message ?? error.error?.message);
                socket.destroy();
            });
    });
    await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(0, "127.0.0.1", resolve);
    });
    server.unref();
    return {
        port: (server.address() as AddressInfo).port,
        get trouble() {
            return trouble;
        },
        close: () => {
            server.close();
            sockets.forEach((socket) => socket.destroy());
        },
    };
}
