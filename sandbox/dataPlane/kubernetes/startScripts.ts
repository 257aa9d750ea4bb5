import type { V1ConfigMap, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** A TiDB cluster in the sandbox. */
export interface ClusterKey {
    namespace: string;
    name: string;
}

/** Which PD the pods use, according to their start scripts. */
export interface KnownStartScripts {
    /** Records a ConfigMap. It is kept after its deletion, because pods that mount it keep running. */
    update(configMap: V1ConfigMap): void;
    /**
     * The cluster whose PD the pod uses. `own` if its script names no other cluster. Undefined while a mounted
     * ConfigMap is missing, because then its process has not started.
     */
    pdOf(pod: V1Pod): ClusterKey | "own" | undefined;
}

/** The address of another cluster's PD. A script names its own PD without a namespace or asks discovery. */
const otherPd = /\b([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)-pd\.([a-z0-9-]+)(?:\.svc[a-z0-9.-]*)?:2379/;

/** Creates a record of start scripts. */
export function knownStartScripts(): KnownStartScripts {
    const known = new Map<string, ClusterKey | "own">();
    return {
        update: (configMap) => {
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
