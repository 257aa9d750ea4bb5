/**
 * Kubernetes' own pod types, as far as a spec passes them through to a pod unchanged. They are open: the API server
 * checks what is inside, so that a field that a newer Kubernetes adds can be used at once.
 */

/** An object whose fields are those of the Kubernetes type that its field's comment names. */
export interface KubernetesFields {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    [field: string]: any;
}

/** One environment variable of a container (Kubernetes: EnvVar). */
export interface EnvironmentVariable {
    /** Name of the variable. */
    name: string;
    /** Its value. Not together with `valueFrom`. Default: empty. */
    value?: string;
    /** Where the value comes from: exactly one of `configMapKeyRef` and `secretKeyRef` in a spec. Default: none. */
    valueFrom?: EnvironmentVariableSource;
}

/** Where the value of an environment variable comes from (Kubernetes: EnvVarSource). */
export interface EnvironmentVariableSource {
    /** A key of a ConfigMap in the cluster's namespace. Default: none. */
    configMapKeyRef?: KeyReference;
    /** A key of a Secret in the cluster's namespace. Default: none. */
    secretKeyRef?: KeyReference;
    /** A field of the pod. The rendered containers use it; in a spec it is refused, as tidb-operator does, but for TiProxy. Default: none. */
    fieldRef?: KubernetesFields;
    /** A resource of the container. In a spec it is refused, as tidb-operator does, but for TiProxy. Default: none. */
    resourceFieldRef?: KubernetesFields;
}

/** A key of a ConfigMap or Secret. */
export interface KeyReference {
    /** Name of the ConfigMap or Secret. Default: empty. */
    name?: string;
    /** The key in its data. */
    key: string;
    /** Whether the pod starts without it. Default: false. */
    optional?: boolean;
}

/** A container (Kubernetes: Container); only what this package reads or writes is named. */
export interface Container extends KubernetesFields {
    /** Name, unique in the pod. */
    name: string;
    /** Image with tag. Default: none. */
    image?: string;
}

/** A volume of a pod (Kubernetes: Volume). */
export interface Volume extends KubernetesFields {
    /** Name, unique in the pod. */
    name: string;
}

/** Where a container sees a volume (Kubernetes: VolumeMount). */
export interface VolumeMount extends KubernetesFields {
    /** Name of the volume. */
    name: string;
    /** Absolute path in the container. */
    mountPath: string;
    /** Whether the container cannot write to it. Default: false. */
    readOnly?: boolean;
}

/** A reference to a Secret by name (Kubernetes: LocalObjectReference). */
export interface LocalObjectReference {
    /** Name of the Secret. Default: empty. */
    name?: string;
}

/** The security settings of a pod (Kubernetes: PodSecurityContext); only what this package reads is named. */
export interface PodSecurityContext extends KubernetesFields {
    /** Kernel parameters of the pod's namespaces. With the annotation `tidb.pingcap.com/sysctl-init: "true"` an init container sets them. Default: none. */
    sysctls?: Sysctl[];
}

/** A kernel parameter. */
export interface Sysctl {
    /** Its name, for example `net.core.somaxconn`. */
    name: string;
    /** Its value. */
    value: string;
}

/** Requests or limits: resource name to quantity. */
export interface ResourceList {
    /** Processor time, in cores: `4`, `500m`. Default: none. */
    cpu?: Quantity;
    /** Memory, in bytes: `8Gi`. Default: none. */
    memory?: Quantity;
    /** Size of the member's own volume, in bytes: `100Gi`. Not a resource of the container. Default: none. */
    storage?: Quantity;
    /** Any other resource, by its Kubernetes name, for example `hugepages-2Mi` or `ephemeral-storage`. */
    [resource: string]: Quantity | undefined;
}

/** A Kubernetes quantity: a number, or text such as `10Gi`, `500m`, `1e3`. */
export type Quantity = string | number;
