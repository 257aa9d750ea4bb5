import { jobRevisionAnnotation } from "../../topology/annotations";
import { anyFolder, onDestroyName } from "../../topology/backupPods";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { jobAsUser } from "../cluster/jobs/storageUsers";
import { isVersion } from "../lifecycle/backups/backupNames";
import { destroyName, folderOf, lastBackup, type LastBackupJob } from "../lifecycle/backups/lastBackup";
import { jobName, type JobTarget } from "../lifecycle/jobs/observedJob";
import type { ProblemCode } from "../lifecycle/vocabulary/problemCodes";
import { backupJobOf, type BackupJobsWorld, liveBackupJobs } from "./backupJobs";
import type { CommonInputs } from "./gateDefinition";
import { GateError } from "./gateError";
import type { GateBackup } from "./inputs";
import { recordedBackup } from "./recordedBackup";
import { isTransient } from "./retry";
import { asGateErrors, runJob } from "./runJob";

/** The command may be `pulumi destroy`, or `pulumi up` of a program that no longer has the cluster. */
export const command = "the same command";

/** A Job with the UIDs of its owners. */
type OwnedJob = LastBackupJob & { readonly owners: readonly string[] };

/** How a destroy reaches the Jobs of its backups. */
export type LastBackupWorld = BackupJobsWorld<OwnedJob>;

export const liveLastBackups: LastBackupWorld = liveBackupJobs(onDestroyName, (job) => {
    const { name = "", annotations, creationTimestamp, deletionTimestamp, ownerReferences = [] } = job.metadata ?? {};
    const { uid, hasEnded, succeededAt } = jobAsUser(job);
    const isOver = hasEnded || deletionTimestamp !== undefined;
    return [
        {
            name,
            uid,
            owners: ownerReferences.map((owner) => owner.uid),
            of: annotations?.[jobRevisionAnnotation],
            createdAt: creationTimestamp && new Date(creationTimestamp).getTime(),
            ...(succeededAt === undefined
                ? { state: isOver ? "over" : "at work" }
                : { state: "succeeded", succeededAt }),
        },
    ];
});

/** What a last backup is made from. */
export interface AskedBackup extends CommonInputs {
    readonly onDestroy: GateBackup;
    /** The version of TiKV now. */
    readonly tag: string;
    /** The time by the API server's clock. */
    readonly now: number;
    /** Whether it is asked again before TiKV goes. */
    readonly isSecond: boolean;
}

/**
 * Waits for the success of the Job that counts for this destroy, and makes one if none does.
 * @throws GateError if it fails, or does not end in time.
 */
export async function waitForBackup(
    asked: AskedBackup,
    ports: GatePorts,
    lock: Pick<HeldLock, "confirmHeld" | "describe">,
    world: LastBackupWorld,
): Promise<void> {
    const { onDestroy: backup, namespace, cluster, leaseUid, tag, isSecond } = asked;
    const of = backup.job.metadata.annotations?.[jobRevisionAnnotation] ?? "";
    const urlOf = ({ name }: Pick<LastBackupJob, "name">) => backup.url.replaceAll(anyFolder, folderOf(name));
    const targetOf = ({ name, uid }: Pick<LastBackupJob, "name" | "uid">): JobTarget => ({
        namespace,
        job: name,
        jobUid: uid,
        revision: of,
        does: `back up the cluster ${namespace}/${cluster} to ${urlOf({ name })} before it is destroyed`,
        attempt: 1,
        attemptField: "",
        again: `run ${command} again: it waits for this Job, or takes another backup if this Job has failed or was deleted`,
        timeoutSeconds: backup.timeoutSeconds,
        command,
    });
    const folder = destroyName(leaseUid, asked.now);
    const made = backupJobOf(backup, { cluster, leaseUid, folder, tag });
    const wanted = targetOf({ name: made.metadata.name, uid: "" });
    const list = async () => (await world.list(asked)).filter(({ owners }) => owners.includes(leaseUid));
    const counting = async (wasLetThrough: (job: OwnedJob) => boolean) => {
        const jobs = await list();
        return lastBackup(jobs, of, (await ports.lease())?.asOf, wasLetThrough);
    };
    const create = async () => {
        if (backup.untaggedImage !== undefined && !isVersion(tag)) {
            const seen = `found no version for ${backup.untaggedImage}: TiKV's image has the tag ${tag}`;
            const next = `set \`operations.backup.onDestroy.spec.toolImage\` with a tag, run \`pulumi up\`, then ${command} again`;
            throw new GateError({ code: "image-without-version", step: wanted.does, seen, next });
        }
        await world.create(asked, made);
        ports.progress.note(`created ${jobName(wanted)}: ${wanted.does}`);
        const found = (await list()).find(({ name, of: its }) => name === wanted.job && its === of);
        if (found === undefined) {
            const seen = "a Job of this name is there that was not made for this, or the new one is gone";
            throw failure("job-name-taken", wanted, seen);
        }
        return found;
    };
    const earlier = await asGateErrors(wanted, () => counting(() => isSecond));
    const job = earlier ?? (await asGateErrors(wanted, create));
    if (earlier !== undefined && !isSecond) {
        const since = new Date(Number(earlier.createdAt)).toISOString();
        const message = `${jobName(targetOf(earlier))} of an earlier destroy counts as the last backup: it began at ${since}, and what was written since then is not in it. To take another one: stop this command, run kubectl delete job ${earlier.name} --namespace ${namespace}, then ${command} again`;
        ports.progress.warn({ code: "earlier-last-backup", message });
    }
    const target = targetOf(job);
    if (job.state !== "succeeded") {
        lock.describe(`destroy ${cluster}: ${target.does}`);
        const stopAsked = () => ports.lease().then((lease) => lease?.stopAsked, ifTransient);
        await recordedBackup(target, ports, async () =>
            runJob(target, true, { ...(await world.open({ ...asked, job: job.name })), stopAsked }),
        );
    }
    // This machine may have slept: somebody may have the lock, and the end of the Job may be long ago.
    await lock.confirmHeld({ usesPd: false, isAlone: false });
    const last = await asGateErrors(target, () => counting(({ uid }) => uid === job.uid));
    if (last?.state !== "succeeded") {
        const seen = "it does not count, because it succeeded longer than an hour ago, or nobody knows when";
        throw failure("backup-outdated", target, seen);
    }
    if (!isSecond || job.state !== "succeeded") {
        ports.progress.info(`the last backup of the cluster ${namespace}/${cluster} is at ${urlOf(last)}`);
    }
}

/** The look at the Job, which follows, waits for the API server. */
function ifTransient(error: unknown): undefined {
    if (!isTransient(error)) {
        throw error;
    }
}

function failure(code: ProblemCode, target: JobTarget, seen: string): GateError {
    return new GateError({ code, step: target.does, target: jobName(target), seen, next: `run ${command} again` });
}
