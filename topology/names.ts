import { type Component, topology } from "./members";

/** Names of a cluster's objects: the same as tidb-operator's (pkg/controller/controller_utils.go) where it has them. */

/** What has a Service and pods: a member, or discovery. */
export type Workload = Component | "discovery";

/** Name of a member's StatefulSet, client Service and ConfigMap: `<cluster>-<member>`. */
export function memberName(cluster: string, member: Workload): string {
    return `${cluster}-${member}`;
}

/** Name of a Service for a member's peers: `<cluster>-<member>-peer`. */
export function peerServiceName(cluster: string, member: Workload): string {
    return `${memberName(cluster, member)}-peer`;
}

/** Name of a member's headless Service, behind which its pods have names: `<cluster>-<member>-peer`; Pump's is `<cluster>-pump`. */
export function headlessServiceName(cluster: string, component: Component): string {
    return topology[component].headlessService === "member"
        ? memberName(cluster, component)
        : peerServiceName(cluster, component);
}

const leaseEnd = "-pulumi-tidb";

/** Name of the Lease that says who operates the cluster: `<cluster>-pulumi-tidb`. */
export function leaseName(cluster: string): string {
    return `${cluster}${leaseEnd}`;
}

/** @returns the cluster whose Lease has this name. */
export function clusterOfLease(lease: string): string {
    return lease.slice(0, -leaseEnd.length);
}

/** Secret with the certificate of a member's own: `<cluster>-<member>-cluster-secret`. */
export function memberSecretName(cluster: string, member: Workload): string {
    return `${memberName(cluster, member)}-cluster-secret`;
}

/** Secret with the certificate that clients of members show, gates among them: `<cluster>-cluster-client-secret`. */
export function clientSecretName(cluster: string): string {
    return `${cluster}-cluster-client-secret`;
}

/** Secret with the certificate that SQL clients are shown: `<cluster>-tidb-server-secret`. */
export function sqlServerSecretName(cluster: string): string {
    return `${memberName(cluster, "tidb")}-server-secret`;
}

/** Secret with the certificate that the cluster's own SQL clients show, where none is named: `<cluster>-tidb-client-secret`. */
export function sqlClientSecretName(cluster: string): string {
    return `${memberName(cluster, "tidb")}-client-secret`;
}

/** Secret with the keys by which TiDB checks `tidb_auth_token`: `<cluster>-tidb-auth-token-jwks-secret`. */
export function authTokenSecretName(cluster: string): string {
    return `${memberName(cluster, "tidb")}-auth-token-jwks-secret`;
}

/** Secret with root's first password: `<cluster>-init`. */
export function passwordSecretName(cluster: string): string {
    return `${cluster}-init`;
}
