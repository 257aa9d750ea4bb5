/**
 * The DNS names of a pod behind its headless Service, of which its certificate covers one at least: first that by which
 * members call each other (tidb-operator pkg/manager/member/startscript), then those that certificates are often for.
 */
export function peerNames(pod: string, service: string, namespace: string, domain?: string): string[] {
    const short = `${pod}.${service}`;
    const full = `${short}.${namespace}.svc`;
    return [...(domain ? [`${full}.${domain}`] : []), full, `${full}.cluster.local`, `${short}.${namespace}`, short];
}
