import type {
    ConfigUpdateStrategy,
    DnsPolicy,
    ImagePullPolicy,
    PodManagementPolicy,
    StatefulSetUpdateStrategy,
    SuspendAction,
    TopologySpreadConstraint,
} from "./componentSpec";
import type { DiscoverySpec } from "./discovery/spec";
import type { KubernetesFields, LocalObjectReference, PodSecurityContext } from "./kubernetes/pod";
import type { PdSpec } from "./pd/spec";
import type { PumpSpec } from "./pump/spec";
import type { PdMicroserviceSpec } from "./pdms/spec";
import type { TicdcSpec } from "./ticdc/spec";
import type { TidbSpec } from "./tidb/spec";
import type { TiflashSpec } from "./tiflash/spec";
import type { TikvSpec } from "./tikv/spec";
import type { TiproxySpec } from "./tiproxy/spec";

/** A TiDB cluster, as tidb-operator's `TidbCluster` (`pingcap.com/v1alpha1`) states it: the same field names. */
export interface TidbClusterManifest {
    /** `pingcap.com/v1alpha1`. Default: that, where it is left out. */
    apiVersion?: string;
    /** `TidbCluster`. Default: that, where it is left out. */
    kind?: string;
    /** Name, namespace, labels and annotations. */
    metadata: ManifestMetadata;
    /** What the cluster should be. */
    spec: TidbClusterSpec;
}

/** Who the cluster is. Fields that the API server adds when it stores an object are read and not used. */
export interface ManifestMetadata {
    /** Name of the cluster, hence the start of every object's name. A DNS label. */
    name: string;
    /** Namespace of every object. Default: `default`. */
    namespace?: string;
    /** Labels. `app.kubernetes.io/instance`, where it is set, replaces the name in the label of the same key of every object. Default: none. */
    labels?: Record<string, string>;
    /** Annotations. `<member>.tidb.pingcap.com/delete-slots` is passed on to the member's StatefulSet. Default: none. */
    annotations?: Record<string, string>;
}

