import { beforeUpgradeAnnotation } from "../../topology/annotations";
import { anyFolder, beforeUpgradeName } from "../../topology/backupPods";
import {
    upgradeInWords,
    upgradeName,
    type UpgradeRecord,
    upgradeRecordOf,
    upgradeRecordText,
    type VersionChanges,
} from "../lifecycle/backups/beforeUpgrade";
import type { JobTarget } from "../lifecycle/jobs/observedJob";
import { backupJobOf, type BackupJobsWorld, liveBackupJobs } from "./backupJobs";
import type { BackupJob, BeforeUpgradeProgramInputs } from "./inputs";

/** A Job that was made for an upgrade. */
export interface MadeJob {
    readonly name: string;
    readonly uid: string;
    readonly record: UpgradeRecord;
}

/** How the gate of the backup before an upgrade reaches its Jobs. */
export type UpgradeJobsWorld = BackupJobsWorld<MadeJob>;

export const liveUpgradeJobs: UpgradeJobsWorld = liveBackupJobs(beforeUpgradeName, ({ metadata }) => {
    const record = upgradeRecordOf(metadata?.annotations?.[beforeUpgradeAnnotation]);
    return record === undefined ? [] : [{ name: metadata?.name ?? "", uid: metadata?.uid ?? "", record }];
});

/**
 * @returns the Job for an upgrade.
 * @param tag the version of TiKV now, which BR must have.
 */
export function jobForUpgrade(inputs: BeforeUpgradeProgramInputs, changes: VersionChanges, tag: string): BackupJob {
    const record = { attempt: inputs.attempt, changes };
    const annotations = { [beforeUpgradeAnnotation]: upgradeRecordText(record) };
    const { cluster, leaseUid } = inputs;
    return backupJobOf(inputs, { cluster, leaseUid, folder: upgradeName(record), tag, annotations });
}

/** @returns the Job as `runJob` waits for it. */
export function targetOf(
    { namespace, cluster, url, attempt, timeoutSeconds }: BeforeUpgradeProgramInputs,
    { name, uid, record }: MadeJob,
): JobTarget {
    const to = url.replaceAll(anyFolder, upgradeName(record));
    return {
        namespace,
        job: name,
        jobUid: uid,
        revision: "",
        does: `back up the cluster ${namespace}/${cluster} to ${to} before its upgrade from ${upgradeInWords(record.changes)}`,
        attempt,
        attemptField: "operations.backup.beforeUpgrade.attempt",
        timeoutSeconds,
    };
}
