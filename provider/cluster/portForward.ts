import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Writable } from "node:stream";
import { callTimeoutMilliseconds } from "./apiCall";

/** A loopback listener whose connections reach a port of a pod through the API server. */
export interface Forward {
    port: number;
    /** Why the last connection failed, if it did. */
    readonly trouble: string | undefined;
    /** Resolves once what is sent on a connection to the port reaches the API server. Default: at once. */
    readonly opened?: (connection: Socket) => Promise<void>;
    close(): void;
}

/**
 * For how long an HTTP connection through a port-forward is kept without a request, in milliseconds. Each connection is a
 * WebSocket of its own, whose opening is a request to the API server, and a wait may ask a pod only once in two minutes. PD and
 * TiKV close no idle connection, TiProxy does after 30 s, and a kubelet after hours.
 */
export const idleInForward = 300_000;

/**
 * How often a WebSocket is asked for a sign of life, in milliseconds. What is between here and there drops one that carries
 * nothing, some after a minute, and without a word.
 */
const lifeSignEvery = 10_000;

/**
 * Listens on a free loopback port and forwards each connection to the pod. Each connection finds the pod again by name, so
 * a restarted pod of the same name is reached too. Does not keep the process alive.
 */
export async function forwardPort(
    config: KubeConfig,
    namespace: string,
    pod: string,
    podPort: number,
    everyMilliseconds = lifeSignEvery,
): Promise<Forward> {
    const client = await import("@kubernetes/client-node");
    const forwarder = new client.PortForward(withHandshakeLimit(config));
    let trouble: string | undefined;
    const sockets = new Set<Socket>();
    const openings = new Openings();
    const server: Server = createServer((socket) => {
        sockets.add(socket);
        socket.unref();
        const { remotePort: from = 0 } = socket;
        socket.on("close", () => {
            sockets.delete(socket);
            openings.forget(from);
        });
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
                if (webSocket) {
                    tie(webSocket as TiedWebSocket, socket, everyMilliseconds);
                }
                openings.of(from).resolve();
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
        opened: ({ localPort = 0 }) => openings.of(localPort).done,
        close: () => {
            server.close();
            sockets.forEach((socket) => socket.destroy());
        },
    };
}

/** @returns the kubeconfig for WebSockets, whose opening gets the time limit of a call: the client has none. */
function withHandshakeLimit(config: KubeConfig): KubeConfig {
    const applyToHTTPSOptions: KubeConfig["applyToHTTPSOptions"] = async (options) => {
        await config.applyToHTTPSOptions(options);
        Object.assign(options, { handshakeTimeout: callTimeoutMilliseconds });
    };
    return Object.create(config, { applyToHTTPSOptions: { value: applyToHTTPSOptions } }) as KubeConfig;
}

/**
 * Which connections to the listener have their WebSocket, by the port that they come from. A connection is accepted before its
 * WebSocket is opened, and either end may ask first.
 */
class Openings {
    private readonly all = new Map<number, { readonly done: Promise<void>; readonly resolve: () => void }>();

    of(port: number) {
        const found = this.all.get(port);
        if (found) {
            return found;
        }
        let resolve: () => void = () => undefined;
        const opening = { done: new Promise<void>((settle) => (resolve = settle)), resolve: () => resolve() };
        this.all.set(port, opening);
        return opening;
    }

    forget(port: number): void {
        this.all.delete(port);
    }
}

/** What is used of a WebSocket of the library `ws`. */
interface TiedWebSocket {
    readonly _socket?: Socket;
    on(event: "close" | "message" | "pong", listener: () => void): void;
    ping(): void;
    close(): void;
    terminate(): void;
}

/** Ends each of the two with the other one, and both without a sign of life. Neither keeps the process alive. */
function tie(webSocket: TiedWebSocket, socket: Socket, everyMilliseconds: number): void {
    // A caller that waits for an answer keeps the process alive by its own end of the connection.
    webSocket._socket?.unref();
    let isAlive = true;
    const beat = setInterval(() => {
        if (!isAlive) {
            webSocket.terminate();
        }
        isAlive = false;
        webSocket.ping();
    }, everyMilliseconds).unref();
    // Behind a long answer a pong comes late.
    (["pong", "message"] as const).forEach((sign) => webSocket.on(sign, () => (isAlive = true)));
    webSocket.on("close", () => {
        clearInterval(beat);
        socket.destroy();
    });
    socket.on("close", () => webSocket.close());
    if (socket.destroyed) {
        // It was given up while the WebSocket was opened.
        webSocket.close();
    }
}
