/** A node with this label has stopped: KWOK does not play it, and the data plane takes the processes of its pods for dead. */
export const stoppedLabel = "sandbox.pulumi-tidb/stopped";
