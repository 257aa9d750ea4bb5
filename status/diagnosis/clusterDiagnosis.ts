import type { KubernetesTarget } from "../../provider/cluster/kubernetesTarget";
import type { CauseReason } from "../../provider/lifecycle/diagnosis/cause";
import type { statusApiVersion } from "../clusterStatus";
import type { Notice } from "../../provider/lifecycle/vocabulary/notices";

/** The JSON that `pulumi-tidb diagnose --output json` prints. */
export interface DiagnosisDocument extends ClusterDiagnosis {
    readonly apiVersion: typeof statusApiVersion;
    readonly kind: "ClusterDiagnosis";
}

/** What is wrong with a cluster, why, and what to do. */
export interface ClusterDiagnosis {
    /** `metadata.name` of the TidbCluster. */
    readonly name: string;
    readonly namespace: string;
    /** The Kubernetes cluster that was read. */
    readonly kubernetes: KubernetesTarget;
    /** When it was read, in ISO 8601, by the clock of the machine that read it. */
    readonly at: string;
    /** Whether nothing is wrong and everything is known. */
    readonly isWell: boolean;
    /** As in the status. */
    readonly isPaused: boolean;
    /** Whether no update is at work, and its last operation did not reach its end or members have different versions. */
    readonly mayBeUnfinished: boolean;
    readonly problems: readonly Problem[];
    /** What `pulumi-tidb status` finds besides, without a cause that Kubernetes shows: one line each. */
    readonly findings: readonly string[];
    /** What is worth a look although it is not wrong, one line each: the notes of the status. */
    readonly remarks: readonly Notice[];
    /** What is not known, and why: one line each. */
    readonly notKnown: readonly string[];
}

/** A cause, with everything that it concerns. */
export interface Problem {
    /** `UpdateWaits`: the update that is to create or restart the pods waits. `UpdateEnded`: it ended before it came to them. */
    readonly reason: CauseReason | "UpdateWaits" | "UpdateEnded";
    /** Pods that it keeps from being Ready; empty for a certificate, a member that is not Guaranteed, and an update as a whole. */
    readonly pods: readonly string[];
    /** The pods, claims, Secrets or members that are to blame. */
    readonly of: readonly string[];
    readonly cause: string;
    /** The words of Kubernetes or of the container's log; null if there are none. */
    readonly evidence: string | null;
    readonly fix: string;
    /** Whether it cannot come right without a change by a person. */
    readonly needsChange: boolean;
}
