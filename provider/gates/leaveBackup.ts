import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { cleanJobName, type LeftBackup, timeOfBackup } from "../lifecycle/backups/leftBackup";
import { firstAttempt } from "../lifecycle/jobs/observedJob";
import type { CleanInputs, JobFindings, JobProgramInputs } from "./jobInputs";
import { type CleanRecord, firstCleanJob, type LeftBackupsWorld } from "./leftBackupJobs";
import { asGateErrors } from "./runJob";

type Inputs = JobProgramInputs & Partial<JobFindings>;

/**
 * Runs when a Backup leaves the program. With `cleanPolicy: Delete` it puts on record, as a Job that does not run yet, what is to be deleted. The cluster's
 * last gate shows it in the next preview, and carries it out. Pulumi deletes this gate before the Job that took the backup, which proves where the data
 * are and when they were written; without that proof they stay. With `OnFailure` the same is done with what a failed backup left.
 * @param isLeaving false if the backup has ended in an error, and its Job is still in the program.
 * @throws GateError if the API server does not answer or refuses. Then Pulumi keeps the resource, and the next update tries it again.
 */
export async function leaveBackup(inputs: Inputs, world: LeftBackupsWorld, isLeaving = true): Promise<void> {
    const { clean, job, jobUid, timeoutSeconds, namespace } = inputs;
    if (clean === undefined || (clean.onFailure && inputs.done)) {
        return;
    }
    const { backup, url, storage, cluster, leaseUid, onFailure } = clean;
    const progress = world.progress(inputs);
    const of = `the data of the ${onFailure ? "failed " : ""}Backup ${backup} at ${url}`;
    const place = { ...inputs, leaseUid };
    const stay = (why: string): void => {
        if (isLeaving) {
            const message = `${of} stay: ${why}. Delete them with the storage's own tools if nobody needs them`;
            progress.warn({ code: "backup-data-stay", message });
        }
    };
    await asGateErrors({ does: `put on record that ${of} are to be deleted`, namespace, job }, async () => {
        const user = await world.job(place, job);
        if (onFailure && user?.uid === jobUid && user.succeededAt !== undefined) {
            return;
        }
        const time = timeOfBackup(user, { jobUid, storage }, onFailure ? "failed" : "succeeded");
        if ("why" in time) {
            return stay(time.why);
        }
        if (!(await world.noteOnLease(place, cluster))) {
            return stay(`the cluster ${namespace}/${cluster} is gone, whose gates would delete them`);
        }
        // Attempts have one prefix: what an earlier one left is older than the last one.
        const earlier = onFailure ? await failedRecords(inputs, clean, world) : [];
        const from = Math.min(time.from, ...earlier.map(({ left }) => left?.failed?.from ?? time.from));
        const failed = onFailure ? { failed: { from, until: time.until } } : {};
        const left: LeftBackup = { backup, url, takenBy: jobUid, attempt: 1, timeoutSeconds, ...failed };
        const args = [String(from), String(time.until), jobUid, ...Object.keys(failed)];
        const made = firstCleanJob(clean, left, args);
        // An update that was killed has made it already: its name has a digest of the UID of the Job that took the backup.
        await world.create(place, made);
        for (const { name, uid } of earlier) {
            await world.remove(place, name, uid);
        }
        const keep = `kubectl delete job ${made.metadata.name} --namespace ${namespace}`;
        const next = isLeaving ? "the next `pulumi up` of its cluster" : "a `pulumi up` once it has left the program";
        progress.info(
            `${of} are deleted by ${next}, whose preview shows it; \`pulumi destroy\` of the cluster keeps them, and so does: ${keep}`,
        );
    });
}

/** Runs when a Job has failed. Its data stay if the `cleanPolicy` was `OnFailure` in an earlier update, and is not any more. */
export function keepFailed(inputs: Inputs, world: LeftBackupsWorld): Promise<void> {
    return keepData(inputs, inputs.jobUid, "failed ", "its cleanPolicy is not OnFailure any more", world);
}

/** Runs when a Backup is done: its data stay, also if it has left the program before, or its gate was replaced. @param takenBy UID of the Job that took it. */
export function keepDone(inputs: Inputs, takenBy: string, world: LeftBackupsWorld): Promise<void> {
    return keepData(inputs, takenBy, "", "it is in the program", world);
}

/** @returns what `keepDone` is to do, in words; undefined if there is nothing. That it is not known counts as a reason to look again. */
export async function planKeeping(
    inputs: Inputs,
    takenBy: string,
    world: LeftBackupsWorld,
): Promise<string | undefined> {
    try {
        return (await openRecord(inputs, takenBy, world)) && keepWords;
    } catch (error) {
        if (error instanceof KubernetesApiError || error instanceof ClusterAccessError) {
            return keepWords;
        }
        throw error;
    }
}

const keepWords = "keep its data, whose deletion may be on record: the Backup is in the program";

async function keepData(
    inputs: Inputs,
    takenBy: string,
    which: string,
    why: string,
    world: LeftBackupsWorld,
): Promise<void> {
    const { job, namespace } = inputs;
    await asGateErrors({ does: "keep the data of a Backup", namespace, job }, async () => {
        const record = await openRecord(inputs, takenBy, world);
        if (record !== undefined) {
            await world.remove({ ...inputs, leaseUid: "" }, record.name, record.uid);
            world.progress(inputs).info(`the data of the ${which}Backup ${record.backup} stay: ${why}`);
        }
    });
}

/** @returns the Job that is to delete what a Job has written, and has not begun. It is its first attempt, because nothing is deleted while that Job is there. */
async function openRecord(
    inputs: Inputs,
    takenBy: string,
    world: LeftBackupsWorld,
): Promise<{ name: string; uid: string; backup: string } | undefined> {
    const [, backup] = /^backup-(.+)$/.exec(firstAttempt(inputs)) ?? [];
    if (backup === undefined) {
        return undefined;
    }
    const name = cleanJobName({ backup, takenBy, attempt: 1 });
    const record = await world.job({ ...inputs, leaseUid: "" }, name);
    return record !== undefined && record.startedAt === undefined && !record.hasEnded
        ? { name, uid: record.uid, backup }
        : undefined;
}

/** Runs when a further attempt of a Backup has succeeded: what earlier ones left is part of the backup now. */
export async function forgetFailed(inputs: Inputs, world: LeftBackupsWorld): Promise<void> {
    const { clean, job, namespace } = inputs;
    if (clean !== undefined) {
        await asGateErrors({ does: `keep the data at ${clean.url}`, namespace, job }, async () => {
            for (const { name, uid } of await failedRecords(inputs, clean, world)) {
                await world.remove({ ...inputs, leaseUid: clean.leaseUid }, name, uid);
            }
        });
    }
}

/** @returns what is on record of other attempts at the same place, and is not being deleted. */
async function failedRecords(
    inputs: Inputs,
    { url, leaseUid }: CleanInputs,
    world: LeftBackupsWorld,
): Promise<CleanRecord[]> {
    const { records } = await world.list({ ...inputs, leaseUid });
    return records.filter(
        ({ left, state }) =>
            left?.failed !== undefined &&
            left.url === url &&
            left.takenBy !== inputs.jobUid &&
            (state === "new" || state === "failed"),
    );
}
