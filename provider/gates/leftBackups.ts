import { jobName, type JobObservation, type JobTarget } from "../lifecycle/jobs/observedJob";
import { waitForEnd } from "../lifecycle/jobs/planJob";
import { cleanJobName, type LeftBackup, neededBy, tooEarly } from "../lifecycle/backups/leftBackup";
import type { PlanItem } from "../lifecycle/walks/describePlan";
import type { LeaseView } from "../cluster/leaseNotes";
import { GateError } from "./gateError";
import type { GateFindings, ReadyProgramInputs } from "./inputs";
import { type CleanRecord, cleanJobOf, type LeftBackupsWorld } from "./leftBackupJobs";
import { asGateErrors, lookAtJob, runJob } from "./runJob";
import type { Notice } from "../lifecycle/vocabulary/notices";

/** The data of a Backup that left the program, and what is to be done about them. */
interface Due {
    readonly record: CleanRecord & { left: LeftBackup };
    /** Records of earlier attempts. */
    readonly older: readonly CleanRecord[];
    /** The attempt to run: the record's own, or the next if it has failed. */
    readonly left: LeftBackup;
    readonly words: string;
}

interface Found {
    readonly due: readonly Due[];
    /** What stays for now, and why. */
    readonly remarks: readonly Notice[];
    /** What stays unless somebody changes something, and why. */
    readonly warnings: readonly Notice[];
}

type Inputs = Pick<ReadyProgramInputs, "access" | "namespace" | "leaseUid" | "approval" | "statusUrn">;

/** @returns the steps that delete the data of Backups that left the program, and why others stay. Most clusters have none on record, and are not asked. */
export async function planLeftBackups(
    inputs: Inputs,
    lease: LeaseView | undefined,
    world: LeftBackupsWorld,
): Promise<{ items: PlanItem[] } & Omit<Found, "due">> {
    const nothing: Found = { due: [], remarks: [], warnings: [] };
    const { due, ...others } = lease?.hasLeftBackups ? await findLeft(inputs, lease, world) : nothing;
    return { items: due.map(({ words }) => ({ is: "task", words })), ...others };
}

/**
 * Deletes the data of Backups that left the program, each by its Job: those that the plan of this update has.
 * @throws GateError if a Job fails or does not end in time. What it was to delete stays on record.
 */
export async function deleteLeftBackups(
    inputs: Inputs & Pick<GateFindings, "plan">,
    lease: LeaseView | undefined,
    world: LeftBackupsWorld,
): Promise<void> {
    const { due } = lease?.hasLeftBackups ? await findLeft(inputs, lease, world) : { due: [] };
    for (const one of due.filter(({ words }) => inputs.plan.includes(words))) {
        const { record, older, left } = one;
        const target = (uid: string) => targetOf(inputs, left, uid);
        await asGateErrors(target(record.uid), async () => {
            const uid = left === record.left ? record.uid : await nextAttempt(inputs, one, world);
            for (const { name, uid: before } of older) {
                await world.remove(inputs, name, before);
            }
            const ports = await world.open({ ...inputs, job: cleanJobName(left) });
            await runJob(target(uid), true, ports);
            const kept = left.failed && keptWords(inputs, left, (await lookAtJob(ports)).lastLines);
            if (kept !== undefined) {
                world.progress(inputs).warn({ code: "backup-data-stay", message: kept });
            }
            await world.remove(inputs, cleanJobName(left), uid);
        });
    }
}

/** @returns what to say if a Job has not deleted what a failed backup left: that others use the place is no error, and trying it again would not change it. */
function keptWords({ namespace }: Inputs, left: LeftBackup, log: JobObservation["lastLines"]): string | undefined {
    const lines = log.known ? log.value : [];
    if (lines.some((line) => line.includes("deleted the backup in "))) {
        return undefined;
    }
    const kept = lines.find((line) => line.endsWith("; nothing was deleted"));
    const by = jobName({ namespace, job: cleanJobName(left) });
    return kept === undefined
        ? `whether ${of(left)} are deleted is not known: the log of ${by} does not say it. Look there with the storage's own tools`
        : `${of(left)} stay, and are not on record any more. ${by} said: "${kept}". Delete them with the storage's own tools if nobody needs them`;
}

