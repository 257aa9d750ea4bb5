import axios from "axios";
import type * as https from "node:https";
import { type ClusterSettings, ClusterUnreachable, describeSource, loadKubeconfig } from "./kubeconfig";

/** An answer of the API server. */
export interface Answer {
    /** The HTTP status code. */
    status: number;
    body: Record<string, unknown> & { message?: string; reason?: string };
}

/** A connection to one API server. */
export interface Connection {
    /** The URL of the API server. */
    server: string;
    /** The namespace of objects that do not name one. */
    namespace: string;
    /**
     * Sends a request and returns the answer, whatever its status.
     * @throws ClusterUnreachable if none arrives within 10 s
     */
    send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

/** The optional parts of a request. */
export interface RequestOptions {
    query?: Record<string, string>;
    /** Sent as JSON. */
    body?: unknown;
    /** Default: `application/json`. */
    contentType?: string;
}

/** Loads the client library in advance, which takes most of a second. */
export async function warmKubernetesClient(): Promise<void> {
    await import("@kubernetes/client-node");
}

const connectMilliseconds = 10_000;

/** Connects to a cluster. @throws ClusterUnreachable if the kubeconfig cannot be read */
export async function connect(settings: ClusterSettings, folder: string): Promise<Connection> {
    const kubeconfig = await loadKubeconfig(settings, folder);
    const cluster = kubeconfig.getCurrentCluster();
    if (cluster === null) {
        throw new ClusterUnreachable(
            `the kubeconfig (${describeSource(settings)}) has no cluster for the context "${kubeconfig.getCurrentContext()}"`,
        );
    }
    const options: https.RequestOptions = {};
    await kubeconfig.applyToHTTPSOptions(options);
    const agent = options.agent as https.Agent;
    // A preview reads twenty objects. A TLS handshake for each would cost more than the rest.
    Object.assign(agent, { keepAlive: true, maxSockets: 16 });
    agent.options.keepAlive = true;
    const [username, ...password] = (options.auth ?? "").split(":");
    const client = axios.create({
        baseURL: cluster.server,
        httpsAgent: agent,
        httpAgent: agent,
        proxy: false,
        timeout: connectMilliseconds,
        headers: options.headers as Record<string, string>,
        auth: options.auth ? { username: username ?? "", password: password.join(":") } : undefined,
        validateStatus: () => true,
        maxRedirects: 0,
    });
    return {
        server: cluster.server,
        namespace:
            settings.namespace ?? kubeconfig.getContextObject(kubeconfig.getCurrentContext())?.namespace ?? "default",
        async send(method, url, { query, body, contentType } = {}) {
            try {
                const response = await client.request<Answer["body"]>({
                    method,
                    url,
                    params: query,
                    data: body === undefined ? undefined : JSON.stringify(body),
                    headers: { "Content-Type": contentType ?? "application/json", Accept: "application/json" },
                });
                return { status: response.status, body: response.data };
            } catch (error) {
                const { code, message } = error as NodeJS.ErrnoException;
                const reason = message || code || "no answer";
                throw new ClusterUnreachable(
                    `${method} ${cluster.server}${url}: ${reason} (kubeconfig from ${describeSource(settings)})`,
                );
            }
        },
    };
}
