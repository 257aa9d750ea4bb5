/** The network identity of a cluster's pods. It distinguishes them from pods with the same names elsewhere. */
export interface HostIdentity {
    namespace: string;
    /** `spec.clusterDomain`. Default: none. */
    domain?: string;
}

/**
 * @param host the host that a store, a pump or a PD member registered, without its port.
 * @param service the headless Service that gives the cluster's pods their names.
 * @returns the name of the pod with this host in this Kubernetes cluster; `undefined` if the host belongs to no pod of
 * the cluster. A host with another domain belongs to another Kubernetes cluster, even if names and namespaces are the
 * same (`spec.acrossK8s`). A host without a domain was registered before `spec.clusterDomain` was set; such names
 * resolve only inside the same Kubernetes cluster.
 */
export function podOfHost(host: string, service: string, identity: HostIdentity): string | undefined {
    const named = podInDomain(host, service, identity);
    return named && (named.domain === "" || named.domain === identity.domain) ? named.podName : undefined;
}

/** @returns the pod of this host's name and its domain, whichever that is; `undefined` if the host has another name or namespace. */
export function podInDomain(
    host: string,
    service: string,
    { namespace }: Pick<HostIdentity, "namespace">,
): { podName: string; domain: string } | undefined {
    const [podName, inService, inNamespace, svc, ...rest] = host.split(".");
    return inService === service && inNamespace === namespace && svc === "svc"
        ? { podName, domain: rest.join(".") }
        : undefined;
}

/**
 * @returns the pod that a PD member's name refers to. The name is the pod's name or, across Kubernetes clusters, its
 * full domain name (tidb-operator pkg/manager/member/startscript/v2/pd_start_script.go).
 */
export function podOfMemberName(name: string, service: string, identity: HostIdentity): string | undefined {
    return name.includes(".") ? podOfHost(name, service, identity) : name || undefined;
}
