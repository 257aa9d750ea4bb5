import { backupWord, brPdArgument, restoreWord } from "../../../topology/backupPods";
import type { RunningBackup } from "../vocabulary/runningBackup";

const works = [backupWord, restoreWord];

/** A pod with the label of a backup or a restore, as the API server shows it. */
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
 * Returns the backups of a cluster, and the restores into it, that run or may begin at any moment. A pod counts until Kubernetes says that all of its containers have
 * ended, also while it is being deleted. The Job of a log backup only tells TiKV what to do, and holds nothing back.
 */
export function runningBackups(pods: readonly BackupPod[], cluster: string, namespace: string): RunningBackup[] {
    const own = brPdArgument(cluster, namespace);
    return pods
        .filter(
            ({ args, phase }) => args.includes(own) && works.some((word) => args.includes(word)) && !hasEnded(phase),
        )
        .map(({ name, job, phase, terminating, args }) => ({
            name: job === undefined ? `pod ${name}` : `Job ${job}`,
            does: args.includes(restoreWord) ? "restores into" : "backs up",
            state: `pod ${name}: ${phase || "Unknown"}${terminating ? ", being deleted" : wayOut(phase, job, namespace)}`,
        }));
}

/** A pod that lacks a Secret or an image is Pending for ever, and only its Job says that it is not wanted any more. */
function wayOut(phase: string, job: string | undefined, namespace: string): string {
    return phase === "Pending" && job !== undefined
        ? `; if it can never start: kubectl delete job ${job} --namespace ${namespace}`
        : "";
}

function hasEnded(phase: string): boolean {
    return phase === "Succeeded" || phase === "Failed";
}
