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
    /** The configuration that a process reads which starts now in the pod; empty if its ConfigMap has none. */
    configOf(pod: V1Pod): Readonly<Record<string, unknown>>;
}

/** The address of another cluster's PD. A script names its own PD without a namespace or asks discovery. */
const otherPd = /\b([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)-pd\.([a-z0-9-]+)(?:\.svc[a-z0-9.-]*)?:2379/;

/** Creates a record of start scripts. */
export function knownStartScripts(): KnownStartScripts {
    const known = new Map<string, ClusterKey | "own">();
    const configs = new Map<string, Readonly<Record<string, unknown>>>();
    const namesOf = (pod: V1Pod): string[] =>
        (pod.spec?.volumes?.flatMap(({ configMap }) => configMap?.name ?? []) ?? []).map(
            (name) => `${pod.metadata?.namespace}/${name}`,
        );
    return {
        update: (configMap) => {
            const [, name, namespace] = otherPd.exec(configMap.data?.["startup-script"] ?? "") ?? [];
            const { metadata } = configMap;
            const key = `${metadata?.namespace}/${metadata?.name}`;
            known.set(key, name ? { name, namespace } : "own");
            configs.set(key, readToml(configMap.data?.["config-file"]));
        },
        pdOf: (pod) => {
            const found = namesOf(pod).map((name) => known.get(name));
            return found.includes(undefined) ? undefined : (found.find((one) => one !== "own") ?? "own");
        },
        configOf: (pod) =>
            Object.assign({}, ...namesOf(pod).map((name) => configs.get(name) ?? {})) as object as Readonly<
                Record<string, unknown>
            >,
    };
}

/** A configuration that is not valid TOML keeps a real process from starting; here it has no effect. */
function readToml(text = ""): Readonly<Record<string, unknown>> {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- an ES module, which has a CommonJS form too
    const toml = require("smol-toml") as typeof import("smol-toml", { with: { "resolution-mode": "import" } });
    try {
        return toml.parse(text);
    } catch (error) {
        if (!(error instanceof toml.TomlError)) {
            throw error;
        }
        return {};
    }
}
