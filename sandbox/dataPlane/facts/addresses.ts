/** The engines that join PD as a store. */
export type Engine = "tikv" | "tiflash";

/** The port in a store's address in PD. */
export const storePorts: Readonly<Record<Engine, number>> = { tikv: 20160, tiflash: 3930 };

/** The labels that a store has because of its engine. PD tells TiFlash from TiKV by them. */
export function engineLabels(engine: Engine): Record<string, string> {
    return engine === "tiflash" ? { engine } : {};
}

/**
 * A pod's DNS name. `service` is its headless Service. `domain` is that of its Kubernetes cluster, if addresses contain
 * it.
 */
export function podHost(pod: string, service: string, namespace: string, domain?: string): string {
    return `${pod}.${service}.${namespace}.svc${domain ? `.${domain}` : ""}`;
}

/** The URLs of a PD member: for the other members, and for clients. */
export function memberUrls(host: string, scheme: "http" | "https" = "http"): { peer: string; client: string } {
    return { peer: `${scheme}://${host}:2380`, client: `${scheme}://${host}:2379` };
}
