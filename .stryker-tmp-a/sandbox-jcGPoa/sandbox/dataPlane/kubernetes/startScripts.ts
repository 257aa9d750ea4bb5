import type { V1ConfigMap, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** A TiDB cluster of the sandbox. */
export interface ClusterKey {
    namespace: string;
    name: string;
}

/** What the pods' start scripts say of the PD that they go to. */
export interface KnownStartScripts {
    /** Takes note of a ConfigMap. It stays known once it is deleted: pods that mount it go on. */
    see(configMap: V1ConfigMap): void;
    /**
     * The cluster whose PD the pod goes to; `own` where its script names no other, undefined while a ConfigMap that it
     * mounts is not there: its process has not started.
     */
    pdOf(pod: V1Pod): ClusterKey | "own" | undefined;
}

/** An address of another cluster's PD: its own is named without a namespace, or asked of discovery. */
const otherPd = /\b([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)-pd\.([a-z0-9-]+)(?:\.svc[a-z0-9.-]*)?:2379/;

/** Keeps what is known of start scripts. */
export function knownStartScripts(): KnownStartScripts {
    const known = new Map<string, ClusterKey | "own">();
    return {
        see: (configMap) => {
            const [, name, namespace] = otherPd.exec(configMap.data?.["startup-script"] ?? "") ?? [];
            const { metadata } = configMap;
            known.set(`${metadata?.namespace}/${metadata?.name}`, name ? { name, namespace } : "own");
        },
        pdOf: (pod) => {
            const names = pod.spec?.volumes?.flatMap(({ configMap }) => configMap?.name ?? []) ?? [];
            const found = names.map((name) => known.get(`${pod.metadata?.namespace}/${name}`));
            return found.includes(undefined) ? undefined : (found.find((one) => one !== "own") ?? "own");
        },
    };
}
