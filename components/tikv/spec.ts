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

/** Settings of TiKV, the row store. */
export interface TikvSpec extends ComponentSpec, ResourceSpec {
    /** Number of stores. PD needs at least `max-replicas` of them (3 by default) to place every replica. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tikv`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Whether the container is privileged. Deprecated: use `securityContext.privileged`. Default: false. */
    privileged?: boolean;
    /** How many stores a failover may add for dead ones; 0 switches failover off. `operations.failover` says when. Default: 3. */
    maxFailoverCount?: Count;
    /** Whether a sidecar prints RocksDB's log. Default: false. */
    separateRocksDBLog?: boolean;
    /** Whether a sidecar prints the Raft engine's log. Default: false. */
    separateRaftLog?: boolean;
    /** Volume of RocksDB's log: one of `storageVolumes` or `additionalVolumes`. Default: the data volume. */
    rocksDBLogVolumeName?: string;
    /** Volume of the Raft engine's log: one of `storageVolumes` or `additionalVolumes`. Default: the data volume. */
    raftLogVolumeName?: string;
    /** The log sidecars. Default: no resources. */
    logTailer?: LogTailerSpec;
    /** Storage class of the data volume. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of the data volume. Default: none. */
    volumeAttributesClassName?: string;
    /** Subfolder of the data volume that holds the store's data. Never change it on a running cluster. Default: the volume's root. */
    dataSubDir?: string;
    /** Configuration of tikv-server: TOML text or a map. Default: none. */
    config?: ConfigInput;
    /** Whether stores that a failover added are removed again as soon as the dead ones are back. It stays in force for later failovers. Default: false. */
    recoverFailover?: boolean;
    /** Which failover is undone. Default: none. */
    failover?: FailoverSpec;
    /** Whether the Secret `<cluster>-cluster-client-secret` is mounted. It needs `tlsCluster.enabled`. Default: false. */
    mountClusterClientSecret?: boolean;
    /**
     * How long a restart waits for leaders to be evicted from a store, as a Go duration: `30m`. After that the store is
     * restarted with the leaders that remain. Default: a store with leaders is not restarted.
     */
    evictLeaderTimeout?: string;
    /** How long a rolling restart waits for leaders to come back to a restarted store, as a Go duration. Default: 400s. */
    waitLeaderTransferBackTimeout?: string;
    /** Additional volumes, each with one claim per pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Labels of nodes that stores get in PD, besides PD's `location-labels`. `region`, `zone` and `host` also stand for Kubernetes' own. Default: none. */
    storeLabels?: string[];
    /** Whether the pod declares the status port 20180 by name. A change restarts every store. Default: false. */
    enableNamedStatusPort?: boolean;
    /** How many stores may be added or removed at the same time. Default: 1 and 1. */
    scalePolicy?: ScalePolicy;
    /** Number of extra stores while volumes are replaced. Default: 1. */
    spareVolReplaceReplicas?: Count;
}
