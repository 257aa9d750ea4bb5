import { combine } from "../kubernetes/labels";
import type { KubernetesObject } from "../kubernetes/object";
import { podField } from "../kubernetes/podSpec";
import { present } from "../kubernetes/present";
import { type LocalVolumeClass, type LocalVolumesArgs, provisionerImage, provisionerNamespace } from "./spec";

const configFolder = "/etc/provisioner/config";
const metricsPort = 8080;

/**
 * @returns the objects of the local static provisioner and its storage classes, in the order of creation. Facts about the provisioner
 * are those of its own documentation (kubernetes-sigs/sig-storage-local-static-provisioner v2.9.0, docs/provisioner.md).
 */
export function localVolumesManifests(name: string, args: LocalVolumesArgs): KubernetesObject[] {
    const namespace = args.metadata?.namespace ?? provisionerNamespace;
    const selector = { "app.kubernetes.io/instance": name, "app.kubernetes.io/name": "local-volume-provisioner" };
    const labels = combine(selector, { "app.kubernetes.io/managed-by": "pulumi-tidb" });
    const local = { name, namespace, labels };
    // Objects of the whole Kubernetes cluster: the namespace keeps two sets apart.
    const global = { name: `${name}-${namespace}`, labels };
    const account = { kind: "ServiceAccount", name, namespace };
    const role = { kind: "ClusterRole", name: global.name, apiGroup: rbac };
    return [
        { apiVersion: "v1", kind: "ServiceAccount", metadata: local },
        { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: global, rules },
        { apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: global, subjects: [account], roleRef: role },
        { apiVersion: "v1", kind: "ConfigMap", metadata: local, data: { storageClassMap: classMap(args.classes) } },
        ...args.classes.map((one) => storageClass(one, labels)),
        {
            apiVersion: "apps/v1",
            kind: "DaemonSet",
            metadata: local,
            spec: {
                selector: { matchLabels: selector },
                template: { metadata: { labels }, spec: provisionerPod(name, args) },
            },
        },
    ];
}

const rbac = "rbac.authorization.k8s.io";

/** What the provisioner does: it makes and removes volumes, reads their class and its node, and reports. */
const rules = [
    { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch", "create", "delete"] },
    { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["nodes"], verbs: ["get"] },
    { apiGroups: [""], resources: ["events"], verbs: ["watch"] },
    { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "update", "patch"] },
];

/** The provisioner reads YAML, of which JSON is a part. */
function classMap(classes: readonly LocalVolumeClass[]): string {
    const entries = classes.map(({ name, hostDir, volumeMode, fsType, namePattern, blockCleanerCommand }) => [
        name,
        present({ hostDir, mountDir: hostDir, volumeMode, fsType, namePattern, blockCleanerCommand }),
    ]);
    return JSON.stringify(Object.fromEntries(entries), null, 2);
}

function storageClass({ name, reclaimPolicy = "Delete" }: LocalVolumeClass, labels: object): KubernetesObject {
    return {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name, labels: { ...labels } },
        provisioner: "kubernetes.io/no-provisioner",
        reclaimPolicy,
        // The scheduler first finds a node for the pod, and then a volume of that node.
        volumeBindingMode: "WaitForFirstConsumer",
    };
}

function provisionerPod(name: string, args: LocalVolumesArgs): object {
    const { image = provisionerImage, classes, nodeSelector, tolerations, resources, priorityClassName } = args;
    const disks = classes.map(({ hostDir }, index) => ({ hostDir, volume: `class-${index}` }));
    return {
        serviceAccountName: name,
        nodeSelector: combine(nodeSelector, { "kubernetes.io/os": "linux" }),
        ...present({ tolerations, priorityClassName }),
        containers: [
            {
                name: "provisioner",
                image,
                // It reads the sizes of devices, and cleans them.
                securityContext: { privileged: true },
                env: [
                    podField("MY_NODE_NAME", "spec.nodeName"),
                    podField("MY_NAMESPACE", "metadata.namespace"),
                    { name: "JOB_CONTAINER_IMAGE", value: image },
                ],
                ports: [{ name: "metrics", containerPort: metricsPort }],
                readinessProbe: { httpGet: { path: "/ready", port: "metrics" } },
                ...present({ resources }),
                volumeMounts: [
                    { name: "config", mountPath: configFolder, readOnly: true },
                    { name: "devices", mountPath: "/dev" },
                    // Disks that are mounted later are seen too.
                    ...disks.map(({ volume, hostDir }) => ({
                        name: volume,
                        mountPath: hostDir,
                        mountPropagation: "HostToContainer",
                    })),
                ],
            },
        ],
        volumes: [
            { name: "config", configMap: { name } },
            { name: "devices", hostPath: { path: "/dev" } },
            ...disks.map(({ volume, hostDir }) => ({ name: volume, hostPath: { path: hostDir } })),
        ],
    };
}
