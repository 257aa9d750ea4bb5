/** A Kubernetes object as plain data, as it is sent to the API server or written to a YAML file. */
export interface KubernetesObject {
    apiVersion: string;
    kind: string;
    metadata: ObjectMetadata;
    // The other fields depend on the kind. They are those of Kubernetes' API reference.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    [field: string]: any;
}

/** The fields of an object's metadata that this package sets. */
export interface ObjectMetadata {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
}
