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
import type { Affinity, LocalObjectReference, PodDnsConfig, PodSecurityContext, Toleration } from "./kubernetes/pod";
import type { ManifestMetadata } from "./manifestMetadata";
import type { PdSpec } from "./pd/spec";
import type { PumpSpec } from "./pump/spec";
import type { PdMicroserviceSpec } from "./pdms/spec";
import type { TicdcSpec } from "./ticdc/spec";
import type { TidbSpec } from "./tidb/spec";
import type { TiflashSpec } from "./tiflash/spec";
import type { TikvSpec } from "./tikv/spec";
import type { TiproxySpec } from "./tiproxy/spec";

/** A TiDB cluster, with the field names of tidb-operator's `TidbCluster` (`pingcap.com/v1alpha1`). */
export interface TidbClusterManifest {
    /** API version: `pingcap.com/v1alpha1`. Default: `pingcap.com/v1alpha1`. */
    apiVersion?: string;
    /** Kind: `TidbCluster`. Default: `TidbCluster`. */
    kind?: string;
    /** Name, namespace, labels and annotations. */
    metadata: ManifestMetadata;
    /** The desired cluster. */
    spec: TidbClusterSpec;
}

/** The desired TiDB cluster: its members and their common settings. */
export interface TidbClusterSpec {
    /** Discovery. Default: deployed if the cluster has its own PD or spans several Kubernetes clusters. */
    discovery?: DiscoverySpec;
    /** PD. A cluster without PD must join another cluster, see `cluster`. Default: none. */
    pd?: PdSpec;
    /** Microservices of PD. They need `pd.mode: ms`. Default: none. */
    pdms?: PdMicroserviceSpec[];
    /** TiFlash. Default: none. */
    tiflash?: TiflashSpec;
    /** TiKV. Default: none. */
    tikv?: TikvSpec;
    /** TiDB. Default: none. */
    tidb?: TidbSpec;
    /** TiProxy. Default: none. */
    tiproxy?: TiproxySpec;
    /** Pump. If the cluster has one, TiDB writes its binlog to it unless `tidb.binlogEnabled` is false. Default: none. */
    pump?: PumpSpec;
    /** TiCDC. Default: none. */
    ticdc?: TicdcSpec;
    /** Service account of all pods. Default: the namespace's default service account. */
    serviceAccount?: string;
    /** Image of the init and log containers. Default: `busybox:1.26.2`. */
    helper?: HelperSpec;
    /**
     * Whether the cluster is paused. A paused cluster's objects are not changed, and none of its pods is restarted,
     * started or removed; a preview warns of each change that is withheld. A member that is not deployed yet is
     * refused, and so is removing a member. Members can still be suspended. Other objects that are removed from the
     * program are still deleted. Default: false.
     */
    paused?: boolean;
    /** Whether the cluster is being restored from volume snapshots. Refused if it was deployed without it. Default: false. */
    recoveryMode?: boolean;
    /** Version of every member, used as the image's tag: `v8.5.3`. Default: none; then every member needs its own `version` or an `image`. */
    version?: string;
    /** Scheduler of the pods. Default: Kubernetes' default scheduler. */
    schedulerName?: string;
    /**
     * What happens to the volumes of PD, TiDB, TiKV, TiFlash and Pump once their claims are deleted. Volumes that exist get it too, except those that a
     * scale-in has released; a ClusterRole must let the gates change volumes. `Recycle` is refused. Default: each keeps the policy of its
     * StorageClass; TiDB Operator's is Retain.
     */
    pvReclaimPolicy?: "Retain" | "Delete" | "Recycle";
    /** When images are pulled. Default: IfNotPresent. */
    imagePullPolicy?: ImagePullPolicy;
    /** Secrets used to pull images. Default: none. */
    imagePullSecrets?: LocalObjectReference[];
    /**
     * How a changed configuration reaches the pods. With the program's `operations.rollout.online`, settings of TiKV, PD and
     * TiDB that take effect at once reach the running servers without a restart. Default: InPlace.
     */
    configUpdateStrategy?: ConfigUpdateStrategy;
    /** Whether the claims that remain after a scale-in are deleted at once. `true` is refused: they stay until they are deleted by hand, or a scale-out needs their names. Default: false. */
    enablePVReclaim?: boolean;
    /** Whether volumes are replaced, store by store, when their storage class changes or their size shrinks. `false` refuses such a change. Default: true; the operator needs it to be set. */
    enablePVCReplace?: boolean;
    /** TLS between members. Default: off. */
    tlsCluster?: TlsClusterSpec;
    /** Whether pods use the network of their node. Default: false. */
    hostNetwork?: boolean;
    /** Rules for the nodes that pods run on and the pods that they run next to (Kubernetes: Affinity). Default: none. */
    affinity?: Affinity;
    /** Priority class of the pods. Default: none. */
    priorityClassName?: string;
    /** Labels that a node must have. Default: none. */
    nodeSelector?: Record<string, string>;
    /** Annotations added to all pods. Default: none. */
    annotations?: Record<string, string>;
    /** Labels added to all pods. Default: none. */
    labels?: Record<string, string>;
    /** Taints that pods tolerate (Kubernetes: Toleration). Default: none. */
    tolerations?: Toleration[];
    /** Name servers and search domains (Kubernetes: PodDNSConfig). Default: none. */
    dnsConfig?: PodDnsConfig;
    /** How pods resolve DNS names. Default: ClusterFirst (ClusterFirstWithHostNet with `hostNetwork`). */
    dnsPolicy?: DnsPolicy;
    /** Time zone of the pods, as an IANA name: `UTC`, `Asia/Shanghai`. Default: empty, which means the image's time zone. */
    timezone?: string;
    /** Service types by member. Deprecated: use `pd.service`. Default: none. */
    services?: ServiceOverride[];
    /** Whether TiKV reports its status address to PD. Its configuration can then be changed while it runs. Default: false. */
    enableDynamicConfiguration?: boolean;
    /**
     * Domain of the Kubernetes cluster, appended to host names: `cluster.local`. It may be added later. It cannot be
     * changed or removed while PD lists the cluster's pods under the earlier one. Default: empty.
     */
    clusterDomain?: string;
    /** Whether the cluster spans several Kubernetes clusters. Default: false. */
    acrossK8s?: boolean;
    /** The TidbCluster that this cluster joins. Default: none. */
    cluster?: TidbClusterReference;
    /** Client URLs of an existing PD that this cluster's PD joins: `http://host:2379`. Default: none. */
    pdAddresses?: string[];
    /**
     * How pods are restarted. The gates of this package always restart them; `RollingUpdate` causes a warning.
     * Default: OnDelete.
     */
    statefulSetUpdateStrategy?: StatefulSetUpdateStrategy;
    /** Whether pods start in parallel or one at a time. Cannot be changed later. Default: Parallel. */
    podManagementPolicy?: PodManagementPolicy;
    /** Security context of the pods. Default: none. */
    podSecurityContext?: PodSecurityContext;
    /** How pods are spread over zones, hosts or other domains. Default: none. */
    topologySpreadConstraints?: TopologySpreadConstraint[];
    /** Which of tidb-operator's start script versions to follow, where they differ for users. Default: v1. */
    startScriptVersion?: "" | "v1" | "v2";
    /** Whether every member is suspended. A member's own `suspendAction` replaces it. Default: nothing is suspended. */
    suspendAction?: SuspendAction;
    /** Whether members listen on IPv6 and Services prefer dual stack. Default: false. */
    preferIPv6?: boolean;
    /** Feature flags of the start scripts. They need `startScriptVersion: v2`. Default: none. */
    startScriptV2FeatureFlags?: StartScriptFeatureFlag[];
}

