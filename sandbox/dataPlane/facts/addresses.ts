/** What joins PD as a store. */
export type Engine = "tikv" | "tiflash";

/** The port of a store's address in PD. */
export const storePorts: Readonly<Record<Engine, number>> = { tikv: 20160, tiflash: 3930 };

/** The labels that a store of an engine has by itself. PD tells TiFlash from TiKV by them. */
export function engineLabels(engine: Engine): Record<string, string> {
    return engine === "tiflash" ? { engine } : {};
}

/** A pod's name in DNS. `service`: its headless Service. `domain`: that of its Kubernetes cluster, where addresses say it. */
export function podHost(pod: string, service: string, namespace: string, domain?: string): string {
    return `${pod}.${service}.${namespace}.svc${domain ? `.${domain}` : ""}`;
}

/** Where a PD member is reached: by the other members, and by everybody else. */
export function memberUrls(host: string, scheme: "http" | "https" = "http"): { peer: string; client: string } {
    return { peer: `${scheme}://${host}:2380`, client: `${scheme}://${host}:2379` };
}
