import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** The provisioner of classes whose volumes exist before their claims. */
export const noProvisioner = "kubernetes.io/no-provisioner";
/** The pods of the local static provisioner. */
export const provisionerSelector = "app.kubernetes.io/name=local-volume-provisioner";

/** How many disks each node has in the folder of a class. */
const disksPerNode = 4;
const diskSize = "1Ti";
const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** What the local static provisioner reads of a class in its ConfigMap. */
export interface DiskClass {
    readonly hostDir: string;
    readonly volumeMode?: string;
}

/** The volumes that a provisioner finds on its node for a class: one for each disk. They can only be used on that node. */
export function diskVolumes(
    node: string,
    className: string,
    { hostDir, volumeMode }: DiskClass,
    reclaimPolicy: string | undefined,
): k8s.V1PersistentVolume[] {
    return Array.from({ length: disksPerNode }, (_, index) => ({
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: {
            name: `local-${node}-${className}-${index}`,
            annotations: { [provisionedBy]: `local-volume-provisioner-${node}` },
        },
        spec: {
            capacity: { storage: diskSize },
            accessModes: ["ReadWriteOnce"],
            volumeMode: volumeMode ?? "Filesystem",
            storageClassName: className,
            persistentVolumeReclaimPolicy: reclaimPolicy ?? "Delete",
            local: { path: `${hostDir}/disk-${index}` },
            nodeAffinity: {
                required: {
                    nodeSelectorTerms: [
                        { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] },
                    ],
                },
            },
        },
    }));
}

/** The disk of a volume whose claim is gone, cleaned: it becomes a new volume. Undefined if the volume keeps its data or is used. */
export function cleanedVolume({ metadata, spec, status }: k8s.V1PersistentVolume): k8s.V1PersistentVolume | undefined {
    const isOurs = metadata?.annotations?.[provisionedBy]?.startsWith("local-volume-provisioner-") === true;
    if (!isOurs || status?.phase !== "Released" || spec?.persistentVolumeReclaimPolicy !== "Delete") {
        return undefined;
    }
    const { name, annotations } = metadata;
    return {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name, annotations: { [provisionedBy]: annotations?.[provisionedBy] ?? "" } },
        spec: { ...spec, claimRef: undefined },
    };
}

/** The node of a running provisioner, and the name of its ConfigMap. Undefined until it is Ready. */
export function runningProvisioner(pod: k8s.V1Pod): { node: string; namespace: string; configMap: string } | undefined {
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    const configMap = pod.spec?.volumes?.find((volume) => volume.configMap)?.configMap?.name;
    const { nodeName } = pod.spec ?? {};
    return isReady && configMap !== undefined && nodeName !== undefined
        ? { node: nodeName, namespace: pod.metadata?.namespace ?? "", configMap }
        : undefined;
}
