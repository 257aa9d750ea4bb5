import { readFileSync } from "node:fs";
import { httpGet } from "./httpGet";
import type { Ordinals } from "./model";

/** How long an answer of the API server is used again, in milliseconds. */
const cacheMilliseconds = 1_000;
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Where the API server is, and how to present oneself. */
export interface ApiServer {
    readonly url: string;
    readonly token: () => string;
    readonly ca: () => string | undefined;
}

/** The API server of the cluster that the pod runs in. Throws when it does not run in one. */
export function apiServerOfPod(environment: Readonly<Record<string, string | undefined>>): ApiServer {
    const host = environment.KUBERNETES_SERVICE_HOST;
    if (!host) {
        throw new Error("KUBERNETES_SERVICE_HOST is not set: discovery runs in a pod, with a service account");
    }
    const name = host.includes(":") ? `[${host}]` : host;
    return {
        url: `https://${name}:${environment.KUBERNETES_SERVICE_PORT_HTTPS ?? "443"}`,
        token: () => readFileSync(`${serviceAccount}/token`, "utf8").trim(),
        ca: () => readFileSync(`${serviceAccount}/ca.crt`, "utf8"),
    };
}

/** Reads which ordinals PD has or wants. */
export type ReadOrdinals = () => Promise<Ordinals>;

/**
 * Reads PD's StatefulSet, live: a scale-out must not restart discovery, which would forget. The Role grants `get` on this
 * one object only. An answer is used for a second.
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

/** The ordinals that a StatefulSet wants, and those above them whose pods still exist. */
export function ordinalsOf(statefulSet: StatefulSetCounts): number[] {
    const first = statefulSet.spec?.ordinals?.start ?? 0;
    const count = Math.max(statefulSet.spec?.replicas ?? 1, statefulSet.status?.replicas ?? 0);
    return Array.from({ length: count }, (_, index) => first + index);
}
