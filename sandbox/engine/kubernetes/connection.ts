import axios from "axios";
import { existsSync } from "node:fs";
import type * as https from "node:https";
import * as path from "node:path";
import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type PropertyMap } from "../values";

/** Selects a cluster, with the settings of `kubernetes.Provider` and of the stack's configuration. All are optional. */
export interface ClusterSettings {
    /** A path or the content of a kubeconfig. Default: KUBECONFIG, then ~/.kube/config. */
    kubeconfig?: string;
    /** Default: the current context of the kubeconfig. */
    context?: string;
    /** Default: the cluster of the context. */
    cluster?: string;
    /** Default: the namespace of the context, then `default`. */
    namespace?: string;
    /** Whether to take over an existing object instead of failing. Default: false. */
    upsertExistingObjects: boolean;
    /** Whether the data of a ConfigMap is changed in place instead of by replacing the object. Default: false. */
    enableConfigMapMutable: boolean;
}

/**
 * The settings of a provider: its own inputs if it has any, otherwise the stack's configuration and the environment.
 */
export function clusterSettings(
    inputs: PropertyMap,
    config: Record<string, string>,
    environment: NodeJS.ProcessEnv,
): ClusterSettings {
    const isExplicit = Object.keys(inputs).length > 0;
    const text = (key: string): string | undefined => {
        const value = isExplicit ? inputs[key] : config[`kubernetes:${key}`];
        return typeof value === "string" && value !== "" ? value : undefined;
    };
    const flag = (key: string, variable: string): boolean => {
        const value = isExplicit ? inputs[key] : config[`kubernetes:${key}`];
        return String(value ?? environment[variable] ?? "false") === "true";
    };
    return {
        kubeconfig: text("kubeconfig"),
        context: text("context"),
        cluster: text("cluster"),
        namespace: text("namespace"),
        upsertExistingObjects: flag("upsertExistingObjects", "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"),
        enableConfigMapMutable: flag("enableConfigMapMutable", "PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE"),
    };
}

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
     * Sends a request and returns the answer, whatever its status. @throws ClusterUnreachable if none arrives within 10
     * s
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

/** The cluster could not be queried: there is no kubeconfig, it is invalid, or the server does not answer. */
export class ClusterUnreachable extends Error {}

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

/** Loads the kubeconfig and selects the context. @throws ClusterUnreachable if it cannot be read */
export async function loadKubeconfig(settings: ClusterSettings, folder: string): Promise<KubeConfig> {
    const { KubeConfig } = await import("@kubernetes/client-node");
    const kubeconfig = new KubeConfig();
    try {
        if (settings.kubeconfig === undefined) {
            kubeconfig.loadFromDefault();
        } else if (isContent(settings.kubeconfig)) {
            kubeconfig.loadFromString(settings.kubeconfig);
        } else {
            kubeconfig.loadFromFile(kubeconfigPath(settings.kubeconfig, folder));
        }
    } catch (error) {
        throw new ClusterUnreachable(
            `cannot read the kubeconfig (${describeSource(settings)}): ${(error as Error).message}`,
        );
    }
    if (settings.context !== undefined) {
        if (kubeconfig.getContextObject(settings.context) === null) {
            const names = kubeconfig.getContexts().map(({ name }) => name);
            throw new ClusterUnreachable(
                `the kubeconfig (${describeSource(settings)}) has no context "${settings.context}"; found: ${names.join(", ")}`,
            );
        }
        kubeconfig.setCurrentContext(settings.context);
    }
    if (settings.cluster !== undefined) {
        const context = kubeconfig.getContextObject(kubeconfig.getCurrentContext());
        const other = { name: "overridden", cluster: settings.cluster, user: context?.user ?? "" };
        kubeconfig.addContext({ ...context, ...other });
        kubeconfig.setCurrentContext("overridden");
    }
    return kubeconfig;
}

/** Whether a kubeconfig is given by its content rather than its path: only the content has several lines or is JSON. */
export function isContent(kubeconfig: string): boolean {
    return kubeconfig.includes("\n") || kubeconfig.trimStart().startsWith("{");
}

/** Resolves the path of a kubeconfig. `~` is the home folder, and the program's folder is tried first. */
export function kubeconfigPath(kubeconfig: string, folder: string): string {
    const expanded = kubeconfig.replace(/^~(?=\/|$)/, process.env.HOME ?? "~");
    const inFolder = path.resolve(folder, expanded);
    return existsSync(inFolder) ? inFolder : path.resolve(expanded);
}

/** Where the kubeconfig comes from, for messages. */
export function describeSource({ kubeconfig }: ClusterSettings): string {
    if (kubeconfig !== undefined) {
        return isContent(kubeconfig) ? "given by its content" : kubeconfig;
    }
    return process.env.KUBECONFIG ? `KUBECONFIG=${process.env.KUBECONFIG}` : "~/.kube/config";
}
