import type { ClusterFacts } from "./model";

/** The server's settings, from environment variables. */
export interface Settings extends ClusterFacts {
    readonly namespace: string;
    /** Whether the cluster spans several Kubernetes clusters. */
    readonly acrossK8s: boolean;
    /** Whether the cluster has its own PD. */
    readonly hasPd: boolean;
    /** Domain appended to host names, with a leading dot; may be empty. */
    readonly domain: string;
    /** The cluster that this one joins. */
    readonly reference?: { readonly name: string; readonly namespace: string; readonly domain: string };
    /** Whether the server uses TLS and requests client certificates. */
    readonly mtls: boolean;
}

/** Names of the environment variables. The first five are tidb-operator's. */
export const variables = {
    namespace: "MY_POD_NAMESPACE",
    timezone: "TZ",
    clusterName: "TC_NAME",
    tls: "TC_TLS_ENABLED",
    mtls: "DISCOVERY_MTLS_ENABLED",
    hasPd: "TC_HAS_PD",
    clusterDomain: "TC_CLUSTER_DOMAIN",
    acrossK8s: "TC_ACROSS_K8S",
    pdAddresses: "TC_PD_ADDRESSES",
    referenceName: "TC_REFERENCE_NAME",
    referenceNamespace: "TC_REFERENCE_NAMESPACE",
    referenceDomain: "TC_REFERENCE_CLUSTER_DOMAIN",
} as const;

/** Reads the settings. Throws an error that names the variable if a required one is missing. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
    const required = (name: string) => {
        const value = environment[name];
        if (!value) {
            throw new Error(
                `environment variable ${name} is not set: discovery needs it to know which cluster it serves`,
            );
        }
        return value;
    };
    const isTrue = (name: string) => environment[name] === "true";
    const withDot = (domain: string | undefined) => (domain ? `.${domain}` : "");
    const namespace = required(variables.namespace);
    const referenceName = environment[variables.referenceName];
    const domain = withDot(environment[variables.clusterDomain]);
    const acrossK8s = isTrue(variables.acrossK8s);
    return {
        name: required(variables.clusterName),
        namespace,
        scheme: isTrue(variables.tls) ? "https" : "http",
        hasPd: environment[variables.hasPd] !== "false",
        domain,
        acrossK8s,
        namedByHost: domain !== "" || acrossK8s,
        joinsAnother: Boolean(referenceName),
        pdAddresses: (environment[variables.pdAddresses] ?? "").split(",").filter((address) => address !== ""),
        reference: referenceName
            ? {
                  name: referenceName,
                  namespace: environment[variables.referenceNamespace] || namespace,
                  domain: withDot(environment[variables.referenceDomain]),
              }
            : undefined,
        mtls: isTrue(variables.mtls),
    };
}
