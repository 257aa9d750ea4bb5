import type { ComponentSpec, ConfigInput, Count, ResourceSpec, ServiceSpec, StorageVolume } from "../componentSpec";

/** A microservice of PD: `tso` allocates timestamps, `scheduling` places regions. */
export type PdMicroserviceName = "tso" | "scheduling";

/** Settings of a microservice of PD. It runs only if `spec.pd.mode` is `ms`. */
export interface PdMicroserviceSpec extends ComponentSpec, ResourceSpec {
    /** Name of the microservice. Each may be listed once. */
    name: PdMicroserviceName;
    /** Number of servers. One is the primary; another one takes over if it fails. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/pd`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** The client Service `<cluster>-<name>`. Default: ClusterIP. */
    service?: ServiceSpec;
    /** How many extra servers a failover may add. It has no effect: microservices have no failover. Default: 3. */
    maxFailoverCount?: Count;
    /** Configuration of the service: TOML text or a map. Default: empty. */
    config?: ConfigInput;
    /** Secret with a client certificate for TiDB. It has no effect, as in tidb-operator. Default: none. */
    tlsClientSecretName?: string;
    /** Whether the Secret `<cluster>-cluster-client-secret` is mounted. It needs `tlsCluster.enabled`. Default: false. */
    mountClusterClientSecret?: boolean;
    /** Version of the start script. It has no effect, as in tidb-operator. Default: none. */
    startUpScriptVersion?: "" | "v1";
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
    /** Additional volumes, each with one claim per pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** It has no effect: `spec.pd.startTimeout` applies, as in tidb-operator. Default: none. */
    startTimeout?: Count;
}
