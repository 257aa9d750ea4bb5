/** A backup of the cluster, or a restore into it, by BR that runs, or may begin at any moment. */
export interface RunningBackup {
    /** `Job backup-monday`. */
    readonly name: string;
    readonly does: "backs up" | "restores into";
    /** What Kubernetes says of its pod, and how to end a wait for one that cannot start. */
    readonly state: string;
}
