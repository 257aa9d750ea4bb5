/** Identity of the cluster. Fields that the API server adds to a stored object are accepted and ignored. */
export interface ManifestMetadata {
    /** Name of the cluster. The name of every object begins with it. A DNS label. */
    name: string;
    /** Namespace of every object. Default: `default`. */
    namespace?: string;
    /** Labels. Every object gets the value of `app.kubernetes.io/instance`, instead of the cluster's name, in the label of that key. As with the operator, no other label reaches an object. Default: none. */
    labels?: Record<string, string>;
    /** Annotations. `<member>.tidb.pingcap.com/delete-slots` is copied to the member's StatefulSet. Default: none. */
    annotations?: Record<string, string>;
}
