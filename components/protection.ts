/**
 * Kinds of objects that Pulumi replaces whenever their data changes, or the attempt of a Job is raised. With `protect` such a
 * change would be refused.
 */
const replacedKinds: readonly string[] = ["ConfigMap", "Job"];

/**
 * The option of a resource that does not take `protect` from its TidbCluster. Pulumi passes `protect` on to every child that
 * does not set it. Gates have this option: they come and go with settings such as `suspendAction`, and deleting one deletes
 * no object of the cluster.
 */
export const unprotected = { protect: false } as const;

/** @returns the option of an object of a kind: most kinds take `protect` from their TidbCluster. */
export function protectionOf(kind: string): { protect?: false } {
    return replacedKinds.includes(kind) ? unprotected : {};
}
