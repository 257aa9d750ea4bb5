import type {
    ComponentSpec,
    ConfigInput,
    Count,
    FailoverSpec,
    LogTailerSpec,
    ResourceSpec,
    ScalePolicy,
} from "../componentSpec";
import type { KubernetesFields, ResourceList } from "../kubernetes/pod";

/** What a user may say about TiFlash, the column store. */
export interface TiflashSpec extends ComponentSpec, ResourceSpec {
    /** Number of stores. At least the largest number of TiFlash replicas that a table has. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tiflash`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Whether the container is privileged. Deprecated: use `securityContext.privileged`. Default: false. */
    privileged?: boolean;
    /** How many extra stores a failover may add; 0 means none. Failover is not part of this version. Default: 3. */
    maxFailoverCount?: Count;
    /** The data volumes. Required, at least one: the n-th is the claim `data<n>`, mounted at `/data<n>`. Their number cannot be changed later. */
    storageClaims?: StorageClaim[];
    /** Configuration of TiFlash and of its proxy. Default: what this package needs, and TiFlash's own defaults. */
    config?: TiflashConfigSpec;
    /** The init container that writes the configuration of each pod. Default: no resources. */
    initializer?: InitContainerSpec;
    /** The three sidecars that show TiFlash's logs. Default: no resources. */
    logTailer?: LogTailerSpec;
    /** Whether stores that a failover added leave again. Failover is not part of this version. Default: false. */
    recoverFailover?: boolean;
    /** Settings of failover. Failover is not part of this version. Default: none. */
    failover?: FailoverSpec;
    /** How many stores one step may add or remove. Default: 1 and 1. */
    scalePolicy?: ScalePolicy;
}

/** Configuration of the two programs in a TiFlash container. */
export interface TiflashConfigSpec {
    /** `tiflash.toml`: TOML text or a map. Default: none. */
    config?: ConfigInput;
    /** `tiflash-learner.toml`, of the proxy that takes part in Raft: TOML text or a map. Default: none. */
    proxy?: ConfigInput;
}

/** A data volume of TiFlash. */
export interface StorageClaim {
    /** Its size: `requests.storage`, for example `100Gi`. Default: none. */
    resources?: StorageClaimResources;
    /** Storage class of the claim. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of the claim. Default: none. */
    volumeAttributesClassName?: string;
}

/** Size of a claim. */
export interface StorageClaimResources {
    /** `storage` is the size of the volume. Default: none. */
    requests?: ResourceList;
    /** Not used: a volume has the size that is requested. Default: none. */
    limits?: ResourceList;
}

/** Resources and security settings of an init container. */
export interface InitContainerSpec extends ResourceSpec {
    /** Its security settings (Kubernetes: SecurityContext). Default: none. */
    securityContext?: KubernetesFields;
}
