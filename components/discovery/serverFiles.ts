/** What discovery needs to know about its cluster. */
export interface DiscoveryServerOptions {
    /** Name of the cluster (`metadata.name`). */
    clusterName: string;
    /** Whether members talk TLS (`spec.tlsCluster.enabled`). Default: false. */
    tls?: boolean;
    /** Whether discovery itself talks TLS and asks for certificates (`spec.tlsCluster.enableDiscoveryMTLS`). Default: false. */
    mtls?: boolean;
    /** Whether the cluster has PD of its own (`spec.pd`). Default: true. */
    hasPd?: boolean;
    /** Domain appended to host names (`spec.clusterDomain`). Default: none. */
    clusterDomain?: string;
    /** Whether the cluster spans several Kubernetes clusters (`spec.acrossK8s`). Default: false. */
    acrossK8s?: boolean;
    /** Client URLs of a PD elsewhere that this cluster joins (`spec.pdAddresses`). Default: none. */
    pdAddresses?: readonly string[];
    /** The cluster that this one joins (`spec.cluster`). Default: none. */
    referenceCluster?: { name: string; namespace?: string; clusterDomain?: string };
}

/**
 * Environment of the server's container, but for MY_POD_NAMESPACE (the pod's own namespace, from its metadata) and TZ,
 * which the manifest adds. Variables without a value are left out.
 */
export function discoveryServerEnvironment(options: DiscoveryServerOptions): { name: string; value: string }[] {
    return [{ name: "TC_NAME", value: options.clusterName }];
}

/** The server's files, by name, as `node main.js` in a folder of theirs runs them: the data of the ConfigMap `<cluster>-discovery`. */
export function discoveryServerFiles(): Record<string, string> {
    return { "main.js": "" };
}
