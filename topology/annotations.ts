import type { Workload } from "./names";

/** Annotations that this package writes or reads. Those that only one member uses are in that member's folder. */

/**
 * The field manager of every field that a gate writes, as `kubectl get --show-managed-fields` shows it. Pulumi's own
 * writes use other names (`pulumi-kubernetes-…`), so neither side undoes the other's writes.
 */
export const gateFieldManager = "pulumi-tidb";

/** The field manager under which Pulumi's Kubernetes provider creates objects. Fields of another one would conflict with its next update. */
export const providerFieldManager = "pulumi-kubernetes";

/** On a StatefulSet that is deleted without its pods and created again: it stays until it can be created. */
export const remakeFinalizer = "pulumi-tidb.io/remake";

/**
 * On a StatefulSet: the digest of the rendered pod template. A gate, that is, a Pulumi resource that checks the live
 * cluster, plans steps, and carries them out when it is safe, compares it to tell whether the live StatefulSet already
 * has the wanted template: in a preview, and after a run that was killed.
 */
export const templateRevisionAnnotation = "pulumi-tidb.io/template-revision";

/** On a pod template, `true`: the pods recover from snapshots of volumes (`spec.recoveryMode`), and restart once that is over. */
export const recoveryModeAnnotation = "pulumi-tidb.io/recovery-mode";

/** On a cluster's Lease: what must survive a run. */
export const leaseAnnotations = {
    records: "pulumi-tidb.io/records",
    operation: "pulumi-tidb.io/operation",
    stop: "pulumi-tidb.io/stop",
    stopOf: "pulumi-tidb.io/stop-of",
    pdClusterId: "pulumi-tidb.io/pd-cluster-id",
    /** `spec.clusterDomain` of the last update; empty for none. */
    clusterDomain: "pulumi-tidb.io/cluster-domain",
    /** The output `sqlEndpoint` of the last update. */
    sqlEndpoint: "pulumi-tidb.io/sql-endpoint",
    owner: "pulumi-tidb.io/owner",
    members: "pulumi-tidb.io/members",
    paused: "pulumi-tidb.io/paused",
    leftBackups: "pulumi-tidb.io/left-backups",
    approvalGoals: "pulumi-tidb.io/approved-goals",
    usedConsents: "pulumi-tidb.io/used-consents",
    withoutLastBackup: "pulumi-tidb.io/destroy-without-backup",
} as const;

/** On a cluster's Lease, before the digest of a plan: who consented to it with `pulumi-tidb approve`, and when. */
export const consentAnnotationPrefix = "pulumi-tidb.io/approved-plan-";

/** On a cluster's Lease, before a digest of the run and its operation: what it waits for a person's consent to. */
export const approvalWaitAnnotationPrefix = "pulumi-tidb.io/waits-for-approval-";

/** On a cluster's Lease, before a member: which revision a template had when a run first asked for consent to it. */
export const firstRevisionAnnotationPrefix = "pulumi-tidb.io/first-revision-";

/** On the Secret with root's first password: what happened to the password, `set …` or `left-alone …`, and when. */
export const rootPasswordAnnotation = "pulumi-tidb.io/root-password";

/** On a Job of this package: the digest of what it was created from. */
export const jobRevisionAnnotation = "pulumi-tidb.io/job-revision";

/** On the Job of a backup before an upgrade: the upgrade that it was made for. */
export const beforeUpgradeAnnotation = "pulumi-tidb.io/before-upgrade";

/** On the Job that deletes the data of a Backup that left the program: which backup that is. */
export const leftBackupAnnotation = "pulumi-tidb.io/left-backup";

/** On the CronJob of a BackupSchedule: the cluster that it backs up, as `<namespace>/<name>`. */
export const backsUpAnnotation = "pulumi-tidb.io/backs-up";

/** On discovery's pod: the digest of its server's files. */
export const serverFilesAnnotation = "pulumi-tidb.io/files";

/** On an object: Pulumi's Kubernetes provider does not wait for it (Pulumi's annotation). */
export const skipAwaitAnnotation = "pulumi.com/skipAwait";

/**
 * On a claim that a scale-in released. It is tidb-operator's annotation, so each tool understands the other's claims.
 */
export const releasedClaimAnnotation = "tidb.pingcap.com/pvc-defer-deleting";

/** On a released claim: the id of the store or PD member on the volume, which had left PD. Absent if its process never ran. */
export const releasedIdAnnotation = "pulumi-tidb.io/released-id";

/** On a claim, `class`, `size` or both: the program has another class or a smaller size for its volume since, so its pod gets a new one. */
export const outdatedClaimAnnotation = "pulumi-tidb.io/outdated";

/** Value of `releasedClaimAnnotation` by which a user states that the volume holds no store and no PD member. */
export const releasedByHand = "by-hand";

/**
 * On a claim: the tag of the image of the member that last ran on the volume. It stays when the cluster is destroyed, so a
 * later deployment on the volume is compared with it.
 */
export const versionAnnotation = "pulumi-tidb.io/version";

/** On a claim, beside the version: whether that pod used TLS between members (`spec.tlsCluster`), `true` or `false`. */
export const clusterTlsAnnotation = "pulumi-tidb.io/tls-cluster";

/** On a claim: its last automatic growth (`operations.volumes`), as JSON: when, from and to which size, and at which size of the store's disk. */
export const grownByAnnotation = "pulumi-tidb.io/grown-by";

/** On a TiCDC pod: when its graceful shutdown began. It is tidb-operator's annotation, for the same reason. */
export const shutdownAnnotation = "tidb.pingcap.com/ticdc-graceful-shutdown-begin-time";

/** On a member's pods: an init container sets kernel parameters (tidb-operator's annotation). */
export const sysctlInitAnnotation = "tidb.pingcap.com/sysctl-init";

/** On a cluster: its own SQL clients do not use TLS (tidb-operator's annotation). */
export const skipSqlTlsAnnotation = "tidb.tidb.pingcap.com/skip-tls-when-connect-tidb";

/** On a cluster: the ordinals that an advanced StatefulSet of a member omits (tidb-operator's annotation). */
export function deleteSlotsAnnotation(member: Workload): string {
    return `${member}.tidb.pingcap.com/delete-slots`;
}

/** The name under which tidb-operator passes that annotation on to the StatefulSet. */
export const statefulSetDeleteSlotsAnnotation = "delete-slots";

/**
 * On a cluster: how long a member's pod must have been Ready before the next one is restarted, in seconds
 * (tidb-operator's annotation). TiProxy's annotation has a different prefix (pkg/manager/member/tiproxy_upgrader.go).
 */
export function minReadySecondsAnnotations(member: Workload): string[] {
    return ["tidb", member].map((prefix) => `${prefix}.pingcap.com/${member}-min-ready-seconds`);
}