/** What a TiDB cluster should be: its members, and what they have in common. */
export interface TidbClusterSpec {
    /** Discovery. Default: rendered whenever the cluster has PD of its own, or spans Kubernetes clusters. */
    discovery?: DiscoverySpec;
    /** PD. Without it the cluster must join another by `cluster`. Default: none. */
    pd?: PdSpec;
    /** Microservices of PD, where `pd.mode` is `ms`. Default: none. */
    pdms?: PdMicroserviceSpec[];
    /** TiFlash. Default: none. */
    tiflash?: TiflashSpec;
    /** TiKV. Default: none. */
    tikv?: TikvSpec;
    /** TiDB. Default: none. */
    tidb?: TidbSpec;
    /** TiProxy. Default: none. */
    tiproxy?: TiproxySpec;
    /** Pump. Where there is one, TiDB writes a binlog to it unless `tidb.binlogEnabled` says otherwise. Default: none. */
    pump?: PumpSpec;
    /** TiCDC. Default: none. */
    ticdc?: TicdcSpec;
    /** Service account of all pods. Default: the namespace's default one. */
    serviceAccount?: string;
    /** Image of init and log containers. Default: `busybox:1.26.2`. */
    helper?: HelperSpec;
    /**
     * Whether the cluster is left as it is: its objects are not changed, and no pod is restarted, started or taken away;
     * a preview warns of what is withheld. Members are suspended all the same. A member that is not deployed yet is
     * refused. What the program no longer has is deleted as ever. Default: false.
     */
    paused?: boolean;
    /** Whether the cluster is being restored from volume snapshots. Not supported by this version. Default: false. */
    recoveryMode?: boolean;
    /** Version of every member, hence the tag of its image: `v8.5.3`. Default: none: then every member needs its own, or an `image`. */
    version?: string;
    /** Scheduler of the pods. Default: Kubernetes' own. */
    schedulerName?: string;
    /** What becomes of volumes that are given up. Not applied by this version: it is the storage class's own. Default: Retain. */
    pvReclaimPolicy?: "Retain" | "Delete" | "Recycle";
    /** When images are pulled. Default: IfNotPresent. */
    imagePullPolicy?: ImagePullPolicy;
    /** Secrets to pull images with. Default: none. */
    imagePullSecrets?: LocalObjectReference[];
    /** How a changed configuration reaches the pods. Default: InPlace. */
    configUpdateStrategy?: ConfigUpdateStrategy;
    /** Whether claims that a scale-in left are removed. Not supported by this version. Default: false. */
    enablePVReclaim?: boolean;
    /** Whether volumes are replaced when their class or number changes. Not supported by this version. Default: false. */
    enablePVCReplace?: boolean;
    /** TLS between members. Default: off. */
    tlsCluster?: TlsClusterSpec;
    /** Whether pods use their node's network. Default: false. */
    hostNetwork?: boolean;
    /** Which nodes and neighbours pods want (Kubernetes: Affinity). Default: none. */
    affinity?: KubernetesFields;
    /** Priority class of the pods. Default: none. */
    priorityClassName?: string;
    /** Labels that a node must have. Default: none. */
    nodeSelector?: Record<string, string>;
    /** Annotations of all pods. Default: none. */
    annotations?: Record<string, string>;
    /** Labels of all pods. Default: none. */
    labels?: Record<string, string>;
    /** Taints that pods tolerate (Kubernetes: Toleration). Default: none. */
    tolerations?: KubernetesFields[];
    /** Name servers and search domains (Kubernetes: PodDNSConfig). Default: none. */
    dnsConfig?: KubernetesFields;
    /** How names are resolved. Default: ClusterFirst (ClusterFirstWithHostNet with `hostNetwork`). */
    dnsPolicy?: DnsPolicy;
    /** Time zone of the pods, as an IANA name: `UTC`, `Asia/Shanghai`. Default: empty, hence the image's. */
    timezone?: string;
    /** Kind of Service of a member, by its name. Deprecated: use `pd.service`. Default: none. */
    services?: ServiceOverride[];
    /** Whether TiKV tells PD its status address, so that its configuration can be changed while it runs. Default: false. */
    enableDynamicConfiguration?: boolean;
    /** Domain of the Kubernetes cluster that is appended to host names: `cluster.local`. Default: empty. */
    clusterDomain?: string;
    /** Whether the cluster spans several Kubernetes clusters. Default: false. */
    acrossK8s?: boolean;
    /** Another TidbCluster that this one joins. Default: none. */
    cluster?: TidbClusterReference;
    /** Client URLs of a PD elsewhere that this cluster's PD joins: `http://host:2379`. Default: none. */
    pdAddresses?: string[];
    /** Who restarts pods. Only the gates do here; `RollingUpdate` is warned about. Default: OnDelete. */
    statefulSetUpdateStrategy?: StatefulSetUpdateStrategy;
    /** Whether pods start at the same time. Cannot be changed later. Default: Parallel. */
    podManagementPolicy?: PodManagementPolicy;
    /** Security settings of the pods. Default: none. */
    podSecurityContext?: PodSecurityContext;
    /** How pods are spread. Default: none. */
    topologySpreadConstraints?: TopologySpreadConstraint[];
    /** Which of tidb-operator's start scripts to be like, where they differ for users. Default: v1. */
    startScriptVersion?: "" | "v1" | "v2";
    /** What every member gives up while the cluster is suspended; a member's own replaces it. Default: nothing. */
    suspendAction?: SuspendAction;
    /** Whether members listen on IPv6 and Services prefer two stacks. Default: false. */
    preferIPv6?: boolean;
    /** Details of the start scripts; they need `startScriptVersion: v2`. Default: none. */
    startScriptV2FeatureFlags?: StartScriptFeatureFlag[];
}

/** A detail of the start scripts. */
export type StartScriptFeatureFlag =
    "WaitForDnsNameIpMatch" | "PreferPDAddressesOverDiscovery" | "BashShebang" | "NoWaitDNS";

/** Image of init and log containers. */
export interface HelperSpec {
    /** Image with tag that has `sh`, `tail` and `sysctl`. Default: `busybox:1.26.2`. */
    image?: string;
    /** When the image is pulled. Default: the cluster's. */
    imagePullPolicy?: ImagePullPolicy;
}

/** TLS between members, with certificates from Secrets that the user makes: `<cluster>-<member>-cluster-secret`. */
export interface TlsClusterSpec {
    /** Whether members talk TLS to each other and ask for certificates. Default: false. */
    enabled?: boolean;
    /** Whether discovery talks TLS too, with `<cluster>-discovery-cluster-secret`. Default: false. */
    enableDiscoveryMTLS?: boolean;
}

/** Another TidbCluster. */
export interface TidbClusterReference {
    /** Its name. */
    name: string;
    /** Its namespace. Default: this cluster's. */
    namespace?: string;
    /** Domain of the Kubernetes cluster that it runs in. Default: empty. */
    clusterDomain?: string;
}

/** Kind of Service of a member. */
export interface ServiceOverride {
    /** Name of the member: `pd`. Default: empty. */
    name?: string;
    /** `ClusterIP`, `NodePort` or `LoadBalancer`. Default: ClusterIP. */
    type?: string;
}
