/** Where a cluster's objects are, and how they are told from others. */
export interface ClusterId {
    namespace: string;
    /** Name of the TidbCluster, the start of its objects' names. */
    cluster: string;
    /** Value of their label `app.kubernetes.io/instance`. */
    instance: string;
    /** Domain behind its pods' host names (`spec.clusterDomain`). Default: none. */
    domain?: string;
}
