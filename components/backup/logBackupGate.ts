import type * as pulumi from "@pulumi/pulumi";
import type { LogBackupJob } from "../../provider/gates/logBackupInputs";
import type { RenderedLogBackup } from "../br/logBackup";
import type { KubernetesOf } from "../besideCluster";
import { newGate, type Gate } from "../gates";
import { defaultJobSeconds } from "../jobRunArgs";
import { stableDigest } from "../kubernetes/templateRevision";
import type { BackupArgs } from "./args";
import { clusterInputs } from "./clusterInputs";
import type { PlannedBr } from "./plannedBr";

/** Creates the gate of a log backup. */
export function logBackupGate(
    name: string,
    planned: PlannedBr,
    args: BackupArgs,
    kubernetes: KubernetesOf,
    opts: pulumi.CustomResourceOptions,
): Gate {
    const { cluster, url } = planned;
    const log = planned.log as pulumi.Output<RenderedLogBackup>;
    const { attempt = 1, timeoutSeconds = defaultJobSeconds } = args;
    return newGate(
        "logBackup",
        `${name}-gate`,
        {
            ...clusterInputs(planned, kubernetes),
            of: cluster.apply((of) => `${of.namespace}/${of.name}`),
            task: log.task,
            storage: url,
            caution: planned.caution,
            refusal: planned.refusal((opts.parent as pulumi.Resource).urn),
            endpoint: log.apply(({ endpoint }) => endpoint),
            account: log.apply(({ account }) => account),
            wanted: log.wanted,
            truncateUntil: log.truncateUntil,
            attempt,
            timeoutSeconds,
            job: log.apply(({ job }) => job as unknown as LogBackupJob),
            commands: log.apply(({ commands }) => commands),
            digest: log.apply(({ job, commands }) => stableDigest([job, commands])),
        },
        opts,
    );
}
