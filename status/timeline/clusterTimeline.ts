import type { KubernetesTarget } from "../../provider/cluster/kubernetesTarget";
import type { JournalOperation } from "../../provider/lifecycle/journal/journalOperation";
import type { statusApiVersion } from "../clusterStatus";

/** The JSON that `pulumi-tidb timeline --output json` prints. */
export interface TimelineDocument extends ClusterTimeline {
    readonly apiVersion: typeof statusApiVersion;
    readonly kind: "ClusterTimeline";
}

/** What the last operations on a cluster did. Times are milliseconds since 1970. */
export interface ClusterTimeline {
    /** `metadata.name` of the TidbCluster. */
    readonly name: string;
    readonly namespace: string;
    /** The Kubernetes cluster that was read. */
    readonly kubernetes: KubernetesTarget;
    /** When it was read, by the clock of the machine that read it. */
    readonly at: number;
    /** The operations that the journal has, the oldest first. */
    readonly operations: readonly TimelineOperation[];
    /** Which of them are shown, in words, and how many the journal has. Default: all, with all that is in them. */
    readonly filtered?: { readonly by: string; readonly from: number };
    /** What of the journal cannot be read, and why. */
    readonly unreadable: readonly string[];
}

/** An operation of the journal. */
export interface TimelineOperation extends JournalOperation {
    /** `interrupted`: its process ended, or lost its lock, before it could write the end. */
    readonly state: NonNullable<JournalOperation["outcome"]> | "running" | "interrupted";
    /** The last time that is known of it: its end, or the last that it wrote, or now. */
    readonly lastAt: number;
}
