import type { V1Job } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { beforeUpgradeAnnotation, jobRevisionAnnotation } from "../../topology/annotations";
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
    /** When it succeeded, in milliseconds since 1970, and how many seconds it took. Default: it has not, or the Job does not say. */
    readonly took?: { readonly until: number; readonly seconds: number };
}

/** How the gate of the backup before an upgrade reaches its Jobs. */
export type UpgradeJobsWorld = BackupJobsWorld<MadeJob>;

export const liveUpgradeJobs: UpgradeJobsWorld = liveBackupJobs(beforeUpgradeName, madeJobs);

/** @returns the Job as one that was made for an upgrade, if it was. */
export function madeJobs({ metadata, status }: V1Job): MadeJob[] {
    const record = upgradeRecordOf(metadata?.annotations?.[beforeUpgradeAnnotation]);
    // A Job has the second time only if it has succeeded.
    const [from, until] = [status?.startTime, status?.completionTime].map((time) => new Date(time ?? NaN).getTime());
    const took = until >= from ? { took: { until, seconds: Math.round((until - from) / 1000) } } : {};
    return record === undefined ? [] : [{ name: metadata?.name ?? "", uid: metadata?.uid ?? "", record, ...took }];
}

/** @returns how many seconds the newest of these backups took; undefined if none shows it. */
export function lastDuration(jobs: readonly MadeJob[]): number | undefined {
    const known = jobs.flatMap(({ took }) => took ?? []);
    return known.sort((one, other) => other.until - one.until).at(0)?.seconds;
}

/** @returns what a backup for an upgrade is to be. */
export function wantedRecord({ attempt, job }: BeforeUpgradeProgramInputs, changes: VersionChanges): UpgradeRecord {
    return { attempt, changes, of: job.metadata.annotations?.[jobRevisionAnnotation] };
}

/**
 * @returns the Job for an upgrade.
 * @param tag the version of TiKV now, which BR must have.
 */
export function jobForUpgrade(inputs: BeforeUpgradeProgramInputs, changes: VersionChanges, tag: string): BackupJob {
    const record = wantedRecord(inputs, changes);
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
        revision: record.of ?? "",
        does: `back up the cluster ${namespace}/${cluster} to ${to} before its upgrade from ${upgradeInWords(record.changes)}`,
        attempt,
        attemptField: "operations.backup.beforeUpgrade.attempt",
        timeoutSeconds,
    };
}
