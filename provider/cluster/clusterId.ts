/** Where a cluster's objects are, and how to distinguish them from others. */
export interface ClusterId {
    namespace: string;
    /** Name of the TidbCluster: the prefix of its objects' names. */
    cluster: string;
    /** Value of the label `app.kubernetes.io/instance` on its objects. */
    instance: string;
    /** Domain after its pods' host names (`spec.clusterDomain`). Default: none. */
    domain?: string;
}
