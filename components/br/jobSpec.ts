import type {
    Affinity,
    EnvironmentVariable,
    LocalObjectReference,
    PodSecurityContext,
    ResourceList,
    Toleration,
    Volume,
    VolumeMount,
} from "../kubernetes/pod";

/** Where backups are stored. Exactly one of them must be set. */
export interface StorageProvider {
    /** S3, or a storage with the same API. Default: none. */
    s3?: S3StorageProvider;
    /** Google Cloud Storage. Default: none. */
    gcs?: GcsStorageProvider;
    /** Azure Blob Storage. Default: none. */
    azblob?: AzblobStorageProvider;
    /** A volume that BR and every TiKV mount at the same path; for SQL files, a volume. Default: none. */
    local?: LocalStorageProvider;
}

/** S3, or a storage with the same API. */
export interface S3StorageProvider {
    /** Who provides the storage: `aws`, `ceph`, `minio`, `alibaba` … BR's `--s3.provider`. */
    provider: string;
    /** Region of the bucket: `us-east-1`. Default: BR's. */
    region?: string;
    /** Name of the bucket. A path after the name comes before `prefix`. */
    bucket: string;
    /** Path in the bucket. Each full backup needs its own. Default: empty. */
    prefix?: string;
    /** URL of the storage, with its scheme: `https://minio:9000`. Default: that of AWS. */
    endpoint?: string;
    /** Storage class of the objects: `STANDARD_IA`. Default: the bucket's. */
    storageClass?: string;
    /** Access control list of the objects: `private`. Default: the bucket's. */
    acl?: string;
    /** Encryption of the objects by the storage: `AES256`, `aws:kms`. Default: the bucket's. */
    sse?: string;
    /**
     * Secret with the keys `access_key` and `secret_key`, in the namespace of the Job. Default: none, then the service account or
     * the node has a role.
     */
    secretName?: string;
    /** Whether the bucket's name is part of the path (true) or of the host (false). Default: BR's, which depends on `provider`. */
    forcePathStyle?: boolean;
}

/** Google Cloud Storage. */
export interface GcsStorageProvider {
    /** Project of the bucket. tidb-operator requires it. BR finds the bucket by its name, and does not use it. */
    projectId: string;
    /** Name of the bucket. A path after the name comes before `prefix`. */
    bucket: string;
    /** Path in the bucket. Each full backup needs its own. Default: empty. */
    prefix?: string;
    /** Storage class of the objects: `NEARLINE`. Default: the bucket's. */
    storageClass?: string;
    /** Predefined access control list of the objects: `private`. Default: the bucket's. */
    objectAcl?: string;
    /**
     * Secret with the JSON key of a Google service account in the key `credentials`, in the namespace of the Job. Default: none,
     * then the service account has an identity of its own (workload identity).
     */
    secretName?: string;
}

/** Azure Blob Storage. */
export interface AzblobStorageProvider {
    /** Name of the container. A path after the name comes before `prefix`. */
    container: string;
    /** Path in the container. Each full backup needs its own. Default: empty. */
    prefix?: string;
    /** Access tier of the objects: `Hot`, `Cool`. Default: the container's. */
    accessTier?: string;
    /** Storage account. Default: the key `AZURE_STORAGE_ACCOUNT` of the Secret. */
    storageAccount?: string;
    /**
     * Secret with either the key `AZURE_STORAGE_KEY`, or the keys `AZURE_CLIENT_ID`, `AZURE_CLIENT_SECRET` and `AZURE_TENANT_ID`, in
     * the namespace of the Job. Default: none.
     */
    secretName?: string;
    /** Shared access signature. It becomes part of BR's arguments, which everyone sees who may read the Job. Default: none. */
    sasToken?: string;
}

/** A volume as a storage. TiKV writes its own part of a backup by BR, so every TiKV must mount the same volume at the same path. */
export interface LocalStorageProvider {
    /** The volume (Kubernetes: Volume): for example an `nfs` volume. */
    volume: Volume;
    /** Where the Job mounts it (Kubernetes: VolumeMount). `name` is the volume's. */
    volumeMount: VolumeMount;
    /** Path in the volume. Each full backup needs its own. Default: empty. */
    prefix?: string;
}

/** The cluster of a Backup, a Restore or a CompactBackup. */
export interface BrClusterRef {
    /** Name of the TidbCluster. */
    cluster: string;
    /** Namespace of the TidbCluster. Default: that of the Backup, Restore or CompactBackup. */
    clusterNamespace?: string;
}

/** The storage and the Job's pod. */
export interface JobPodSpec extends StorageProvider {
    /**
     * Image of the tool: `pingcap/br:v8.5.3`. Without a tag, the version of TiKV is the tag. Default: `pingcap/br`, `pingcap/dumpling` or
     * `pingcap/tidb-lightning` with the version of TiKV.
     */
    toolImage?: string;
    /** Requests and limits of the container. Default: none. */
    resources?: BrResources;
    /** Environment variables of the container. They replace those that it gets anyway. Default: none. */
    env?: EnvironmentVariable[];
    /** Service account of the pod. For workload identity, it has the role. Default: the namespace's default service account. */
    serviceAccount?: string;
    /** Whether the pod gets the token of its service account. BR does not need it. Default: what the service account says. */
    automountServiceAccountToken?: boolean;
    /** Secrets used to pull the image. Default: none. */
    imagePullSecrets?: LocalObjectReference[];
    /** Taints that the pod tolerates (Kubernetes: Toleration). Default: none. */
    tolerations?: Toleration[];
    /** Rules for the node that the pod runs on (Kubernetes: Affinity). Default: none. */
    affinity?: Affinity;
    /** Security context of the pod (Kubernetes: PodSecurityContext). Default: none. */
    podSecurityContext?: PodSecurityContext;
    /** Priority class of the pod. Default: none. */
    priorityClassName?: string;
    /** More volumes of the pod (Kubernetes: Volume). Default: none. */
    additionalVolumes?: Volume[];
    /** More mounts of the container (Kubernetes: VolumeMount). Default: none. */
    additionalVolumeMounts?: VolumeMount[];
}

/** Requests and limits of BR's container. */
export interface BrResources {
    /** What is reserved. Default: none. */
    requests?: ResourceList;
    /** The most that it may use. Default: none. */
    limits?: ResourceList;
}
