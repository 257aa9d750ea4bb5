/** Labels of a cluster's objects: tidb-operator's, with another value of `managed-by`. The first four select pods. */

/** The member of the cluster. */
export const componentLabel = "app.kubernetes.io/component";

/** The cluster. */
export const instanceLabel = "app.kubernetes.io/instance";

/** The tool that manages the object. */
export const managedByLabel = "app.kubernetes.io/managed-by";

/** The application that the object is part of. */
export const nameLabel = "app.kubernetes.io/name";

/** The use of a Service, where a member has several. */
export const usedByLabel = "app.kubernetes.io/used-by";

/** The template revision that a pod was created from. The StatefulSet controller sets it. */
export const revisionLabel = "controller-revision-hash";

/** The BackupSchedule, on its CronJob, Jobs and pods (tidb-operator pkg/apis/label/label.go). */
export const scheduleLabel = "tidb.pingcap.com/backup-schedule";

/**
 * The labels by which Kubernetes says where a node is, by the short names that PD's `location-labels` may use for them: the present
 * one, and its name before Kubernetes 1.17 (tidb-operator pkg/manager/member/node.go).
 */
export const placeLabels: Readonly<Record<string, readonly string[]>> = {
    region: ["topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"],
    zone: ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"],
    host: ["kubernetes.io/hostname"],
};

/** The value of `managedByLabel`. */
const managedBy = "pulumi-tidb";

/** Returns the labels that all objects of a cluster have. */
export function clusterLabels(instance: string): Record<string, string> {
    return { [instanceLabel]: instance, [managedByLabel]: managedBy, [nameLabel]: "tidb-cluster" };
}
