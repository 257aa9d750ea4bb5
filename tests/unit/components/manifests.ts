import { checkManifest } from "../../../components/checkManifest";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import { ManifestError, type SpecProblem } from "../../../components/problem";
import { clusterObjects } from "../../../components/render";

/** A manifest as a user writes it, open to be changed by a test. */
export interface OpenManifest {
    metadata: KubernetesFields;
    spec: KubernetesFields;
    [field: string]: unknown;
}

/** A small cluster in which nothing is doubtful. */
export function smallCluster(change: (manifest: OpenManifest) => void = () => {}): OpenManifest {
    const manifest: OpenManifest = {
        apiVersion: "pingcap.com/v1alpha1",
        kind: "TidbCluster",
        metadata: { name: "shop", namespace: "stores" },
        spec: {
            version: "v8.5.3",
            pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
            tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
            tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
        },
    };
    change(manifest);
    return manifest;
}

/** Everything that the checks say about a manifest. */
export function problemsOf(manifest: unknown): readonly SpecProblem[] {
    try {
        return checkManifest(manifest).warnings;
    } catch (error) {
        if (error instanceof ManifestError) {
            return error.problems;
        }
        throw error;
    }
}

/** The objects of a manifest that must be valid, by `Kind/name`. */
export function objectsOf(manifest: unknown): Map<string, KubernetesObject> {
    const objects = clusterObjects(checkManifest(manifest));
    return new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
}

/** One object of the changed small cluster. */
export function objectOf(key: string, change?: (manifest: OpenManifest) => void): KubernetesObject {
    const object = objectsOf(smallCluster(change)).get(key);
    if (object === undefined) {
        throw new Error(`no ${key} was rendered`);
    }
    return object;
}

/** The pod of a member of the changed small cluster. */
export function podOf(member: string, change?: (manifest: OpenManifest) => void): KubernetesFields {
    return objectOf(`StatefulSet/shop-${member}`, change).spec.template.spec;
}

/** A container of such a pod. */
export function containerOf(member: string, name: string, change?: (manifest: OpenManifest) => void): KubernetesFields {
    const pod = podOf(member, change);
    const all: KubernetesFields[] = [...(pod.initContainers ?? []), ...pod.containers];
    const container = all.find((candidate) => candidate.name === name);
    if (container === undefined) {
        throw new Error(`${member}'s pod has no container ${name}`);
    }
    return container;
}
