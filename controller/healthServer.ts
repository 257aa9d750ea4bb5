import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What the health endpoint asks. */
export interface HealthSources {
    /** Why the process should be restarted; undefined if it works. */
    unhealthy(): string | undefined;
    /** Why it cannot do its work yet; undefined if it can. */
    unready(): string | undefined;
    metrics(): Promise<string>;
    readonly contentType: string;
}

/** A server that answers. */
export interface HealthServer {
    /** The address that it listens on: `http://127.0.0.1:8080`. */
    readonly address: string;
    close(): Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics`, for Kubernetes' probes and for Prometheus.
 * @param port 0: a free one
 * @throws Error if it cannot listen
 */
export async function serveHealth(host: string, port: number, sources: HealthSources): Promise<HealthServer> {
    const server = createServer((request, response) => {
        const path = (request.url ?? "").split("?")[0];
        const answer = (status: number, text: string, type = "text/plain; charset=utf-8"): void => {
            response.writeHead(status, { "content-type": type }).end(text);
        };
        const probe = (problem: string | undefined): void =>
            problem === undefined ? answer(200, "ok\n") : answer(503, `${problem}\n`);
        switch (path) {
            case "/healthz":
                return probe(sources.unhealthy());
            case "/readyz":
                return probe(sources.unready());
            case "/metrics":
                void sources.metrics().then(
                    (text) => answer(200, text, sources.contentType),
                    (error: Error) => answer(500, `${error.message}\n`),
                );
                return;
            default:
                answer(404, "found no such page; there are /healthz, /readyz and /metrics\n");
        }
    });
    await listening(server, host, port);
    const { port: bound } = server.address() as AddressInfo;
    return {
        address: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
        close: () =>
            new Promise((resolve, reject) => {
                server.close((error) => (error ? reject(error) : resolve()));
                server.closeAllConnections();
            }),
    };
}

function listening(server: Server, host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
            server.off("error", reject);
            resolve();
        });
    });
}
