/** Names of a cluster's objects: the same as tidb-operator's (pkg/controller/controller_utils.go). */

/** Name of a member's StatefulSet, client Service and ConfigMap: `<cluster>-<member>`. */
export function memberName(cluster: string, member: string): string {
    return `${cluster}-${member}`;
}

/** Name of a member's headless Service: `<cluster>-<member>-peer`. */
export function peerServiceName(cluster: string, member: string): string {
    return `${cluster}-${member}-peer`;
}

/** Name of a member's pod: `<cluster>-<member>-<ordinal>`. */
export function podName(cluster: string, member: string, ordinal: number): string {
    return `${memberName(cluster, member)}-${ordinal}`;
}

/** Name of the claim of a pod's volume: `<volume>-<cluster>-<member>-<ordinal>`. */
export function claimName(volume: string, cluster: string, member: string, ordinal: number): string {
    return `${volume}-${podName(cluster, member, ordinal)}`;
}

/** Name of the Lease that says who operates the cluster: `<cluster>-pulumi-tidb`. */
export function leaseName(cluster: string): string {
    return `${cluster}-pulumi-tidb`;
}

/**
 * Name of one of `storageVolumes` in a pod, hence of its claims: `<member>-<name>`. The volume without a name is the
 * member's data volume and has the member's name.
 */
export function volumeName(member: string, name: string): string {
    return name === "" ? member : `${member}-${name}`;
}
