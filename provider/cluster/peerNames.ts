/**
 * The DNS names of a pod behind its headless Service. Its certificate covers at least one of them. The first is the name
 * by which members call each other (tidb-operator pkg/manager/member/startscript); the others are common in certificates.
 */
export function peerNames(pod: string, service: string, namespace: string, domain?: string): string[] {
    const short = `${pod}.${service}`;
    const full = `${short}.${namespace}.svc`;
    return [...(domain ? [`${full}.${domain}`] : []), full, `${full}.cluster.local`, `${short}.${namespace}`, short];
}
