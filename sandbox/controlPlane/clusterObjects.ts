import { loopback } from "./arguments";

/** The sandbox's default storage class. */
export const storageClassName = "sandbox";
/** The provisioner's name: the claim binder creates the volumes. */
export const provisionerName = "sandbox.pulumi-tidb/volumes";

const zones = ["zone-a", "zone-b", "zone-c"];

/**
 * A node. Nodes are spread over three zones, are large enough for any cluster, and have KWOK's server as their kubelet.
 */
export function nodeObject(index: number, kubeletPort: number, now: Date): object {
    const name = `node-${index}`;
    const resources = { cpu: "256", memory: "2Ti", pods: "1000", "ephemeral-storage": "10Ti" };
    return {
        apiVersion: "v1",
        kind: "Node",
        metadata: {
            name,
            labels: {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "topology.kubernetes.io/region": "region-1",
                "topology.kubernetes.io/zone": zones[index % zones.length],
            },
        },
        status: {
            addresses: [
                { type: "InternalIP", address: loopback },
                { type: "Hostname", address: name },
            ],
            daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
            capacity: resources,
            allocatable: resources,
            conditions: [nodeCondition("Ready", now)],
        },
    };
}

/** A condition of a node that is well, as its kubelet writes it. */
export function nodeCondition(type: string, now: Date): object {
    const isReady = type === "Ready";
    return {
        type,
        status: isReady ? "True" : "False",
        reason: isReady ? "KubeletReady" : `KubeletHasNo${type}`,
        message: "simulated by KWOK",
        lastHeartbeatTime: now.toISOString(),
        lastTransitionTime: now.toISOString(),
    };
}

/** The default storage class. The claim binder binds its claims, and those of any other class that exists and has a provisioner. */
export function storageClassObject(): object {
    return {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: storageClassName, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: provisionerName,
        reclaimPolicy: "Delete",
        volumeBindingMode: "Immediate",
        allowVolumeExpansion: true,
    };
}

const text = { type: "string" };
const port = { type: "integer", format: "int32" };
const forwards = {
    type: "array",
    items: {
        type: "object",
        properties: {
            ports: { type: "array", items: port },
            target: { type: "object", required: ["address", "port"], properties: { address: text, port } },
            command: { type: "array", items: text },
        },
    },
};
const podSelector = {
    type: "object",
    properties: {
        matchNamespaces: { type: "array", items: text },
        matchNames: { type: "array", items: text },
    },
};

const logs = {
    type: "array",
    items: {
        type: "object",
        properties: { containers: { type: "array", items: text }, logsFile: text, previousLogsFile: text },
    },
};

/**
 * KWOK's kinds that this sandbox uses: those that define the target of a port-forward, for a single pod and for all pods of a selector, and the one
 * that names the files with the logs of a pod.
 */
export function kwokDefinitions(): object[] {
    return [
        customResource("PortForward", "portforwards", "Namespaced", { forwards }),
        customResource("ClusterPortForward", "clusterportforwards", "Cluster", { selector: podSelector, forwards }),
        customResource("Logs", "logs", "Namespaced", { logs }),
    ];
}

function customResource(kind: string, plural: string, scope: "Namespaced" | "Cluster", properties: object): object {
    const group = "kwok.x-k8s.io";
    const singular = kind.toLowerCase();
    const required = Object.keys(properties).filter((field) => field !== "selector");
    const spec = { type: "object", required, properties };
    return {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `${plural}.${group}` },
        spec: {
            group,
            scope,
            names: { kind, listKind: `${kind}List`, singular, plural },
            versions: [
                {
                    name: "v1alpha1",
                    served: true,
                    storage: true,
                    schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec } } },
                },
            ],
        },
    };
}
