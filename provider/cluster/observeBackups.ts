import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { backupWord, restoreWord } from "../../topology/backupPods";
import { componentLabel } from "../../topology/labels";
import { type BackupPod, runningBackups } from "../lifecycle/backups/runningBackups";
import type { RunningBackup } from "../lifecycle/vocabulary/runningBackup";
import type { ClusterId } from "./clusterId";
import { livePods } from "./jobs/jobCalls";
import { argumentsOf } from "./jobs/storageUsers";
import type { ReadCalls } from "./readCalls";

/** Reads which backups of a cluster, and restores into it, run in its namespace. @throws KubernetesApiError if the API server does not say it. */
export async function observeBackups(
    { core, read }: Pick<ReadCalls, "core" | "read">,
    { namespace, cluster }: Pick<ClusterId, "namespace" | "cluster">,
): Promise<RunningBackup[]> {
    // The shared lists of pods leave out the arguments, which say what a pod works on.
    const { items } = await read(`list pods of backups in namespace ${namespace}`, () =>
        core.listNamespacedPod({
            namespace,
            labelSelector: `${componentLabel} in (${backupWord},${restoreWord})`,
            fieldSelector: livePods,
        }),
    );
    return runningBackups(items.map(podOf), cluster, namespace);
}

function podOf({ metadata, spec, status }: V1Pod): BackupPod {
    return {
        name: metadata?.name ?? "",
        job: metadata?.ownerReferences?.find(({ kind }) => kind === "Job")?.name,
        phase: status?.phase ?? "",
        terminating: metadata?.deletionTimestamp !== undefined,
        args: argumentsOf(spec),
    };
}
