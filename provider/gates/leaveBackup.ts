import { type LeftBackup, timeOfBackup } from "../lifecycle/backups/leftBackup";
import type { JobProgramInputs } from "./jobInputs";
import { firstCleanJob, type LeftBackupsWorld } from "./leftBackupJobs";
import { asGateErrors } from "./runJob";

/**
 * Runs when a Backup leaves the program. With `cleanPolicy: Delete` it puts on record, as a Job that does not run yet, what is to be deleted. The cluster's
 * last gate shows it in the next preview, and carries it out. Pulumi deletes this gate before the Job that took the backup, which proves where the data
 * are and when they were written; without that proof they stay.
 * @throws GateError if the API server does not answer or refuses. Then Pulumi keeps the resource, and the next update tries it again.
 */
export async function leaveBackup(inputs: JobProgramInputs, world: LeftBackupsWorld): Promise<void> {
    const { clean, job, jobUid, timeoutSeconds, namespace } = inputs;
    if (clean === undefined) {
        return;
    }
    const { backup, url, storage, cluster, leaseUid } = clean;
    const progress = world.progress(inputs);
    const of = `the data of the Backup ${backup} at ${url}`;
    const place = { ...inputs, leaseUid };
    const stay = (why: string): void =>
        progress.warn(`${of} stay: ${why}. Delete them with the storage's own tools if nobody needs them`);
    await asGateErrors({ does: `put on record that ${of} are to be deleted`, namespace, job }, async () => {
        const time = timeOfBackup(await world.job(place, job), { jobUid, storage });
        if ("why" in time) {
            return stay(time.why);
        }
        if (!(await world.noteOnLease(place, cluster))) {
            return stay(`the cluster ${namespace}/${cluster} is gone, whose gates would delete them`);
        }
        const left: LeftBackup = { backup, url, takenBy: jobUid, attempt: 1, timeoutSeconds };
        const made = firstCleanJob(clean, left, [String(time.from), String(time.until), jobUid]);
        // An update that was killed has made it already: its name has a digest of the UID of the Job that took the backup.
        await world.create(place, made);
        const keep = `kubectl delete job ${made.metadata.name} --namespace ${namespace}`;
        progress.info(
            `${of} are deleted by the next \`pulumi up\` of its cluster, whose preview shows it; \`pulumi destroy\` of the cluster keeps them, and so does: ${keep}`,
        );
    });
}
