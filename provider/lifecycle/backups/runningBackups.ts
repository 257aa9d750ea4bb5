import { brPdArgument } from "../../../topology/backupPods";
import type { RunningBackup } from "../vocabulary/runningBackup";

/** A pod with the label of a backup, as the API server shows it. */
export interface BackupPod {
    readonly name: string;
    /** The Job that owns it; undefined if none does. */
    readonly job: string | undefined;
    readonly phase: string;
    readonly terminating: boolean;
    /** The arguments of its containers, init containers too. */
    readonly args: readonly string[];
}

/**
 * Returns the backups of a cluster that run or may begin at any moment. A pod counts until Kubernetes says that all of its containers have
 * ended, also while it is being deleted. The Job of a log backup only tells TiKV what to do, and holds nothing back.
 */
export function runningBackups(pods: readonly BackupPod[], cluster: string, namespace: string): RunningBackup[] {
    const own = brPdArgument(cluster, namespace);
    return pods
        .filter(({ args, phase }) => args.includes(own) && args.includes("backup") && !hasEnded(phase))
        .map(({ name, job, phase, terminating }) => ({
            name: job === undefined ? `pod ${name}` : `Job ${job}`,
            state: `pod ${name}: ${phase || "Unknown"}${terminating ? ", being deleted" : ""}`,
        }));
}

function hasEnded(phase: string): boolean {
    return phase === "Succeeded" || phase === "Failed";
}
