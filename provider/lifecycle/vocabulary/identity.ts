/** Where a cluster's pods are reached: what tells them from pods of the same name elsewhere. */
export interface HostIdentity {
    namespace: string;
    /** `spec.clusterDomain`. Default: none. */
    domain?: string;
}

/**
 * @param host as a store, a pump or a member of PD registers it, without its port.
 * @param service the headless Service behind which the cluster's pods have their names.
 * @returns the name of the pod whose host it is, in this Kubernetes cluster; `undefined` for anybody else's. A host of
 * another domain is another Kubernetes cluster's, even where names and namespaces are the same (`spec.acrossK8s`); one
 * without a domain was registered before `spec.clusterDomain` was set, and names of that kind lead to pods next door only.
 */
export function podOfHost(host: string, service: string, { namespace, domain }: HostIdentity): string | undefined {
    const [podName, inService, inNamespace, svc, ...rest] = host.split(".");
    const isOurs =
        inService === service &&
        inNamespace === namespace &&
        svc === "svc" &&
        (rest.length === 0 || rest.join(".") === domain);
    return isOurs ? podName : undefined;
}

/**
 * @returns the pod of which a member of PD has its name: the pod's own, or across Kubernetes clusters its full domain
 * name (tidb-operator pkg/manager/member/startscript/v2/pd_start_script.go).
 */
export function podOfMemberName(name: string, service: string, identity: HostIdentity): string | undefined {
    return name.includes(".") ? podOfHost(name, service, identity) : name || undefined;
}
