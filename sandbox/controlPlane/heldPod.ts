/** On a pod that KWOK does not end: the data plane deletes it once its process has ended. */
export const heldPodAnnotation = "sandbox.pulumi-tidb.io/ended-by-data-plane";
