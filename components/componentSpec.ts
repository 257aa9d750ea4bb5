import type {
    Affinity,
    Container,
    EnvironmentSource,
    EnvironmentVariable,
    LocalObjectReference,
    PodDnsConfig,
    PodSecurityContext,
    ResourceClaim,
    ResourceList,
    SecurityContext,
    Toleration,
    Volume,
    VolumeMount,
} from "./kubernetes/pod";

/**
 * A whole number, from 0.
 * @asType integer
 * @minimum 0
 * @maximum 2147483647
 */
export type Count = number;

/**
 * A whole number. A validation rule checks its range and reports tidb-operator's path.
 * @asType integer
 */
export type WholeNumber = number;

/**
 * A whole number, from 1.
 * @asType integer
 * @minimum 1
 * @maximum 2147483647
 */
export type PositiveCount = number;

/**
 * A port number.
 * @asType integer
 * @minimum 1
 * @maximum 65535
 */
export type Port = number;

/**
 * A port on every node; 0 means that Kubernetes picks one.
 * @asType integer
 * @minimum 0
 * @maximum 65535
 */
export type NodePort = number;

/**
 * How a changed configuration reaches the pods. `InPlace`: the ConfigMap's data is replaced, and each pod reads it at its
 * next start. `RollingUpdate`: the ConfigMap gets a new name, and the pods are restarted one at a time.
 */
export type ConfigUpdateStrategy = "InPlace" | "RollingUpdate";

/** When an image is pulled. */
export type ImagePullPolicy = "Always" | "IfNotPresent" | "Never";

/** How pods resolve DNS names (Kubernetes: DNSPolicy). */
export type DnsPolicy = "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";

/** Whether pods are created and removed one at a time, in order, or all in parallel. */
export type PodManagementPolicy = "Parallel" | "OrderedReady";

/** Who replaces pods of an older revision. This package always uses `OnDelete`: its gates restart the pods in order. */
export type StatefulSetUpdateStrategy = "OnDelete" | "RollingUpdate";

/** How the pods of a member are spread over zones, hosts or other domains: a short form of Kubernetes' TopologySpreadConstraint. */
export interface TopologySpreadConstraint {
    /** Key of the node label whose values are the domains: `topology.kubernetes.io/zone`. */
    topologyKey: string;
    /** The largest allowed difference between the pod counts of two domains. Default: 1. */
    maxSkew?: Count;
    /** The smallest number of domains. Default: 1. */
    minDomains?: PositiveCount;
    /** Whether only nodes that match the pods' node selector and affinity are counted as domains. Default: Honor. */
    nodeAffinityPolicy?: "Honor" | "Ignore";
    /** Overrides the labels `app.kubernetes.io/component` and `app.kubernetes.io/instance`, which select the pods to count. Default: those two labels. */
    matchLabels?: Record<string, string>;
}

/** Which objects of a member are deleted while it is suspended. */
export interface SuspendAction {
    /**
     * Whether the member's StatefulSet and pods are deleted. Its volumes, Services and ConfigMap stay. A member that
     * is no longer suspended comes back on its volumes. Members are suspended in the order TiDB, TiFlash, TiCDC, TiKV,
     * Pump, PD, tso, scheduling, TiProxy. Default: false.
     */
    suspendStatefulSet?: boolean;
}

/** A probe of a member. */
export interface Probe {
    /** `tcp`: the member's main port accepts a connection. `command` (TiDB only): the status page answers. Default: tcp. */
    type?: "tcp" | "command";
    /** Seconds between the container's start and the first probe. Default: 10. */
    initialDelaySeconds?: Count;
    /** Seconds between probes. Default: 10 (Kubernetes' default). */
    periodSeconds?: PositiveCount;
}

/** An additional volume with one claim per pod. Its claim template is named `<member>-<name>`. */
export interface StorageVolume {
    /** Name of the volume: a DNS label, unique in the member. */
    name: string;
    /** Size in bytes, as a Kubernetes quantity: `10Gi`. */
    storageSize: string;
    /** Absolute path in the member's container. Default: the claim is created but not mounted. */
    mountPath?: string;
    /** Storage class of the claim. Default: the member's `storageClassName`. */
    storageClassName?: string;
    /** Volume attributes class of the claim. Default: the member's `volumeAttributesClassName`. */
    volumeAttributesClassName?: string;
}

/** How many pods may be added or removed at the same time. */
export interface ScalePolicy {
    /** Number of stores that may be scaled in at the same time. Default: 1. */
    scaleInParallelism?: WholeNumber;
    /** Number of pods that may be scaled out at the same time. It has no effect: all new pods start at the same time. Default: 1. */
    scaleOutParallelism?: WholeNumber;
}

/** Which failover is undone. */
export interface FailoverSpec {
    /**
     * UID of the failover whose added stores are removed again, once the dead ones are back. The preview shows the UID. A later
     * failover has another one. Default: none.
     */
    recoverByUID?: string;
}

/** A sidecar that copies a log file to its standard output. */
export interface LogTailerSpec {
    /** Resource requests of the sidecar. Default: none. */
    requests?: ResourceList;
    /** Resource limits of the sidecar. Default: none. */
    limits?: ResourceList;
    /** Claims on dynamically allocated resources (Kubernetes: ResourceClaim). Default: none. */
    claims?: ResourceClaim[];
    /** Security context of the sidecar (Kubernetes: SecurityContext). Default: none. */
    securityContext?: SecurityContext;
}

