import type * as pulumi from "@pulumi/pulumi";
import type { ControllerActionKind } from "../../topology/controllerPermissions";

/** The settings of a `LifecycleController`. */
export interface LifecycleControllerArgs {
    /** Namespace of the controller's own objects. */
    namespace: pulumi.Input<string>;
    /**
     * Image that has the command `pulumi-tidb` on its PATH, such as one built from `examples/controller/Dockerfile`. There is no
     * default: no image is published.
     */
    image: pulumi.Input<string>;
    /** Namespaces whose clusters it looks after. Default: its own namespace. */
    clusterNamespaces?: string[];
    /**
     * Names of the only clusters that it looks after, by namespace: its Role there then names their objects where Kubernetes can restrict a
     * rule to names. Default, also of a namespace that is not named here: all clusters.
     */
    clusters?: Record<string, string[]>;
    /**
     * Names of clusters with `spec.tlsCluster.enabled`, by namespace: the controller may read their client certificates.
     * Default: none.
     */
    tlsClusters?: Record<string, string[]>;
    /**
     * Whether it may also read the members' own certificates of `tlsClusters`, with their private keys, to tell when they expire.
     * Default: false.
     */
    watchCertificates?: boolean;
    /**
     * What it may do by itself. `failover`: replace dead members, as `pulumi up` would; this takes a ClusterRole that reads nodes.
     * `drain`: move pods away from nodes that are being emptied, likewise; its ClusterRole also lists pods and volumes.
     * `grow`: enlarge volumes of full disks (`operations.volumes`); its ClusterRole reads storage classes. `sweep`: remove what killed runs left behind. Default: `failover`; an empty list: nothing, it only watches.
     */
    act?: ControllerActionKind[];
    /** Seconds between two looks at a cluster, from 1 to 3600. Default: 10. */
    intervalSeconds?: number;
    /** Number of pods. One leads, and the others take over if it ends. Default: 1. */
    replicas?: pulumi.Input<number>;
    /** Resources of the container, as Kubernetes has them. Default: requests of 100m CPU and 256Mi memory. */
    resources?: pulumi.Input<{
        requests?: pulumi.Input<Record<string, pulumi.Input<string>>>;
        limits?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    }>;
    /** Secrets for pulling the image. Default: none. */
    imagePullSecrets?: pulumi.Input<pulumi.Input<{ name: pulumi.Input<string> }>[]>;
    /** Labels of the nodes that the pods may run on. Default: any node. */
    nodeSelector?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Taints that the pods tolerate, as Kubernetes has them. Default: none. */
    tolerations?: pulumi.Input<pulumi.Input<Record<string, pulumi.Input<string | number>>>[]>;
}
