import type {
    ComponentSpec,
    ConfigInput,
    Count,
    FailoverSpec,
    LogTailerSpec,
    ResourceSpec,
    ScalePolicy,
} from "../componentSpec";
import type { ResourceClaim, ResourceList, SecurityContext } from "../kubernetes/pod";

/** Settings of TiFlash, the columnar store. */
export interface TiflashSpec extends ComponentSpec, ResourceSpec {
    /** Number of stores. It must be at least the largest number of TiFlash replicas of any table. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tiflash`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Whether the container is privileged. Deprecated: use `securityContext.privileged`. Default: false. */
    privileged?: boolean;
    /** How many stores a failover may add for dead ones; 0 switches failover off. `operations.failover` says when. Default: 3. */
    maxFailoverCount?: Count;
    /** The data volumes. Required, at least one. They are numbered from 0: claim `data<n>` is mounted at `/data<n>`. Their number cannot be changed later. */
    storageClaims?: StorageClaim[];
    /** Configuration of TiFlash and of its proxy. Default: the keys that this package needs, and TiFlash's defaults. */
    config?: TiflashConfigSpec;
    /** The init container that writes the configuration of each pod. Default: no resources. */
    initializer?: InitContainerSpec;
    /** The three sidecars that print TiFlash's logs. Default: no resources. */
    logTailer?: LogTailerSpec;
    /** Whether stores that a failover added are removed again as soon as the dead ones are back. It stays in force for later failovers. Default: false. */
    recoverFailover?: boolean;
    /** Which failover is undone. Default: none. */
    failover?: FailoverSpec;
    /** How many stores may be added or removed at the same time. Default: 1 and 1. */
    scalePolicy?: ScalePolicy;
}

/** Configuration of the two programs in a TiFlash container. */
export interface TiflashConfigSpec {
    /** `tiflash.toml`: TOML text or a map. Default: none. */
    config?: ConfigInput;
    /** `tiflash-learner.toml`, the configuration of the proxy that takes part in Raft: TOML text or a map. Default: none. */
    proxy?: ConfigInput;
}

/** A data volume of TiFlash. */
export interface StorageClaim {
    /** Size of the volume, in `requests.storage`: `100Gi`. Default: none. */
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
    /** Not used: the volume has the requested size. Default: none. */
    limits?: ResourceList;
    /** Not used: Kubernetes has no such field of a claim any more (Kubernetes: ResourceClaim). Default: none. */
    claims?: ResourceClaim[];
}

/** Resources and security context of an init container. */
export interface InitContainerSpec extends ResourceSpec {
    /** Security context of the init container (Kubernetes: SecurityContext). Default: none. */
    securityContext?: SecurityContext;
}
