import type { KubernetesFields } from "../kubernetes/pod";
import type { DiscoverySpec } from "./spec";

/**
 * tidb-operator's annotation of the discovery Deployment: the pod that it would make for this cluster, as JSON. It is
 * kept as the operator has it, so that objects compare equal; our own pod is in the template. An operator of a release
 * has another image than this text names, so that one which takes the cluster back replaces our pod by its own
 * (tidb-operator pkg/manager/member/tidb_discovery_manager.go).
 */
export const operatorRecordAnnotation = "pingcap.com/last-applied-podtemplate";

/** Variables that the operator sets on its discovery. */
const operatorVariables = ["MY_POD_NAMESPACE", "TZ", "TC_NAME", "TC_TLS_ENABLED", "DISCOVERY_MTLS_ENABLED"];

/** Fields of a pod in the order in which the operator writes them: that of Kubernetes' Go types. Others by name. */
const fieldOrder = [
    ...["volumes", "initContainers", "containers", "name", "secret", "image", "command", "args", "workingDir"],
    ...["hostPort", "containerPort", "protocol", "ports", "envFrom", "env", "value", "valueFrom", "resources"],
    ...["limits", "requests", "readOnly", "mountPath", "subPath", "volumeMounts", "livenessProbe", "readinessProbe"],
    ...["startupProbe", "lifecycle", "imagePullPolicy", "restartPolicy", "terminationGracePeriodSeconds", "dnsPolicy"],
    ...["nodeSelector", "serviceAccountName", "automountServiceAccountToken", "hostNetwork", "securityContext"],
    ...["imagePullSecrets", "affinity", "schedulerName", "key", "operator", "tolerations", "priorityClassName"],
    ...["dnsConfig", "maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector", "topologySpreadConstraints"],
];

/** @returns the annotation's value, made from our own pod: what is ours in it replaced by what is the operator's. */
export function operatorRecord(pod: KubernetesFields, spec: DiscoverySpec): string {
    const own = (pod.containers as KubernetesFields[]).find(({ name }) => name === "discovery") ?? {};
    const known = [...operatorVariables, ...(spec.env ?? []).map(({ name }) => name)];
    const named = (items: unknown): KubernetesFields[] => (items as KubernetesFields[] | undefined) ?? [];
    const withoutServer = (items: unknown) => named(items).filter(({ name }) => name !== "server");
    const container = {
        ...own,
        image: spec.image ?? "pingcap/tidb-operator:latest",
        command: ["/usr/local/bin/tidb-discovery"],
        env: named(own.env).filter(({ name }) => known.includes(String(name))),
        volumeMounts: withoutServer(own.volumeMounts),
    };
    const others = named(pod.containers).filter(({ name }) => name !== "discovery");
    const operatorPod = { ...pod, containers: [container, ...others], volumes: withoutServer(pod.volumes) };
    return JSON.stringify(ordered(operatorPod)).replaceAll('managed-by":"pulumi-tidb"', 'managed-by":"tidb-operator"');
}

function ordered(value: unknown): unknown {
    if (Array.isArray(value)) {
        return value.map(ordered);
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    const rank = (key: string) => (fieldOrder.includes(key) ? fieldOrder.indexOf(key) : fieldOrder.length);
    const entries = Object.entries(value)
        .filter(([key, inner]) => key === "resources" || !isEmpty(inner))
        .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
}

function isEmpty(value: unknown): boolean {
    return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}
