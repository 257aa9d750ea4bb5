/** Where a cluster's PD is, and how to reach it. */
export interface PdAccess {
    /** Namespace of the TidbCluster that PD belongs to (another one in a heterogeneous cluster). */
    namespace: string;
    /** Name of that TidbCluster. */
    cluster: string;
    /** Value of `app.kubernetes.io/instance` on its pods. */
    instance: string;
    /** Addresses to use instead of a port-forward: `http(s)://host:port`, comma-separated. Default: a port-forward. */
    address?: string;
    /** Whether PD requires TLS (`spec.tlsCluster.enabled`). */
    tls: boolean;
    /** Domain after its members' host names (`clusterDomain`); their certificates may be for it. Default: none. */
    domain?: string;
}
