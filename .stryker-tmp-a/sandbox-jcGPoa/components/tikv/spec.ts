import type {
    ComponentSpec,
    ConfigInput,
    Count,
    FailoverSpec,
    LogTailerSpec,
    ResourceSpec,
    ScalePolicy,
    StorageVolume,
} from "../componentSpec";

/** What a user may say about TiKV, the row store. */
export interface TikvSpec extends ComponentSpec, ResourceSpec {
    /** Number of stores. At least PD's `max-replicas` (3 unless changed) to keep every copy. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tikv`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Whether the container is privileged. Deprecated: use `securityContext.privileged`. Default: false. */
    privileged?: boolean;
    /** How many extra stores a failover may add; 0 means none. Default: 3. */
    maxFailoverCount?: Count;
    /** Whether a sidecar shows RocksDB's log. Default: false. */
    separateRocksDBLog?: boolean;
    /** Whether a sidecar shows the Raft engine's log. Default: false. */
    separateRaftLog?: boolean;
    /** Volume of RocksDB's log: one of `storageVolumes` or `additionalVolumes`. Default: the data volume. */
    rocksDBLogVolumeName?: string;
    /** Volume of the Raft engine's log: one of `storageVolumes` or `additionalVolumes`. Default: the data volume. */
    raftLogVolumeName?: string;
    /** Resources of the log sidecars. Default: no resources. */
    logTailer?: LogTailerSpec;
    /** Storage class of the data volume. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of the data volume. Default: none. */
    volumeAttributesClassName?: string;
    /** Folder in the data volume. Never change it on a running cluster. Default: the volume's root. */
    dataSubDir?: string;
    /** Configuration of tikv-server: TOML text or a map. Without it no ConfigMap is made; give at least `{}`. Default: none. */
    config?: ConfigInput;
    /** Whether stores that a failover added leave again. Failover is not part of this version. Default: false. */
    recoverFailover?: boolean;
    /** Settings of failover. Failover is not part of this version. Default: none. */
    failover?: FailoverSpec;
    /** Whether the Secret `<cluster>-cluster-client-secret` is mounted when TLS is on. Default: false. */
    mountClusterClientSecret?: boolean;
    /** How long a restart waits for a store's leaders to leave before it goes on, as a Go duration: `30m`. Default: it never goes on with leaders there. */
    evictLeaderTimeout?: string;
    /** How long a roll-out waits for leaders to come back to a store, as a Go duration. Default: 400s. */
    waitLeaderTransferBackTimeout?: string;
    /** More volumes, one claim each a pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Node labels that become labels of the store in PD. Default: PD's `location-labels`. */
    storeLabels?: string[];
    /** Whether the status port 20180 is named in the pod. Changing it restarts every store. Default: false. */
    enableNamedStatusPort?: boolean;
    /** How many stores one step may add or remove. Default: 1 and 1. */
    scalePolicy?: ScalePolicy;
    /** Extra stores while volumes are replaced. Volumes are not replaced by this version. Default: 1. */
    spareVolReplaceReplicas?: Count;
}
