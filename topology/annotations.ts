import type { Workload } from "./names";

/** Annotations that this package writes or reads. One that a single member knows is in that member's folder. */

/**
 * Of a StatefulSet: the digest of the pod template as it was rendered. By it a gate tells, in a preview and after a run
 * that was killed, whether the live StatefulSet has the wanted template already.
 */
export const templateRevisionAnnotation = "pulumi-tidb.io/template-revision";

/** Of a cluster's Lease: what outlives a run. */
export const leaseAnnotations = {
    records: "pulumi-tidb.io/records",
    operation: "pulumi-tidb.io/operation",
    stop: "pulumi-tidb.io/stop",
    pdClusterId: "pulumi-tidb.io/pd-cluster-id",
    owner: "pulumi-tidb.io/owner",
    members: "pulumi-tidb.io/members",
} as const;

/** Of the Secret with root's first password: what became of it, `set …` or `left-alone …`, and when. */
export const rootPasswordAnnotation = "pulumi-tidb.io/root-password";

/** Of discovery's pod: the digest of its server's files. */
export const serverFilesAnnotation = "pulumi-tidb.io/files";

/** Of an object that Pulumi's Kubernetes provider is not to wait for (Pulumi's own). */
export const skipAwaitAnnotation = "pulumi.com/skipAwait";

/** Of a claim that a scale-in gave up. tidb-operator's own, so that either tool understands the other's. */
export const releasedClaimAnnotation = "tidb.pingcap.com/pvc-defer-deleting";

/** Of a pod of TiCDC: when its graceful shutdown was begun. tidb-operator's own, for the same reason. */
export const shutdownAnnotation = "tidb.pingcap.com/ticdc-graceful-shutdown-begin-time";

/** Of a member's pods: kernel parameters are set by an init container (tidb-operator's). */
export const sysctlInitAnnotation = "tidb.pingcap.com/sysctl-init";

/** Of a cluster: its own SQL clients use no TLS (tidb-operator's). */
export const skipSqlTlsAnnotation = "tidb.tidb.pingcap.com/skip-tls-when-connect-tidb";

/** Of a cluster: which ordinals an advanced StatefulSet of a member leaves out (tidb-operator's). */
export function deleteSlotsAnnotation(member: Workload): string {
    return `${member}.tidb.pingcap.com/delete-slots`;
}

/** The same annotation as tidb-operator passes it on to the StatefulSet. */
export const statefulSetDeleteSlotsAnnotation = "delete-slots";

/**
 * Of a cluster: how long a pod of a member must have been Ready before the next one is touched, in seconds
 * (tidb-operator's). TiProxy's has a prefix of its own (pkg/manager/member/tiproxy_upgrader.go).
 */
export function minReadySecondsAnnotations(member: Workload): string[] {
    return ["tidb", member].map((prefix) => `${prefix}.pingcap.com/${member}-min-ready-seconds`);
}
