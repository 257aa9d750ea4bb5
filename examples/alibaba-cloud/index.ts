import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";

const config = new pulumi.Config();
// `pulumi destroy` deletes this namespace, and with it the volumes. `{ retainOnDelete: true }` as its third argument keeps both.
const namespace = new k8s.core.v1.Namespace("tidb", { metadata: { name: config.get("namespace") ?? "tidb" } });

// The performance level decides how many IOPS a disk of this size has.
const storage = new k8s.storage.v1.StorageClass("tidb", {
    metadata: { name: "tidb-essd" },
    provisioner: "diskplugin.csi.alibabacloud.com",
    parameters: { type: "cloud_essd", performanceLevel: "PL1" },
    mountOptions: ["nodelalloc", "noatime"],
    // A disk is made in the zone of its pod.
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
    // A disk outlives its claim, so a deleted namespace does not delete the data.
    reclaimPolicy: "Retain",
});

const isDedicated = config.getBoolean("dedicatedNodes") ?? true;

// Nodes that are labelled and tainted `dedicated=<member>`.
const ownNodes = (member: string) => ({
    nodeSelector: { dedicated: member },
    tolerations: [{ key: "dedicated", operator: "Equal", value: member, effect: "NoSchedule" }],
});

// One pod of a member per node.
const placement = (member: string) => ({
    ...(isDedicated && ownNodes(member)),
    affinity: {
        podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
                {
                    topologyKey: "kubernetes.io/hostname",
                    labelSelector: {
                        matchLabels: {
                            "app.kubernetes.io/instance": "main",
                            "app.kubernetes.io/component": member,
                        },
                    },
                },
            ],
        },
    },
});

const cluster = new TidbCluster("main", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        version: config.get("version") ?? "v8.5.3",
        // The pods of each member are spread evenly over the zones.
        topologySpreadConstraints: [{ topologyKey: "topology.kubernetes.io/zone" }],
        pd: {
            replicas: 3,
            storageClassName: storage.metadata.name,
            requests: { cpu: "2", memory: "4Gi", storage: "20Gi" },
            config: {},
            ...placement("pd"),
        },
        tikv: {
            replicas: 3,
            storageClassName: storage.metadata.name,
            requests: { cpu: "4", memory: "16Gi", storage: config.get("tikvStorage") ?? "500Gi" },
            limits: { memory: "16Gi" },
            config: {},
            ...placement("tikv"),
        },
        tidb: {
            replicas: 2,
            requests: { cpu: "4", memory: "8Gi" },
            config: {},
            service: {
                type: "LoadBalancer",
                exposeStatus: false,
                // A node without a TiDB pod gets no connections.
                externalTrafficPolicy: "Local",
                annotations: { "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type": "intranet" },
            },
            ...placement("tidb"),
        },
    },
});

export const host = cluster.sqlEndpoint;

// The first of TiDB's Services is the one for clients. The cloud assigns its addresses some time later.
export const addresses = cluster.members.tidb?.services[0].status.apply(
    (status) => status?.loadBalancer?.ingress?.map(({ hostname, ip }) => hostname ?? ip) ?? [],
);
