/** A plain Kubernetes object, as it goes to the API server or into a YAML file. */
export interface KubernetesObject {
    apiVersion: string;
    kind: string;
    metadata: ObjectMetadata;
    // The rest of an object depends on its kind; it is written here as Kubernetes documents it.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    [field: string]: any;
}

/** The part of an object's metadata that this package states itself. */
export interface ObjectMetadata {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
}
