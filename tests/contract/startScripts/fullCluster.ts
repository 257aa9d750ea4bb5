import type { KubernetesFields } from "../../../components/kubernetes/pod";

const annotation = "tidb.pingcap.com/sysctl-init";
const storage = { requests: { storage: "1Gi" } };
const volumes = {
    additionalVolumes: [{ name: "more", emptyDir: {} }],
    additionalVolumeMounts: [{ name: "more", mountPath: "/more" }],
};
const kernel = { sysctls: [{ name: "net.core.somaxconn", value: "32768" }] };

/** A cluster in which all that can be part of a script is. */
function fullCluster(spec: KubernetesFields): KubernetesFields {
    return {
        metadata: { name: "basic", namespace: "db" },
        spec: {
            version: "v8.5.3",
            clusterDomain: "cluster.local",
            annotations: { [annotation]: "true" },
            podSecurityContext: kernel,
            helper: { image: "busybox:1.26.2" },
            pd: { replicas: 3, ...storage, dataSubDir: "data", initWaitTime: 1, config: { log: { level: "info" } } },
            tikv: {
                replicas: 3,
                ...storage,
                ...volumes,
                dataSubDir: "data",
                separateRaftLog: true,
                raftLogVolumeName: "more",
                separateRocksDBLog: true,
                rocksDBLogVolumeName: "more",
                podSecurityContext: kernel,
                config: { log: { level: "info" } },
            },
            tidb: {
                replicas: 2,
                ...volumes,
                slowLogVolumeName: "more",
                plugins: ["audit-1"],
                arguments: ["--run-ddl=false"],
                customizedStartupProbe: { image: "probe:1", binaryName: "probe", args: ["-v"] },
                readinessProbe: { type: "command" },
                config: { log: { level: "info" } },
            },
            tiflash: {
                replicas: 1,
                storageClaims: [{ resources: storage }],
                config: {
                    config: {
                        logger: { log: "/data0/logs/server.log", errorlog: "/data0/logs/error.log" },
                        flash: { flash_cluster: { log: "/data0/logs/cluster.log" } },
                    },
                },
            },
            pump: { replicas: 1, ...storage, config: { "log-level": "info" } },
            ticdc: { replicas: 1, config: { "log-level": "info", "log-file": "/var/log/cdc", tz: "UTC" } },
            tiproxy: { version: "v1.3.0", replicas: 1, config: { log: { level: "info" } } },
            ...spec,
        },
    };
}

const addresses = {
    startScriptVersion: "v2",
    startScriptV2FeatureFlags: ["PreferPDAddressesOverDiscovery"],
    pdAddresses: ["http://pd.example.org:2379"],
};
/** Clusters whose scripts differ. */
export const variants: Readonly<Record<string, KubernetesFields>> = {
    "of one Kubernetes cluster": fullCluster({}),
    "across Kubernetes clusters": fullCluster({
        acrossK8s: true,
        tlsCluster: { enabled: true, enableDiscoveryMTLS: true },
    }),
    "with the second scripts and addresses of PD": fullCluster(addresses),
    "of microservices": fullCluster({
        pd: { replicas: 3, ...storage, mode: "ms", startTimeout: 9 },
        pdms: [{ name: "tso", replicas: 2, podSecurityContext: kernel }],
    }),
    "that joins another": fullCluster({
        pd: undefined,
        cluster: { name: "first", namespace: "other", clusterDomain: "one.example" },
    }),
};

/** @returns the path of each text in a value, its parts separated by new lines. */
export function textPaths(value: unknown, path = ""): string[] {
    return typeof value === "string"
        ? [path]
        : typeof value === "object" && value !== null
          ? Object.entries(value).flatMap(([key, inner]) => textPaths(inner, path === "" ? key : `${path}\n${key}`))
          : [];
}

/** @returns a copy with another text at a path of `textPaths`. */
export function withText<T>(value: T, path: string, text: string): T {
    const copy = structuredClone(value);
    const parts = path.split("\n");
    const parent = parts.slice(0, -1).reduce((at, part) => at[part] as KubernetesFields, copy as KubernetesFields);
    parent[parts[parts.length - 1]] = text;
    return copy;
}
