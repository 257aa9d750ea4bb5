import type { ComponentSpec, ConfigInput, Count, ResourceSpec, ServiceSpec, StorageVolume } from "../componentSpec";

/** What a user may say about PD, the cluster's brain: placement, timestamps and membership. */
export interface PdSpec extends ComponentSpec, ResourceSpec {
    /** Number of members. An odd number of at least 3 survives the loss of one. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/pd`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** The client Service `<cluster>-pd`. Default: ClusterIP. */
    service?: ServiceSpec;
    /** How many extra members a failover may add; 0 means none. Default: 3. */
    maxFailoverCount?: Count;
    /** Storage class of the data volume. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of the data volume. Default: none. */
    volumeAttributesClassName?: string;
    /** More volumes, one claim each a pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Folder in the data volume. Never change it on a running cluster. Default: the volume's root. */
    dataSubDir?: string;
    /** Configuration of pd-server: TOML text or a map. Without it no ConfigMap is made; give at least `{}`. Default: none. */
    config?: ConfigInput;
    /** Secret with the client certificate for TiDB that the dashboard uses. Default: `<cluster>-tidb-client-secret`. */
    tlsClientSecretName?: string;
    /** Sets `dashboard.internal-proxy`. Deprecated: set it in `config`. Default: PD's own. */
    enableDashboardInternalProxy?: boolean;
    /** Whether the Secret `<cluster>-cluster-client-secret` is mounted when TLS is on. Default: false. */
    mountClusterClientSecret?: boolean;
    /** How the script waits for its DNS name: `v1` uses dig, else nslookup. Default: empty. */
    startUpScriptVersion?: "" | "v1";
    /** Seconds that the start script waits for its DNS name. Default: 30. */
    startTimeout?: Count;
    /** Seconds that the start script waits before all else, for a new DNS record to spread. Default: 0. */
    initWaitTime?: Count;
    /** `ms`: PD runs as microservices, those of `spec.pdms`, and itself serves the API. Default: empty. */
    mode?: "" | "ms";
    /** Extra members while volumes are replaced. Volumes are not replaced by this version. Default: 1. */
    spareVolReplaceReplicas?: Count;
}
