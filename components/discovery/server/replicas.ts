import { readFileSync } from "node:fs";
import { httpGet } from "./httpGet";
import type { Ordinals } from "./model";

/** How long an answer of the API server is cached, in milliseconds. */
const cacheMilliseconds = 1_000;
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** URL of the API server, and the credentials for it. */
export interface ApiServer {
    readonly url: string;
    readonly token: () => string;
    readonly ca: () => string | undefined;
}

/** @returns the API server of the pod's Kubernetes cluster. Throws outside a pod. */
export function apiServerOfPod(environment: Readonly<Record<string, string | undefined>>): ApiServer {
    const host = environment.KUBERNETES_SERVICE_HOST;
    if (!host) {
        throw new Error("KUBERNETES_SERVICE_HOST is not set: discovery must run in a pod with a service account");
    }
    const name = host.includes(":") ? `[${host}]` : host;
    return {
        url: `https://${name}:${environment.KUBERNETES_SERVICE_PORT_HTTPS ?? "443"}`,
        token: () => readFileSync(`${serviceAccount}/token`, "utf8").trim(),
        ca: () => readFileSync(`${serviceAccount}/ca.crt`, "utf8"),
    };
}

/** Reads the existing and desired ordinals of PD. */
export type ReadOrdinals = () => Promise<Ordinals>;

/**
 * Creates a function that reads PD's StatefulSet from the API server, so a scale-out does not have to restart discovery,
 * which would lose its state. The Role grants only `get` on this object. An answer is cached for a second.
 */
export function ordinalsReader(
    server: ApiServer,
    namespace: string,
    statefulSet: string,
    now: () => number,
    timeoutMilliseconds: number,
): ReadOrdinals {
    let cached: { at: number; ordinals: Ordinals } | undefined;
    return async () => {
        if (cached && now() - cached.at < cacheMilliseconds) {
            return cached.ordinals;
        }
        const ordinals = await read();
        cached = "problem" in ordinals ? undefined : { at: now(), ordinals };
        return ordinals;
    };

    async function read(): Promise<Ordinals> {
        try {
            const ca = server.ca();
            const { status, body } = await httpGet(
                `${server.url}/apis/apps/v1/namespaces/${namespace}/statefulsets/${statefulSet}`,
                {
                    timeoutMilliseconds,
                    headers: { Authorization: `Bearer ${server.token()}`, Accept: "application/json" },
                    tls: ca === undefined ? undefined : { ca },
                },
            );
            return status === 200
                ? { ordinals: ordinalsOf(JSON.parse(body)) }
                : {
                      problem: `GET statefulset ${namespace}/${statefulSet}: HTTP ${status} ${body.slice(0, 200).trim()}`,
                  };
        } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            return { problem: `GET statefulset ${namespace}/${statefulSet}: ${message}` };
        }
    }
}

interface StatefulSetCounts {
    spec?: { replicas?: number; ordinals?: { start?: number } };
    status?: { replicas?: number };
}

/** @returns the desired ordinals of a StatefulSet, and the higher ones whose pods still exist. */
export function ordinalsOf(statefulSet: StatefulSetCounts): number[] {
    const first = statefulSet.spec?.ordinals?.start ?? 0;
    const count = Math.max(statefulSet.spec?.replicas ?? 1, statefulSet.status?.replicas ?? 0);
    return Array.from({ length: count }, (_, index) => first + index);
}
