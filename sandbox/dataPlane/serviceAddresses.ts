import type { ServedClusters } from "./servedClusters";

/**
 * The variable of a process that says which loopback addresses stand for an address of the cluster, as a JSON object:
 * `{"basic-pd.tidb:2379": ["127.0.0.1:41234"]}`. A process of this machine cannot look up the names of Services.
 */
export const addressesVariable = "PULUMI_TIDB_SANDBOX_ADDRESSES";

/** Loopback addresses by the address of a Service, as pods know it. */
export type ServiceAddresses = Readonly<Record<string, readonly string[]>>;

const pdPort = 2379;

/** The addresses of the clusters' PD, by each name with which a pod of the given namespace finds it. */
export function pdAddresses({ serving }: Pick<ServedClusters, "serving">, podNamespace: string): ServiceAddresses {
    const addresses: Record<string, readonly string[]> = {};
    for (const { view, pdUrls } of serving.values()) {
        const { namespace, name } = view;
        const loopback = pdUrls().map((url) => new URL(url).host);
        const own = namespace === podNamespace ? [""] : [];
        for (const suffix of [...own, `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`]) {
            addresses[`${name}-pd${suffix}:${pdPort}`] = loopback;
        }
    }
    return addresses;
}
