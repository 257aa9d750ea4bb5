import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** The key and certificates of a TLS listener, as PEM text. With a `ca` it requires a client certificate. */
export interface ListenerTls {
    key: string;
    cert: string;
    ca?: string;
}

/** An HTTP server on a loopback port chosen by the operating system. */
export interface Listener {
    port: number;
    url: string;
    /** Serves another certificate from the next connection on. Only for a TLS listener. */
    renew(tls: ListenerTls): void;
    /** Closes the port and all connections, including those that wait for an answer. */
    close(): Promise<void>;
}

/** The answer to a call and its delay. `refused` closes the connection; `nothing` leaves it open without an answer. */
export type ListenerAnswer =
    { status: number; contentType?: string; body: string; delayMilliseconds?: number } | "refused" | "nothing";

/** A call. */
export interface ListenerRequest {
    readonly method: string;
    readonly url: URL;
    readonly body: string;
    readonly headers: http.IncomingHttpHeaders;
}

/**
 * Starts an HTTP server on 127.0.0.1. `answer` determines the answer to each call. While `refuses` says so, new connections are
 * refused at once. Through a port-forward, that is an error; a connection that closes after a call is not, because KWOK's
 * port-forward does not pass it on.
 */
export async function startListener(
    answer: (request: ListenerRequest) => ListenerAnswer,
    tls?: ListenerTls,
    refuses: () => boolean = () => false,
): Promise<Listener> {
    const listen = (request: http.IncomingMessage, response: http.ServerResponse): void => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
            const url = new URL(request.url ?? "/", "http://127.0.0.1");
            const body = Buffer.concat(chunks).toString("utf8");
            send(response, answer({ method: request.method ?? "GET", url, body, headers: request.headers }));
        });
    };
    const server = tls
        ? https.createServer({ ...tls, requestCert: tls.ca !== undefined, rejectUnauthorized: true }, listen)
        : http.createServer(listen);
    // PD and TiDB's members are written in Go and keep idle connections. Node would close them after 5 s, which a
    // port-forward does not pass on.
    server.keepAliveTimeout = 0;
    server.on("connection", (socket: Socket) => {
        if (refuses()) {
            socket.resetAndDestroy();
        }
    });
    await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    return {
        port,
        url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
        renew: (next) => {
            if (server instanceof https.Server) {
                server.setSecureContext(next);
            }
        },
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

function send(response: http.ServerResponse, answer: ListenerAnswer): void {
    if (answer === "refused") {
        response.destroy();
    } else if (answer !== "nothing") {
        const write = (): void => {
            response.writeHead(answer.status, answer.contentType ? { "content-type": answer.contentType } : {});
            response.end(answer.body);
        };
        if (answer.delayMilliseconds) {
            setTimeout(write, answer.delayMilliseconds).unref();
        } else {
            write();
        }
    }
}
