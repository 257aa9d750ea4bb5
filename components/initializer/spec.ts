import type { ImagePullPolicy } from "../componentSpec";
import type { KubernetesFields } from "../kubernetes/pod";

/** What a TidbInitializer does, with the field names of tidb-operator's `v1alpha1`. */
export interface InitializerSpec {
    /** Image with Python and the module MySQLdb. Default: `tnir/mysqlclient`, the image of tidb-operator's examples. */
    image?: string;
    /** The cluster, in the namespace of the TidbInitializer. Default: the argument `tidbCluster`. One of the two must be there. */
    cluster?: InitializedClusterRef;
    /**
     * SQL statements, each with a `;` at its end. They run after the passwords are set, as root, in one session. A later attempt runs them again.
     * Default: none.
     */
    initSql?: string;
    /** Name of a ConfigMap whose key `init-sql` has the SQL statements. It takes the place of `initSql`. Default: none. */
    initSqlConfigMap?: string;
    /**
     * Name of a Secret whose keys are users and whose values are their passwords; of several lines, the first counts. `root` gets its password; other users are
     * created, or get the password if they exist. Default: no password is set.
     */
    passwordSecret?: string;
    /** The only host from which root and the users of `passwordSecret` may connect, as MySQL writes it: `10.0.%`. Default: `%`, every host. */
    permitHost?: string;
    /**
     * Name of the Secret with the client certificate for TiDB. It has no effect if `tidbCluster` has no TLS for SQL clients. Default:
     * `<cluster>-tidb-client-secret` if `tidbCluster` has it, or else no TLS.
     */
    tlsClientSecretName?: string;
    /** Time zone of the Job's container (`TZ`): `Asia/Shanghai`. SQL sessions have the time zone of TiDB. Default: that of the image. */
    timezone?: string;
    /** When the image is pulled. Default: Kubernetes' choice. */
    imagePullPolicy?: ImagePullPolicy;
    /** Secrets for pulling the image. Default: none. */
    imagePullSecrets?: { name: string }[];
    /** Service account of the pod. Default: that of the namespace. Its token is not mounted. */
    serviceAccountName?: string;
    /** Security context of the pod (Kubernetes: PodSecurityContext). Default: none. */
    podSecurityContext?: KubernetesFields;
    /** Requests and limits of the container (Kubernetes: ResourceRequirements). Default: none. */
    resources?: KubernetesFields;
    /** Taints that the pod tolerates (Kubernetes: Toleration). Default: none. */
    tolerations?: KubernetesFields[];
    /** Labels of the nodes that the pod may run on. Default: any node. */
    nodeSelector?: Record<string, string>;
}

/** A cluster that is initialized. */
export interface InitializedClusterRef {
    /** Name of the TidbCluster. */
    name: string;
    /** Namespace of the TidbCluster. Default and only value: that of the TidbInitializer. */
    namespace?: string;
}

/** Image of the Job, as in tidb-operator's examples. */
export const initializerImage = "tnir/mysqlclient";

/** The fields of a spec whose values may be Outputs in a program. */
export type InitializerTexts =
    "image" | "initSql" | "initSqlConfigMap" | "passwordSecret" | "permitHost" | "tlsClientSecretName" | "timezone";

/** The fields of a spec. */
export const initializerFields = [
    "image",
    "cluster",
    "initSql",
    "initSqlConfigMap",
    "passwordSecret",
    "permitHost",
    "tlsClientSecretName",
    "timezone",
    "imagePullPolicy",
    "imagePullSecrets",
    "serviceAccountName",
    "podSecurityContext",
    "resources",
    "tolerations",
    "nodeSelector",
] as const satisfies (keyof InitializerSpec)[];
