import type * as pulumi from "@pulumi/pulumi";
import type { LogBackupJob } from "../../provider/gates/logBackupInputs";
import { accessOf } from "../access";
import type { RenderedLogBackup } from "../br/logBackup";
import { LogBackupGate } from "../gates";
import { defaultJobSeconds } from "../jobRunArgs";
import { stableDigest } from "../kubernetes/templateRevision";
import type { BackupArgs } from "./args";
import type { PlannedBr } from "./plannedBr";

/** Creates the gate of a log backup. */
export function logBackupGate(
    name: string,
    { cluster, log: maybeLog, url }: PlannedBr,
    args: BackupArgs,
    opts: pulumi.CustomResourceOptions,
): LogBackupGate {
    const log = maybeLog as pulumi.Output<RenderedLogBackup>;
    const { attempt = 1, timeoutSeconds = defaultJobSeconds } = args;
    return new LogBackupGate(
        `${name}-gate`,
        {
            access: accessOf(args),
            namespace: cluster.namespace,
            cluster: cluster.name,
            instance: cluster.instance,
            domain: cluster.apply(({ domain }) => domain),
            tls: cluster.tls,
            of: cluster.apply((of) => `${of.namespace}/${of.name}`),
            task: log.task,
            storage: url,
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