/** A feature flag of the start scripts. */
export type StartScriptFeatureFlag =
    "WaitForDnsNameIpMatch" | "PreferPDAddressesOverDiscovery" | "BashShebang" | "NoWaitDNS";

/** Image of the init and log containers. */
export interface HelperSpec {
    /** Image with tag. It must contain `sh`, `tail` and `sysctl`. Default: `busybox:1.26.2`. */
    image?: string;
    /** When the image is pulled. Default: the cluster's. */
    imagePullPolicy?: ImagePullPolicy;
}

/** TLS between members. The user provides the certificates, in Secrets named `<cluster>-<member>-cluster-secret`. */
export interface TlsClusterSpec {
    /** Whether members connect to each other with TLS and request certificates. Default: false. */
    enabled?: boolean;
    /** Whether discovery uses TLS too, with the Secret `<cluster>-discovery-cluster-secret`. Default: false. */
    enableDiscoveryMTLS?: boolean;
}

/** Another TidbCluster. */
export interface TidbClusterReference {
    /** Name of that cluster. */
    name: string;
    /** Namespace of that cluster. Default: this cluster's. */
    namespace?: string;
    /** Domain of the Kubernetes cluster that it runs in: `cluster.local`. Default: empty. */
    clusterDomain?: string;
}

/** Service type of a member. */
export interface ServiceOverride {
    /** Name of the member: `pd`. Default: empty. */
    name?: string;
    /** Service type: `ClusterIP`, `NodePort` or `LoadBalancer`. Default: ClusterIP. */
    type?: string;
}
