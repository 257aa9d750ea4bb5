/** Labels of a cluster's objects, the same as tidb-operator's but for who manages them. Pods are selected by the first four. */

/** Tells the members of a cluster apart. */
export const componentLabel = "app.kubernetes.io/component";

/** Tells clusters apart. */
export const instanceLabel = "app.kubernetes.io/instance";

/** Says who manages an object. */
export const managedByLabel = "app.kubernetes.io/managed-by";

/** Says what an object is part of. */
export const nameLabel = "app.kubernetes.io/name";

/** Tells a member's Services apart. */
export const usedByLabel = "app.kubernetes.io/used-by";

/** The revision of the template that a pod was made from, as the StatefulSet's controller notes it. */
export const revisionLabel = "controller-revision-hash";

/** Who manages the objects, as their label says it. */
const managedBy = "pulumi-tidb";

/** The labels that all objects of a cluster have. */
export function clusterLabels(instance: string): Record<string, string> {
    return { [instanceLabel]: instance, [managedByLabel]: managedBy, [nameLabel]: "tidb-cluster" };
}
