import type { ComponentSpec, ConfigInput, Count, ResourceSpec, ServiceSpec, StorageVolume } from "../componentSpec";

/** Which part of PD a microservice is: `tso` hands out timestamps, `scheduling` places regions. */
export type PdMicroserviceName = "tso" | "scheduling";

/** What a user may say about a microservice of PD; it runs where `spec.pd.mode` is `ms`. */
export interface PdMicroserviceSpec extends ComponentSpec, ResourceSpec {
    /** Which one; each at most once. */
    name: PdMicroserviceName;
    /** Number of servers: one is the primary, the others take over from it. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/pd`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** The client Service `<cluster>-<name>`. Default: ClusterIP. */
    service?: ServiceSpec;
    /** How many extra servers a failover may add. Failover is not part of this version. Default: 3. */
    maxFailoverCount?: Count;
    /** Configuration of the service: TOML text or a map. Default: empty. */
    config?: ConfigInput;
    /** Secret with a client certificate for TiDB. tidb-operator does not use it either. Default: none. */
    tlsClientSecretName?: string;
    /** Whether the Secret `<cluster>-cluster-client-secret` is mounted when TLS is on. Default: false. */
    mountClusterClientSecret?: boolean;
    /** Version of the start script. tidb-operator does not use it either. Default: none. */
    startUpScriptVersion?: "" | "v1";
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
    /** More volumes, one claim each a pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Seconds that the start script waits. tidb-operator uses `spec.pd.startTimeout` instead. Default: none. */
    startTimeout?: Count;
}
