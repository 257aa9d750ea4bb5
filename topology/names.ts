import { type Component, topology } from "./members";

/**
 * Names of a cluster's objects: tidb-operator's names (pkg/controller/controller_utils.go) for objects that it has,
 * too.
 */

/** A part of a cluster that has a Service and pods: a member, or discovery. */
export type Workload = Component | "discovery";

/** Name of a member's StatefulSet, client Service and ConfigMap: `<cluster>-<member>`. */
export function memberName(cluster: string, member: Workload): string {
    return `${cluster}-${member}`;
}

/** Name of a Service for a member's peers: `<cluster>-<member>-peer`. */
export function peerServiceName(cluster: string, member: Workload): string {
    return `${memberName(cluster, member)}-peer`;
}

/**
 * Name of the headless Service that gives a member's pods DNS names: `<cluster>-<member>-peer`; Pump's is
 * `<cluster>-pump`.
 */
export function headlessServiceName(cluster: string, component: Component): string {
    return topology[component].headlessService === "member"
        ? memberName(cluster, component)
        : peerServiceName(cluster, component);
}

const leaseSuffix = "-pulumi-tidb";

/** Name of the Lease that records which run operates the cluster: `<cluster>-pulumi-tidb`. */
export function leaseName(cluster: string): string {
    return `${cluster}${leaseSuffix}`;
}

/** @returns whether a Lease with this name can be that of a cluster. */
export function isClusterLease(name: string): boolean {
    return name.endsWith(leaseSuffix);
}

/** @returns the name of the cluster that a Lease belongs to. */
export function clusterOfLease(lease: string): string {
    return lease.slice(0, -leaseSuffix.length);
}

/** Name of the Secret with a member's own certificate: `<cluster>-<member>-cluster-secret`. */
export function memberSecretName(cluster: string, member: Workload): string {
    return `${memberName(cluster, member)}-cluster-secret`;
}

/** Name of the Secret with the certificate for clients of members, such as gates: `<cluster>-cluster-client-secret`. */
export function clientSecretName(cluster: string): string {
    return `${cluster}-cluster-client-secret`;
}

/** Name of the Secret with the certificate that TiDB presents to SQL clients: `<cluster>-tidb-server-secret`. */
export function sqlServerSecretName(cluster: string): string {
    return `${memberName(cluster, "tidb")}-server-secret`;
}

/** Default name of the Secret with the certificate of the cluster's own SQL clients: `<cluster>-tidb-client-secret`. */
export function sqlClientSecretName(cluster: string): string {
    return `${memberName(cluster, "tidb")}-client-secret`;
}

/**
 * Name of the Secret with the keys that TiDB verifies `tidb_auth_token` with: `<cluster>-tidb-auth-token-jwks-secret`.
 */
export function authTokenSecretName(cluster: string): string {
    return `${memberName(cluster, "tidb")}-auth-token-jwks-secret`;
}

/** Name of the Secret with root's first password: `<cluster>-init`. */
export function passwordSecretName(cluster: string): string {
    return `${cluster}-init`;
}

/** Name of the ConfigMap with the journal of the last operations: `<cluster>-journal`. */
export function journalName(cluster: string): string {
    return `${cluster}-journal`;
}

/** @returns how a command for a cluster names its namespace. */
export function namespaceFlag(namespace: string): string {
    return namespace === "default" ? "" : ` --namespace ${namespace}`;
}
