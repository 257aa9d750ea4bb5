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
import type { KubernetesFields } from "../kubernetes/pod";

/** What a user may say about TiDB, the SQL layer. */
export interface TidbSpec extends ComponentSpec, ResourceSpec {
    /** Number of servers. They keep no state. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tidb`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** The client Service `<cluster>-tidb`. Default: no such Service. */
    service?: TidbServiceSpec;
    /** Whether TiDB writes a binlog for Pump. Default: whether the cluster has Pump. */
    binlogEnabled?: boolean;
    /** How many extra servers a failover may add; 0 means none. Default: 3. */
    maxFailoverCount?: Count;
    /** Whether a sidecar shows the slow log. Default: true. */
    separateSlowLog?: boolean;
    /** Volume of the slow log: one of `storageVolumes` or `additionalVolumes`. Default: a volume that ends with the pod. */
    slowLogVolumeName?: string;
    /** Resources of the slow log's sidecar. Default: none. */
    slowLogTailer?: TidbSlowLogTailerSpec;
    /** TLS between SQL clients and TiDB. Default: off. */
    tlsClient?: TidbTlsClientSpec;
    /** Whether `tidb_auth_token` works, with keys from the Secret `<cluster>-tidb-auth-token-jwks-secret`. Default: false. */
    tokenBasedAuthEnabled?: boolean;
    /** Plugins that TiDB loads from `/plugins`. Default: none. */
    plugins?: string[];
    /** Configuration of tidb-server: TOML text or a map. Without it no ConfigMap is made; give at least `{}`. Default: none. */
    config?: ConfigInput;
    /** Hooks after the start and before the end of the container (Kubernetes: Lifecycle). Default: none. */
    lifecycle?: KubernetesFields;
    /** More volumes, one claim each a pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
    /** The first password of `root`. Default: root has none. */
    initializer?: TidbInitializerSpec;
    /** ConfigMap whose key `bootstrap-sql` is run once, when the cluster is first started (6.5.1 or later). Default: none. */
    bootstrapSQLConfigMapName?: string;
    /** How many servers one step may add or remove. Default: 1 and 1. */
    scalePolicy?: ScalePolicy;
    /** A startup probe that runs a program from an image of its own. Default: none. */
    customizedStartupProbe?: CustomizedProbe;
    /** More arguments of tidb-server. Default: none. */
    arguments?: string[];
}

/** The Service of TiDB. */
export interface TidbServiceSpec extends ServiceSpec {
    /** Whether traffic from outside stays on the node that it came to. Default: Cluster (Kubernetes' own). */
    externalTrafficPolicy?: "Cluster" | "Local";
    /** Whether the status port 10080 is offered too. Default: true. */
    exposeStatus?: boolean;
    /** Port of each node that leads to the SQL port. Default: Kubernetes picks one. */
    mysqlNodePort?: NodePort;
    /** Port of each node that leads to the status port. Default: Kubernetes picks one. */
    statusNodePort?: NodePort;
    /** More ports (Kubernetes: ServicePort). Default: none. */
    additionalPorts?: KubernetesFields[];
}

/** The sidecar of the slow log. */
export interface TidbSlowLogTailerSpec extends LogTailerSpec {
    /** Image with tag. Deprecated: use `spec.helper.image`. Not the helper's image only where that is not set. Default: the helper's. */
    image?: string;
    /** When the image is pulled. Deprecated: use `spec.helper.imagePullPolicy`. Default: the helper's. */
    imagePullPolicy?: ImagePullPolicy;
}

/** TLS between SQL clients and TiDB. */
export interface TidbTlsClientSpec {
    /** Whether TiDB offers TLS, with the certificate in `<cluster>-tidb-server-secret`. Default: false. */
    enabled?: boolean;
    /** Whether TiDB does not ask clients for a certificate. Default: false. */
    disableClientAuthn?: boolean;
    /** Whether the cluster's own SQL clients do not check TiDB's certificate. Default: false. */
    skipInternalClientCA?: boolean;
}

/** The first password of `root`. */
export interface TidbInitializerSpec {
    /**
     * Whether root, unless it has a password, gets a random one once TiDB serves. It is kept in the Secret
     * `<cluster>-init` by the key `root`; a Secret of that name which is there already is used as it is. Default: false.
     */
    createPassword?: boolean;
}

/** A startup probe: a program at the root of an image, copied into TiDB's container. */
export interface CustomizedProbe {
    /** Image that holds the program. */
    image: string;
    /** Name of the program, at the image's root. */
    binaryName: string;
    /** Its arguments. Default: none. */
    args?: string[];
    /** Seconds before the first probe. tidb-operator does not use it either. Default: none. */
    initialDelaySeconds?: Count;
    /** Seconds after which one probe has failed. Default: 1. */
    timeoutSeconds?: Count;
    /** Seconds between probes. Default: 10. */
    periodSeconds?: Count;
    /** Successes in a row that are needed. A startup probe has 1. Default: 1. */
    successThreshold?: Count;
    /** Failures in a row after which the container is restarted. Default: 3. */
    failureThreshold?: Count;
}
