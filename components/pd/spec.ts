import type { ComponentSpec, ConfigInput, Count, ResourceSpec, ServiceSpec, StorageVolume } from "../componentSpec";

/** Settings of PD, which manages placement, timestamps and membership. */
export interface PdSpec extends ComponentSpec, ResourceSpec {
    /** Number of PD members. With an odd number of at least 3, PD survives the loss of one member. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/pd`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** The client Service `<cluster>-pd`. Default: ClusterIP. */
    service?: ServiceSpec;
    /** How many members a failover may add for dead ones; 0 switches failover off. `operations.failover` says when. Default: 3. */
    maxFailoverCount?: Count;
    /** Storage class of the data volume. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of the data volume. Default: none. */
    volumeAttributesClassName?: string;
    /** Additional volumes, each with one claim per pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Subfolder of the data volume that holds PD's data. Never change it on a running cluster. Default: the volume's root. */
    dataSubDir?: string;
    /** Configuration of pd-server: TOML text or a map. Default: none. */
    config?: ConfigInput;
    /** Secret with the client certificate that TiDB Dashboard uses to connect to TiDB. Default: `<cluster>-tidb-client-secret`. */
    tlsClientSecretName?: string;
    /** Value of `dashboard.internal-proxy`. Deprecated: set it in `config`. Default: PD's default. */
    enableDashboardInternalProxy?: boolean;
    /** Whether the Secret `<cluster>-cluster-client-secret` is mounted. It needs `tlsCluster.enabled`. Default: false. */
    mountClusterClientSecret?: boolean;
    /** Program that the start script prefers for DNS queries: `v1` means dig, empty means nslookup. Default: empty. */
    startUpScriptVersion?: "" | "v1";
    /** How long the start script waits until DNS knows the pod's name, in seconds. Default: 30. */
    startTimeout?: Count;
    /** How long the start script sleeps first, so that a new DNS record can spread, in seconds. Default: 0. */
    initWaitTime?: Count;
    /** `ms`: PD serves the API, and the microservices in `spec.pdms` do the rest. Default: empty, which means one service. */
    mode?: "" | "ms";
    /** Number of extra members while volumes are replaced. Default: 1. */
    spareVolReplaceReplicas?: Count;
}
