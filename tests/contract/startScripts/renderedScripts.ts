import { checkManifest } from "../../../components/checkManifest";
import type { Container } from "../../../components/kubernetes/pod";
import { renderCluster } from "../../../components/render";

type Change = (spec: Record<string, any>) => void; // eslint-disable-line @typescript-eslint/no-explicit-any -- as users write it

const tls: Change = (spec) => (spec.tlsCluster = { enabled: true });
const across: Change = (spec) => {
    Object.assign(spec, { acrossK8s: true, clusterDomain: "one.example" });
    delete spec.tiproxy;
};
const second: Change = (spec) => (spec.startScriptVersion = "v2");

/** What start scripts differ by. */
export const variants: Readonly<Record<string, readonly Change[]>> = {
    plain: [],
    "second scripts": [second],
    "with TLS": [tls],
    "with IPv6": [(spec) => (spec.preferIPv6 = true)],
    "across Kubernetes clusters": [across],
    "across Kubernetes clusters, second scripts": [across, second],
    "across Kubernetes clusters, with TLS of discovery": [
        across,
        (spec) => (spec.tlsCluster = { enabled: true, enableDiscoveryMTLS: true }),
    ],
    "joining another cluster": [
        (spec) => {
            delete spec.pd;
            spec.cluster = { name: "first", namespace: "other" };
        },
    ],
    microservices: [
        (spec) => {
            spec.pd.mode = "ms";
            spec.pdms = ["tso", "scheduling"].map((name) => ({ name, replicas: 2 }));
        },
    ],
};

const storage = { requests: { storage: "1Gi" } };

/** @returns every script of a cluster with all members, by `member` or `member/container`, as its containers run it. */
export function renderedScripts(variant: string): Record<string, string> {
    const spec: Record<string, unknown> = {
        version: "v8.5.3",
        pd: { replicas: 3, ...storage, config: {} },
        tikv: { replicas: 3, ...storage, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
        tiflash: { replicas: 1, storageClaims: [{ resources: storage }], config: {} },
        pump: { replicas: 1, ...storage, config: {} },
        ticdc: { replicas: 1, config: {} },
        tiproxy: { version: "v1.3.0", replicas: 1, config: {} },
    };
    variants[variant].forEach((change) => change(spec));
    const { manifest } = checkManifest({ metadata: { name: "basic", namespace: "tidb" }, spec });
    const scripts: Record<string, string> = {};
    for (const object of renderCluster(manifest)) {
        const name = object.metadata.name.replace(/^basic-/, "");
        const script = (object.data as Record<string, string> | undefined)?.["startup-script"];
        if (object.kind === "ConfigMap" && script) {
            scripts[name] = script;
        }
        if (object.kind === "StatefulSet") {
            const { containers, initContainers = [] } = object.spec.template.spec as Record<string, Container[]>;
            for (const { name: container, command = [], args = [] } of [...initContainers, ...containers]) {
                const words = [...command, ...args] as string[];
                const at = words.indexOf("-c");
                if (at > 0 && /sh$/.test(words[at - 1])) {
                    scripts[`${name}/${container}`] = words[at + 1];
                }
            }
        }
    }
    return scripts;
}
