import type {
    Container,
    EnvironmentVariable,
    KubernetesFields,
    LocalObjectReference,
    PodSecurityContext,
    ResourceList,
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
 * A whole number. A rule says which, in tidb-operator's words.
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
 * A port of each node; 0 means that Kubernetes picks one.
 * @asType integer
 * @minimum 0
 * @maximum 65535
 */
export type NodePort = number;

/**
 * How a changed configuration reaches the pods. `InPlace`: the ConfigMap's data is replaced and pods read it when they
 * next start. `RollingUpdate`: the ConfigMap gets a new name, hence the pods are restarted one after the other.
 */
export type ConfigUpdateStrategy = "InPlace" | "RollingUpdate";

/** When an image is pulled. */
export type ImagePullPolicy = "Always" | "IfNotPresent" | "Never";

/** How the pods' names are resolved (Kubernetes: DNSPolicy). */
export type DnsPolicy = "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";

/** Whether pods are made and removed one by one in order, or at the same time. */
export type PodManagementPolicy = "Parallel" | "OrderedReady";

/** Who replaces pods of an older revision. Only `OnDelete` is used here: the gates restart the pods, in their order. */
export type StatefulSetUpdateStrategy = "OnDelete" | "RollingUpdate";

/** How the pods of a member are spread over zones, hosts and so on: a short form of Kubernetes' own. */
export interface TopologySpreadConstraint {
    /** Key of the node label whose values are the domains, for example `topology.kubernetes.io/zone`. */
    topologyKey: string;
    /** How many pods one domain may have more than another. Default: 1. */
    maxSkew?: Count;
    /** How many domains there must be. Default: 1. */
    minDomains?: PositiveCount;
    /** Whether node selectors and affinity count when domains are counted. Default: Honor. */
    nodeAffinityPolicy?: "Honor" | "Ignore";
    /** Overrides the labels `app.kubernetes.io/component` and `app.kubernetes.io/instance` by which pods are counted. Default: those two labels. */
    matchLabels?: Record<string, string>;
}

/** Which objects a member gives up while it is suspended. */
export interface SuspendAction {
    /**
     * Whether its StatefulSet is deleted, so that it has no pods, while its volumes, Services and ConfigMap stay. Without
     * it, the member comes back on its volumes. Members go in the order TiDB, TiFlash, TiCDC, TiKV, Pump, PD, tso,
     * scheduling, TiProxy. Default: false.
     */
    suspendStatefulSet?: boolean;
}

/** A probe of a member's main port. */
export interface Probe {
    /** `tcp`: the port accepts a connection. `command` (TiDB only): the status page answers. Default: tcp. */
    type?: "tcp" | "command";
    /** Seconds after the container's start before the first probe. Default: 10. */
    initialDelaySeconds?: Count;
    /** Seconds between probes. Default: 10 (Kubernetes' own). */
    periodSeconds?: PositiveCount;
}

/** A volume of its own besides the data volume: one claim a pod, named `<member>-<name>`. */
export interface StorageVolume {
    /** Name, unique in the member; a DNS label. */
    name: string;
    /** Size in bytes, as a quantity: `10Gi`. */
    storageSize: string;
    /** Absolute path in the member's container. Default: the claim is made, but not mounted. */
    mountPath?: string;
    /** Storage class of the claim. Default: the member's `storageClassName`. */
    storageClassName?: string;
    /** Volume attributes class of the claim. Default: the member's `volumeAttributesClassName`. */
    volumeAttributesClassName?: string;
}

/** How many replicas one step may add or remove. */
export interface ScalePolicy {
    /** Stores that may leave at the same time. Default: 1. */
    scaleInParallelism?: WholeNumber;
    /** Pods that may join at the same time. All of them do here, so that it has no effect. Default: 1. */
    scaleOutParallelism?: WholeNumber;
}

/** Settings of failover. */
export interface FailoverSpec {
    /** Identity of the failover whose stores leave again. Default: none. */
    recoverByUID?: string;
}

/** A sidecar that copies a log file to its standard output. */
export interface LogTailerSpec {
    /** Resources that the sidecar is guaranteed. Default: none. */
    requests?: ResourceList;
    /** Resources that it may use at most. Default: none. */
    limits?: ResourceList;
    /** Claims on dynamic resources (Kubernetes: ResourceClaim). Default: none. */
    claims?: KubernetesFields[];
    /** Its security settings (Kubernetes: SecurityContext). Default: none. */
    securityContext?: KubernetesFields;
}

/** A Service of a member. */
export interface ServiceSpec {
    /** Kind of Service. Default: ClusterIP. */
    type?: "ClusterIP" | "NodePort" | "LoadBalancer";
    /** Annotations of the Service, for example of a cloud's load balancer. Default: none. */
    annotations?: Record<string, string>;
    /** More labels of the Service. Default: none. */
    labels?: Record<string, string>;
    /** Address that is asked of the load balancer. Default: none. */
    loadBalancerIP?: string;
    /** Address of the Service in the cluster. Default: Kubernetes picks one. */
    clusterIP?: string;
    /** Name of the first port. Default: `client` (PD), `mysql-client` (TiDB). */
    portName?: string;
    /** Port number of the SQL service (TiDB only). Default: 4000. */
    port?: Port;
    /** Networks (CIDR) that the load balancer lets in. Default: all. */
    loadBalancerSourceRanges?: string[];
    /** Class of the load balancer. Default: the cluster's own. */
    loadBalancerClass?: string;
}

/** What every member may say; the cluster's own settings (`spec.*`) hold where a member says nothing. */
export interface ComponentSpec {
    /** Image with tag. Deprecated: use `baseImage` and `version`. Default: none. */
    image?: string;
    /** Version, hence the image's tag. Default: the cluster's `version`. */
    version?: string;
    /** When the image is pulled. Default: the cluster's. */
    imagePullPolicy?: ImagePullPolicy;
    /** Secrets to pull images with. Default: the cluster's. */
    imagePullSecrets?: LocalObjectReference[];
    /** Whether pods use their node's network. Default: the cluster's. */
    hostNetwork?: boolean;
    /** Which nodes and neighbours pods want (Kubernetes: Affinity). Default: the cluster's. */
    affinity?: KubernetesFields;
    /** Priority class of the pods. Default: the cluster's. */
    priorityClassName?: string;
    /** Scheduler of the pods. Default: the cluster's. */
    schedulerName?: string;
    /** Labels that a node must have; merged with the cluster's, the member's win. Default: the cluster's. */
    nodeSelector?: Record<string, string>;
    /** Annotations of the pods; merged with the cluster's, the member's win. Default: the cluster's. */
    annotations?: Record<string, string>;
    /** Labels of the pods; merged with the cluster's, the member's win. Default: the cluster's. */
    labels?: Record<string, string>;
    /** Taints that pods tolerate (Kubernetes: Toleration). Default: the cluster's. */
    tolerations?: KubernetesFields[];
    /** Security settings of the pods. Default: the cluster's. */
    podSecurityContext?: PodSecurityContext;
    /** Security settings of the member's container (Kubernetes: SecurityContext). Default: none. */
    securityContext?: KubernetesFields;
    /** How a changed configuration reaches the pods. Default: the cluster's. */
    configUpdateStrategy?: ConfigUpdateStrategy;
    /** More environment variables of the member's container. A variable that the member itself needs wins. Default: none. */
    env?: EnvironmentVariable[];
    /** ConfigMaps and Secrets whose keys become environment variables (Kubernetes: EnvFromSource). Default: none. */
    envFrom?: KubernetesFields[];
    /** Containers that run before the member's, after the ones that it needs itself. Default: none. */
    initContainers?: Container[];
    /** More containers of the pod. One with the name of a rendered container is merged into it. Default: none. */
    additionalContainers?: Container[];
    /** More volumes of the pod. Default: none. */
    additionalVolumes?: Volume[];
    /** More mounts of the member's container. Default: none. */
    additionalVolumeMounts?: VolumeMount[];
    /** Name servers and search domains (Kubernetes: PodDNSConfig). Default: the cluster's. */
    dnsConfig?: KubernetesFields;
    /** How names are resolved. Default: the cluster's, else ClusterFirst (ClusterFirstWithHostNet with `hostNetwork`). */
    dnsPolicy?: DnsPolicy;
    /** Seconds from the signal to end to the kill. Default: 30 (Kubernetes' own). */
    terminationGracePeriodSeconds?: Count;
    /** Who restarts pods. Only the gates do here; `RollingUpdate` is warned about. Default: OnDelete. */
    statefulSetUpdateStrategy?: StatefulSetUpdateStrategy;
    /** Whether pods start at the same time. Cannot be changed later. Default: the cluster's, else Parallel. */
    podManagementPolicy?: PodManagementPolicy;
    /** How pods are spread. Default: the cluster's. */
    topologySpreadConstraints?: TopologySpreadConstraint[];
    /** What the member gives up while it is suspended. Default: what the cluster says. */
    suspendAction?: SuspendAction;
    /** When a pod counts as ready. Default: TiDB's SQL port accepts a connection; the others have none. */
    readinessProbe?: Probe;
    /** Whether the service account's token is mounted. Default: the service account's own setting. */
    automountServiceAccountToken?: boolean;
}

/** What a member that runs in containers of its own may say about their resources. */
export interface ResourceSpec {
    /** Resources that the container is guaranteed; `storage` is the size of the data volume. Default: none. */
    requests?: ResourceList;
    /** Resources that the container may use at most; `storage` is the capacity that a TiKV store reports. Default: none. */
    limits?: ResourceList;
    /** Claims on dynamic resources (Kubernetes: ResourceClaim). Default: none. */
    claims?: KubernetesFields[];
}

/** Configuration of a server: its TOML as text, or as a map of the same keys. */
export type ConfigInput = string | ConfigTable;

/** A table of a TOML configuration. */
export interface ConfigTable {
    // TOML values: text, numbers, booleans, dates, lists and tables.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    [key: string]: any;
}
