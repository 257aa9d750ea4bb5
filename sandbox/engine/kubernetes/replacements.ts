import { pathContains } from "../propertyPath";

/**
 * Properties that Kubernetes does not allow to change, so a change replaces the object. This is a property of the
 * Kubernetes API; pulumi-kubernetes has the same list (provider/pkg/provider/diff.go).
 */
const identity = ["metadata.name", "metadata.namespace"];

const immutable: Record<string, string[]> = {
    "apps/DaemonSet": ["spec.selector"],
    "apps/Deployment": ["spec.selector"],
    "apps/StatefulSet": [
        "spec.podManagementPolicy",
        "spec.revisionHistoryLimit",
        "spec.selector",
        "spec.serviceName",
        "spec.volumeClaimTemplates",
    ],
    "batch/Job": ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"],
    "policy/PodDisruptionBudget": [],
    "rbac.authorization.k8s.io/RoleBinding": ["roleRef"],
    "rbac.authorization.k8s.io/ClusterRoleBinding": ["roleRef"],
    "storage.k8s.io/StorageClass": ["parameters", "provisioner"],
    "/ConfigMap": ["binaryData", "data"],
    "/Secret": ["type", "stringData", "data"],
    "/Service": ["spec.clusterIP"],
    "/ResourceQuota": ["spec.scopes"],
    "/PersistentVolumeClaim": ["spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"],
    "/Pod": [
        "spec.affinity",
        "spec.containers[*].args",
        "spec.containers[*].command",
        "spec.containers[*].env",
        "spec.containers[*].image",
        "spec.containers[*].ports",
        "spec.containers[*].resources",
        "spec.containers[*].volumeMounts",
        "spec.nodeName",
        "spec.nodeSelector",
        "spec.restartPolicy",
        "spec.serviceAccountName",
        "spec.volumes",
    ],
};

/**
 * Returns the changed paths that force a replacement.
 *
 * @param mutableConfigMaps The provider's `enableConfigMapMutable`: only a ConfigMap with `immutable: true` is replaced.
 */
export function replacingPaths(
    object: { apiVersion: string; kind: string; immutable?: unknown },
    paths: string[],
    mutableConfigMaps = false,
): string[] {
    const group = object.apiVersion.includes("/") ? object.apiVersion.split("/")[0] : "";
    const kind = `${group}/${object.kind}`;
    const isMutable = kind === "/ConfigMap" && mutableConfigMaps && object.immutable !== true;
    const forcing = [...identity, ...(isMutable ? [] : (immutable[kind] ?? []))];
    return paths.filter((path) => forcing.some((each) => pathContains(each, path) || pathContains(path, each)));
}