/** A Service of a member. */
export interface ServiceSpec {
    /** Service type. Default: ClusterIP. */
    type?: "ClusterIP" | "NodePort" | "LoadBalancer";
    /** Annotations of the Service, for example for a cloud load balancer. Default: none. */
    annotations?: Record<string, string>;
    /** Additional labels of the Service. Default: none. */
    labels?: Record<string, string>;
    /** Address requested from the load balancer. Default: none. */
    loadBalancerIP?: string;
    /** Address of the Service inside Kubernetes. Default: Kubernetes picks one. */
    clusterIP?: string;
    /** Name of the first port. Default: `client` (PD), `mysql-client` (TiDB). */
    portName?: string;
    /** Port of the Service for SQL clients (TiDB only). Default: 4000. */
    port?: Port;
    /** Networks (CIDR) that may connect to the load balancer. Default: all. */
    loadBalancerSourceRanges?: string[];
    /** Class of the load balancer. Default: that of the Kubernetes cluster. */
    loadBalancerClass?: string;
}

/** Settings that every member has. Most of them default to the cluster's setting of the same name (`spec.*`). */
export interface ComponentSpec {
    /** Image with tag. Deprecated: use `baseImage` and `version`. Default: none. */
    image?: string;
    /** Version, used as the image's tag. Default: the cluster's `version`. */
    version?: string;
    /** When the image is pulled. Default: the cluster's. */
    imagePullPolicy?: ImagePullPolicy;
    /** Secrets used to pull images. Default: the cluster's. */
    imagePullSecrets?: LocalObjectReference[];
    /** Whether pods use the network of their node. Default: the cluster's. */
    hostNetwork?: boolean;
    /** Rules for the nodes that pods run on and the pods that they run next to (Kubernetes: Affinity). Default: the cluster's. */
    affinity?: Affinity;
    /** Priority class of the pods. Default: the cluster's. */
    priorityClassName?: string;
    /** Scheduler of the pods. Default: the cluster's. */
    schedulerName?: string;
    /** Labels that a node must have. Merged with the cluster's; the member's take precedence. Default: the cluster's. */
    nodeSelector?: Record<string, string>;
    /** Annotations of the pods. Merged with the cluster's; the member's take precedence. Default: the cluster's. */
    annotations?: Record<string, string>;
    /** Labels of the pods. Merged with the cluster's; the member's take precedence. Default: the cluster's. */
    labels?: Record<string, string>;
    /** Taints that pods tolerate (Kubernetes: Toleration). Default: the cluster's. */
    tolerations?: Toleration[];
    /** Security context of the pods. Default: the cluster's. */
    podSecurityContext?: PodSecurityContext;
    /** Security context of the member's container (Kubernetes: SecurityContext). Default: none. */
    securityContext?: SecurityContext;
    /** How a changed configuration reaches the pods. Default: the cluster's. */
    configUpdateStrategy?: ConfigUpdateStrategy;
    /** Additional environment variables of the member's container. They cannot override variables that the member needs. Default: none. */
    env?: EnvironmentVariable[];
    /** ConfigMaps and Secrets whose keys become environment variables of the member's container (Kubernetes: EnvFromSource). Default: none. */
    envFrom?: EnvironmentSource[];
    /** Additional init containers. They run after the member's own init containers. Default: none. */
    initContainers?: Container[];
    /** Additional containers of the pod. A container with the name of a rendered container is merged into it. Default: none. */
    additionalContainers?: Container[];
    /** Additional volumes of the pod. Default: none. */
    additionalVolumes?: Volume[];
    /** Additional volume mounts of the member's container. Default: none. */
    additionalVolumeMounts?: VolumeMount[];
    /** Name servers and search domains (Kubernetes: PodDNSConfig). Default: the cluster's. */
    dnsConfig?: PodDnsConfig;
    /** How pods resolve DNS names. Default: the cluster's, else ClusterFirst (ClusterFirstWithHostNet with `hostNetwork`). */
    dnsPolicy?: DnsPolicy;
    /**
     * Seconds that a pod has to stop after SIGTERM, before it is killed. Default: 30 (Kubernetes' default); for TiKV, 10 more than its
     * `server.graceful-shutdown-timeout` where that is more than 20 s.
     */
    terminationGracePeriodSeconds?: Count;
    /**
     * How pods are restarted. The gates of this package always restart them; `RollingUpdate` causes a warning.
     * Default: OnDelete.
     */
    statefulSetUpdateStrategy?: StatefulSetUpdateStrategy;
    /** Whether pods start in parallel or one at a time. Cannot be changed later. Default: the cluster's, else Parallel. */
    podManagementPolicy?: PodManagementPolicy;
    /** How pods are spread over zones, hosts or other domains. Default: the cluster's. */
    topologySpreadConstraints?: TopologySpreadConstraint[];
    /** Whether the member is suspended. Default: the cluster's `suspendAction`. */
    suspendAction?: SuspendAction;
    /** Readiness probe of the member's container. Default: TiDB's SQL port accepts a connection; the other members have no probe. */
    readinessProbe?: Probe;
    /** Whether the service account's token is mounted. Default: the service account's setting. */
    automountServiceAccountToken?: boolean;
}

/** Resources of a container. */
export interface ResourceSpec {
    /** Resource requests of the container. `storage` is the size of the data volume. Default: none. */
    requests?: ResourceList;
    /** Resource limits of the container. `storage` is the capacity that a TiKV store reports. Default: none. */
    limits?: ResourceList;
    /** Claims on dynamically allocated resources (Kubernetes: ResourceClaim). Default: none. */
    claims?: ResourceClaim[];
}

/** Configuration of a server: TOML text, or a map with the same keys. */
export type ConfigInput = string | ConfigTable;

/** A table of a TOML configuration. */
export interface ConfigTable {
    // TOML values: text, numbers, booleans, dates, lists and tables.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    [key: string]: any;
}
