/** Where the PD of a cluster is, and how to speak to it. */
export interface PdAccess {
    /** Namespace of the TidbCluster whose PD it is (another one's, in a heterogeneous cluster). */
    namespace: string;
    /** Name of that TidbCluster. */
    cluster: string;
    /** Value of `app.kubernetes.io/instance` on its pods. */
    instance: string;
    /** Addresses that replace the port-forward: `http(s)://host:port`, comma-separated. Default: forwarded. */
    address?: string;
    /** Whether PD asks for TLS (`spec.tlsCluster.enabled`). */
    tls: boolean;
    /** Domain behind its members' host names (`clusterDomain`), which their certificates may be for. Default: none. */
    domain?: string;
}