/** Makes the Job of another attempt before that of the failed one goes: one of them is on record at any time. */
async function nextAttempt(inputs: Inputs, { record, left }: Due, world: LeftBackupsWorld): Promise<string> {
    const made = cleanJobOf(record.job, left);
    await world.create(inputs, made);
    const { records } = await world.list(inputs);
    const { uid } = records.find(({ name }) => name === made.metadata.name) ?? {};
    if (uid === undefined) {
        throw new GateError({
            code: "job-name-taken",
            step: does(left),
            target: jobName({ namespace: inputs.namespace, job: made.metadata.name }),
            seen: "a Job of this name is there that was not made for this, or the new one is gone",
            next: "delete that Job, then run `pulumi up` again",
        });
    }
    await world.remove(inputs, record.name, record.uid);
    return uid;
}

async function findLeft(inputs: Inputs, { asOf }: LeaseView, world: LeftBackupsWorld): Promise<Found> {
    const { records, users } = await world.list(inputs);
    const due: Due[] = [];
    const remarks: Notice[] = [];
    const warnings: Notice[] = [];
    const name = (job: string) => jobName({ namespace: inputs.namespace, job });
    const keep = (job: string) => `kubectl delete job ${job} --namespace ${inputs.namespace}`;
    for (const { name: job } of records.filter(({ left }) => left === undefined)) {
        const message = `${name(job)} does not say which backup it is to delete, and is not started. Remove it: ${keep(job)}`;
        warnings.push({ code: "clean-job-unreadable", message });
    }
    for (const [record, ...older] of byBackup(records)) {
        const { left, state } = record;
        const isOpen = state === "new" || state === "failed";
        const waits = isOpen ? (neededBy(left, users) ?? tooEarly(left, asOf)) : undefined;
        const lacksConsent = isOpen && inputs.approval !== undefined;
        if (waits !== undefined || lacksConsent) {
            const why = waits ?? "`operations.approval` is set, and this deletion cannot be consented to";
            const message = `${of(left)} stay: ${why}${waits === undefined ? "" : "; an update that finds this over deletes them, also the one of this preview"}. To keep them for good: ${keep(record.name)}`;
            // What they wait for may end by itself.
            (waits === undefined ? warnings : remarks).push({ code: "backup-data-stay", message });
            continue;
        }
        const next = state === "failed" ? { ...left, attempt: left.attempt + 1 } : left;
        due.push({ record, older, left: next, words: wordsOf(record, next, name(cleanJobName(next))) });
    }
    return { due, remarks, warnings };
}

/** @returns the records of each backup, the newest first. */
function byBackup(records: readonly CleanRecord[]): [Due["record"], ...Due["record"][]][] {
    const readable = records.flatMap((record) => (record.left ? [{ ...record, left: record.left }] : []));
    return [...new Set(readable.map(({ left }) => left.takenBy))].map(
        (takenBy) =>
            readable
                .filter(({ left }) => left.takenBy === takenBy)
                .sort((one, other) => other.left.attempt - one.left.attempt) as [Due["record"]],
    );
}

function wordsOf({ state, job }: CleanRecord, left: LeftBackup, name: string): string {
    const runs = job.spec.template.spec.containers.map(({ image }) => image).join();
    const tried = state === "failed" ? "; the last attempt failed" : "";
    return state === "complete"
        ? `note that ${name} has succeeded: ${does(left)}`
        : `${does(left)}, for good: by ${name} (${runs}); ${waitForEnd(left)}${tried}`;
}

function of({ backup, url, failed }: LeftBackup): string {
    return failed
        ? `the data of the failed Backup ${backup} at ${url}`
        : `the data of the Backup ${backup}, which left the program, at ${url}`;
}

function does(left: LeftBackup): string {
    return `delete ${of(left)}`;
}

function targetOf({ namespace }: Inputs, left: LeftBackup, jobUid: string): JobTarget {
    const job = cleanJobName(left);
    return {
        namespace,
        job,
        jobUid,
        revision: "",
        does: does(left),
        attempt: left.attempt,
        attemptField: "attempt",
        again: `run \`pulumi up\` again, which tries it again; or keep the data: kubectl delete job ${job} --namespace ${namespace}`,
        timeoutSeconds: left.timeoutSeconds,
    };
}
