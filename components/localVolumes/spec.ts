import type { KubernetesFields } from "../kubernetes/pod";

/**
 * A storage class of local volumes, and the folder of every node in which its disks are found: one volume for each mount point, or
 * each link to a block device, in the folder. Folders that are not mount points are ignored. Fields beside `name` and `hostDir` are
 * those of the local static provisioner.
 */
export interface LocalVolumeClass {
    /** Name of the StorageClass: `local-ssd`. A member uses it with `storageClassName`. */
    name: string;
    /** The folder on the nodes: `/mnt/local-ssd`. It must exist on each node on which the provisioner runs. Cannot be changed later. */
    hostDir: string;
    /** Whether pods get the volumes with a file system or as raw devices. TiDB's members need a file system. Default: `Filesystem`. */
    volumeMode?: "Filesystem" | "Block";
    /** File system for links to block devices that have none yet: `ext4`. Default: Kubernetes' choice. */
    fsType?: string;
    /** Which names in the folder count: `nvme*`. Default: `*`. */
    namePattern?: string;
    /** How a link to a block device is cleaned: `["/scripts/shred.sh", "2"]`. Default: `["/scripts/quick_reset.sh"]`. */
    blockCleanerCommand?: string[];
    /**
     * What happens to a volume whose claim was deleted. `Delete`: its files are deleted, and the disk becomes a new volume.
     * `Retain`: it keeps its data and is not used again until a person removes it. Default: `Delete`.
     */
    reclaimPolicy?: "Delete" | "Retain";
}

/** Arguments of LocalVolumes. They must be plain values, not Outputs. */
export interface LocalVolumesArgs {
    /** Name and namespace of the objects. */
    metadata?: {
        /** Name of the objects, and the first part of the names of the ClusterRole and its binding. Default: the resource's name. */
        name?: string;
        /** Namespace of the provisioner. Default: `kube-system`. */
        namespace?: string;
    };
    /** The storage classes. At least one. */
    classes: LocalVolumeClass[];
    /** Image of the provisioner. Default: `registry.k8s.io/sig-storage/local-volume-provisioner:v2.9.0`. */
    image?: string;
    /** Labels of the nodes that have local disks. Default: every Linux node. */
    nodeSelector?: Record<string, string>;
    /** Tolerations of the provisioner (Kubernetes: Toleration): nodes for TiDB often have taints. Default: none. */
    tolerations?: KubernetesFields[];
    /** Requests and limits of the provisioner (Kubernetes: ResourceRequirements). Default: none. */
    resources?: KubernetesFields;
    /** Priority class of the provisioner: `system-node-critical`. Default: none. */
    priorityClassName?: string;
}

/** Image of the provisioner, as released by its project (kubernetes-sigs/sig-storage-local-static-provisioner). */
export const provisionerImage = "registry.k8s.io/sig-storage/local-volume-provisioner:v2.9.0";

/** Namespace of the provisioner unless the program says another one. */
export const provisionerNamespace = "kube-system";
