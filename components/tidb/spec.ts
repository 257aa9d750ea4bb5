import type {
    ComponentSpec,
    ConfigInput,
    Count,
    NodePort,
    ImagePullPolicy,
    LogTailerSpec,
    ResourceSpec,
    ScalePolicy,
    ServiceSpec,
    StorageVolume,
} from "../componentSpec";
import type { AdditionalPort, Lifecycle } from "../kubernetes/pod";

/** Settings of TiDB, the SQL layer. */
export interface TidbSpec extends ComponentSpec, ResourceSpec {
    /** Number of TiDB servers. The servers are stateless. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tidb`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** The client Service `<cluster>-tidb`. Default: no client Service. */
    service?: TidbServiceSpec;
    /** Whether TiDB writes a binlog to Pump. Default: true if the cluster has Pump. */
    binlogEnabled?: boolean;
    /** How many servers a failover may add for dead ones; 0 switches failover off. `operations.failover` says when. Default: 3. */
    maxFailoverCount?: Count;
    /** Whether the slow log is a separate file that a sidecar prints to its standard output. Default: true. */
    separateSlowLog?: boolean;
    /** Volume of the slow log: one of `storageVolumes` or `additionalVolumes`. Default: an `emptyDir` volume, which is deleted with the pod. */
    slowLogVolumeName?: string;
    /** The sidecar of the slow log. Default: no resources. */
    slowLogTailer?: TidbSlowLogTailerSpec;
    /** TLS between SQL clients and TiDB. Default: off. */
    tlsClient?: TidbTlsClientSpec;
    /** Whether users can log in with `tidb_auth_token`. The keys are in the Secret `<cluster>-tidb-auth-token-jwks-secret`. Default: false. */
    tokenBasedAuthEnabled?: boolean;
    /** Plugins that TiDB loads from `/plugins`. Default: none. */
    plugins?: string[];
    /** Configuration of tidb-server: TOML text or a map. Default: none. */
    config?: ConfigInput;
    /** Hooks that run after the container starts and before it stops (Kubernetes: Lifecycle). Default: none. */
    lifecycle?: Lifecycle;
    /** Additional volumes, each with one claim per pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
    /** Initial password of `root`. Default: root has no password. */
    initializer?: TidbInitializerSpec;
    /** ConfigMap with SQL statements in the key `bootstrap-sql`. TiDB runs them once, when the cluster first starts (6.5.1 or later). Default: none. */
    bootstrapSQLConfigMapName?: string;
    /** How many servers may be added or removed at the same time. Default: 1 and 1. */
    scalePolicy?: ScalePolicy;
    /** A startup probe that runs a program from another image. Default: none. */
    customizedStartupProbe?: CustomizedProbe;
    /** Additional arguments of tidb-server. Default: none. */
    arguments?: string[];
}

/** The client Service of TiDB. */
export interface TidbServiceSpec extends ServiceSpec {
    /** `Local`: external traffic stays on the node that receives it. `Cluster`: it may go to any node. Default: Cluster (Kubernetes' default). */
    externalTrafficPolicy?: "Cluster" | "Local";
    /** Whether the Service also has the status port 10080. Default: true. */
    exposeStatus?: boolean;
    /** Node port for the SQL port. Default: Kubernetes picks one. */
    mysqlNodePort?: NodePort;
    /** Node port for the status port. Default: Kubernetes picks one. */
    statusNodePort?: NodePort;
    /** Additional ports of the Service (Kubernetes: ServicePort). Default: none. */
    additionalPorts?: AdditionalPort[];
}

/** The sidecar of the slow log. */
export interface TidbSlowLogTailerSpec extends LogTailerSpec {
    /** Image with tag. It is used only if `spec.helper.image` is not set. Deprecated: use `spec.helper.image`. Default: the helper's. */
    image?: string;
    /** When the image is pulled. Deprecated: use `spec.helper.imagePullPolicy`. Default: the helper's. */
    imagePullPolicy?: ImagePullPolicy;
}

/** TLS between SQL clients and TiDB. */
export interface TidbTlsClientSpec {
    /** Whether TiDB offers TLS, with the certificate in `<cluster>-tidb-server-secret`. Default: false. */
    enabled?: boolean;
    /** If true, TiDB does not request a certificate from clients. Default: false. */
    disableClientAuthn?: boolean;
    /** If true, the cluster's own SQL clients do not verify TiDB's certificate. Default: false. */
    skipInternalClientCA?: boolean;
}

/** Initial password of `root`. */
export interface TidbInitializerSpec {
    /**
     * Whether root gets a random password once TiDB serves. A root that already has a password keeps it. The password is
     * in the Secret `<cluster>-init`, in the key `root`; an existing Secret with that name is used as it is. Default: false.
     */
    createPassword?: boolean;
}

/** A startup probe that runs a program from an image. The program is copied into TiDB's container. */
export interface CustomizedProbe {
    /** Image that contains the program. */
    image: string;
    /** Name of the program, in the root folder of the image. */
    binaryName: string;
    /** Arguments of the program. Default: none. */
    args?: string[];
    /** Seconds before the first probe. It has no effect, as in tidb-operator. Default: none. */
    initialDelaySeconds?: Count;
    /** Seconds after which a probe times out. Default: 1. */
    timeoutSeconds?: Count;
    /** Seconds between probes. Default: 10. */
    periodSeconds?: Count;
    /** Number of consecutive successes that are needed. It is always 1 for a startup probe. Default: 1. */
    successThreshold?: Count;
    /** Number of consecutive failures after which the container is restarted. Default: 3. */
    failureThreshold?: Count;
}
