/** A detail of the start scripts, by the name it has in `spec.startScriptV2FeatureFlags`. Each needs version `v2`. */
export type StartScriptFlag = "WaitForDnsNameIpMatch" | "PreferPDAddressesOverDiscovery" | "BashShebang" | "NoWaitDNS";

/** What the start script of every member needs to know about its cluster. */
export interface StartScriptOptions {
    /** Name of the cluster (`metadata.name`). */
    clusterName: string;
    /** `https` with TLS between members (`spec.tlsCluster.enabled`), else `http`. */
    scheme: "http" | "https";
    /** Domain appended to host names (`spec.clusterDomain`). Default: none. */
    clusterDomain?: string;
    /** Whether the cluster spans several Kubernetes clusters (`spec.acrossK8s`). Default: false. */
    acrossK8s?: boolean;
    /** Whether members listen on IPv6 (`spec.preferIPv6`). Default: false. */
    preferIPv6?: boolean;
    /** Whether discovery asks for a client certificate (`spec.tlsCluster.enableDiscoveryMTLS`). Default: false. */
    discoveryMtls?: boolean;
    /** Which of the operator's scripts to be like, where they differ for users (`spec.startScriptVersion`). Default: v1. */
    version?: "v1" | "v2" | "";
    /** Details (`spec.startScriptV2FeatureFlags`); used with version `v2` only, as the operator does. Default: none. */
    featureFlags?: readonly StartScriptFlag[];
}

/** How the script of a member that talks to PD finds it. */
export interface PdClientScriptOptions extends StartScriptOptions {
    /** Whether the cluster has PD of its own (`spec.pd`). Default: true. */
    hasPd?: boolean;
    /** The cluster that this one joins (`spec.cluster`). Default: none. */
    referenceCluster?: ReferenceCluster;
    /** Addresses of a PD elsewhere (`spec.pdAddresses`). Default: none. */
    pdAddresses?: readonly string[];
}

/** Another TiDB cluster on Kubernetes (`spec.cluster`). */
export interface ReferenceCluster {
    /** Its name. */
    name: string;
    /** Its namespace, where that is another one. Default: the cluster's own. */
    namespace?: string;
    /** Domain of the Kubernetes cluster that it runs in. Default: none. */
    clusterDomain?: string;
}
