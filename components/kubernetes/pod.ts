/**
 * Kubernetes' pod types, as far as a spec passes them through to a pod unchanged. The tag `@kubernetes` names the type by whose schema
 * the fields that it has are checked. The types are open, so a field that a newer Kubernetes adds can be used at once.
 */

/** An object with the fields of a Kubernetes type. The comment of each field of this type names the Kubernetes type. */
export interface KubernetesFields {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    [field: string]: any;
}

/** @kubernetes V1Affinity */
export type Affinity = KubernetesFields;

/** @kubernetes V1EnvFromSource */
export type EnvironmentSource = KubernetesFields;

/** @kubernetes V1ObjectFieldSelector */
export type FieldSelector = KubernetesFields;

/** @kubernetes V1Lifecycle */
export type Lifecycle = KubernetesFields;

/** @kubernetes V1PodDNSConfig */
export type PodDnsConfig = KubernetesFields;

/** @kubernetes CoreV1ResourceClaim */
export type ResourceClaim = KubernetesFields;

/** @kubernetes V1ResourceFieldSelector */
export type ResourceFieldSelector = KubernetesFields;

/** @kubernetes V1SecurityContext */
export type SecurityContext = KubernetesFields;

/** @kubernetes V1ServicePort */
export type AdditionalPort = KubernetesFields;

/** @kubernetes V1Toleration */
export type Toleration = KubernetesFields;

/** An environment variable of a container (Kubernetes: EnvVar). */
export interface EnvironmentVariable {
    /** Name of the variable. */
    name: string;
    /** Value of the variable. It cannot be combined with `valueFrom`. Default: empty. */
    value?: string;
    /** Source of the value. In a spec: either `configMapKeyRef` or `secretKeyRef`. Default: none. */
    valueFrom?: EnvironmentVariableSource;
}

/** Source of the value of an environment variable (Kubernetes: EnvVarSource). */
export interface EnvironmentVariableSource {
    /** A key of a ConfigMap in the cluster's namespace. Default: none. */
    configMapKeyRef?: KeyReference;
    /** A key of a Secret in the cluster's namespace. Default: none. */
    secretKeyRef?: KeyReference;
    /** A field of the pod. A spec cannot use it, as in tidb-operator, except for TiProxy. The rendered containers use it. Default: none. */
    fieldRef?: FieldSelector;
    /** A resource of the container. A spec cannot use it, as in tidb-operator, except for TiProxy. Default: none. */
    resourceFieldRef?: ResourceFieldSelector;
}

/** A key of a ConfigMap or Secret. */
export interface KeyReference {
    /** Name of the ConfigMap or Secret. Default: empty. */
    name?: string;
    /** Key in the data of the ConfigMap or Secret. */
    key: string;
    /** Whether the pod starts even if the key does not exist. Default: false. */
    optional?: boolean;
}

/**
 * A container (Kubernetes: Container). Only the fields that this package reads or writes are listed.
 * @kubernetes V1Container
 */
export interface Container extends KubernetesFields {
    /** Name, unique in the pod. */
    name: string;
    /** Image with tag. Default: none. */
    image?: string;
}

/**
 * A volume of a pod (Kubernetes: Volume).
 * @kubernetes V1Volume
 */
export interface Volume extends KubernetesFields {
    /** Name, unique in the pod. */
    name: string;
}

/**
 * A mount of a volume in a container (Kubernetes: VolumeMount).
 * @kubernetes V1VolumeMount
 */
export interface VolumeMount extends KubernetesFields {
    /** Name of the volume. */
    name: string;
    /** Absolute path in the container. */
    mountPath: string;
    /** Whether the mount is read-only. Default: false. */
    readOnly?: boolean;
}

/** A reference to a Secret by name (Kubernetes: LocalObjectReference). */
export interface LocalObjectReference {
    /** Name of the Secret. Default: empty. */
    name?: string;
}

/**
 * Security context of a pod (Kubernetes: PodSecurityContext). Only the fields that this package reads are listed.
 * @kubernetes V1PodSecurityContext
 */
export interface PodSecurityContext extends KubernetesFields {
    /** Kernel parameters of the pod. With the annotation `tidb.pingcap.com/sysctl-init: "true"` an init container sets them. Default: none. */
    sysctls?: Sysctl[];
}

/** A kernel parameter. */
export interface Sysctl {
    /** Name of the parameter: `net.core.somaxconn`. */
    name: string;
    /** Value of the parameter. */
    value: string;
}

/** Resource requests or limits, by resource name. */
export interface ResourceList {
    /** CPU, in cores: `4`, `500m`. Default: none. */
    cpu?: Quantity;
    /** Memory, in bytes: `8Gi`. Default: none. */
    memory?: Quantity;
    /** Storage, in bytes: `100Gi`. It belongs to the member's volume, not to the container. Default: none. */
    storage?: Quantity;
    /** Any other resource, by its Kubernetes name: `hugepages-2Mi`, `ephemeral-storage`. */
    [resource: string]: Quantity | undefined;
}

/** A Kubernetes quantity: a number, or text such as `10Gi`, `500m`, `1e3`. */
export type Quantity = string | number;
