import { jobRevisionAnnotation, leaseAnnotations } from "../../topology/annotations";
import { anyFolder, onDestroyName } from "../../topology/backupPods";
import { imageTag } from "../../topology/imageVersion";
import { leaseName } from "../../topology/names";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { jobAsUser } from "../cluster/jobs/storageUsers";
import { isVersion } from "../lifecycle/backups/backupNames";
import {
    consentOf,
    dataOf,
    destroyName,
    folderOf,
    lastBackup,
    type LastBackupJob,
    withoutBackup,
} from "../lifecycle/backups/lastBackup";
import { jobName, type JobTarget } from "../lifecycle/jobs/observedJob";
import { counted } from "../lifecycle/vocabulary/counted";
import { noLook } from "../lifecycle/vocabulary/look";
import { backupJobOf, type BackupJobsWorld, liveBackupJobs } from "./backupJobs";
import type { CommonInputs } from "./gateDefinition";
import { GateError } from "./gateError";
import type { GateBackup } from "./inputs";
import { asGateErrors, runJob } from "./runJob";

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

const annotation = leaseAnnotations.withoutLastBackup;

/** The command may be `pulumi destroy`, or `pulumi up` of a program that no longer has the cluster. */
const command = "the same command";

/**
 * With `operations.backup.onDestroy`: takes a last backup before anything of a cluster is deleted, and waits for its success. A Job of an earlier
 * run counts if it is not too old. A person's word, in an annotation of the Lease, lets the destroy go on without one.
 * @param lock the cluster's lock; undefined if its Lease is gone.
 * @param isSecond whether it is asked again before TiKV goes: then a TiKV without a StatefulSet has gone already. Default: false.
 * @throws GateError if there is no backup, with the way to destroy the cluster without one.
 */
export async function takeLastBackup(
    deleted: CommonInputs,
    ports: GatePorts,
    lock: Pick<HeldLock, "confirmHeld" | "describe"> | undefined,
    world: LastBackupWorld,
    isSecond = false,
): Promise<void> {
    const { onDestroy: backup, namespace, cluster } = deleted;
    if (backup === undefined) {
        return;
    }
    const lease = await ports.lease();
    const began = ports.now();
    const serverNow = () => (lease?.asOf ?? began) + ports.now() - began;
    const name = `Lease ${namespace}/${leaseName(cluster)}`;
    const consent = withoutBackup(lease?.withoutLastBackup, lease?.asOf);
    if (consent === true) {
        ports.progress.warn(`no last backup is taken: ${annotation} of ${name} says so`);
        return;
    }
    if (consent !== undefined) {
        ports.progress.warn(`${annotation} of ${name} does not count: ${consent}`);
    }
    const step = `back up the cluster ${namespace}/${cluster} before it is destroyed`;
    try {
        const about = { does: step, namespace, job: onDestroyName, command };
        const { tikv } = (await asGateErrors(about, () => ports.look({ ...noLook, components: ["tikv"] }))).members;
        const data = tikv && dataOf(tikv);
        if (data !== undefined && data !== "stores" && isSecond) {
            return;
        }
        if (data === "nothing") {
            ports.progress.info("no last backup is taken: TiKV has neither a StatefulSet nor volume claims");
            return;
        }
        if (lease === undefined || lock === undefined) {
            const next = `run \`pulumi refresh\` and \`pulumi up\`, which creates it again, then ${command} again`;
            throw new GateError({ step, target: name, seen: "it is gone, and TiKV's data are not", next });
        }
        if (data !== "stores") {
            const seen = `it has no StatefulSet, as in a suspended cluster, but ${counted(tikv?.claims.length ?? 0, "volume claim")}: nothing can be asked for its data`;
            throw new GateError({ step, target: "TiKV", seen, next: `let it run again, then run ${command} again` });
        }
        const tag = imageTag(tikv?.statefulSet?.image ?? "");
        const asked = { ...deleted, onDestroy: backup, leaseUid: lease.uid, tag, now: serverNow(), isSecond };
        await waitForBackup(asked, ports, lock, world);
    } catch (error) {
        throw error instanceof GateError
            ? withWayOut(error, lease && consentOf(serverNow()), deleted, isSecond)
            : error;
    }
}

async function waitForBackup(
    asked: CommonInputs & { onDestroy: GateBackup; tag: string; now: number; isSecond: boolean },
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
            throw new GateError({ step: wanted.does, seen, next });
        }
        await world.create(asked, made);
        ports.progress.note(`created ${jobName(wanted)}: ${wanted.does}`);
        const found = (await list()).find(({ name, of: its }) => name === wanted.job && its === of);
        if (found === undefined) {
            const seen = "a Job of this name is there that was not made for this, or the new one is gone";
            throw new GateError({ step: wanted.does, target: jobName(wanted), seen, next: `run ${command} again` });
        }
        return found;
    };
    const job = await asGateErrors(wanted, async () => (await counting(() => isSecond)) ?? (await create()));
    const target = targetOf(job);
    if (job.state !== "succeeded") {
        lock.describe(`destroy ${cluster}: ${target.does}`);
        await runJob(target, true, await world.open({ ...asked, job: job.name }));
    }
    // This machine may have slept: somebody may have the lock, and the end of the Job may be long ago.
    await lock.confirmHeld({ usesPd: false, isAlone: false });
    const last = await asGateErrors(target, () => counting(({ uid }) => uid === job.uid));
    if (last?.state !== "succeeded") {
        const seen = "it does not count, because it succeeded longer than an hour ago, or nobody knows when";
        throw new GateError({ step: target.does, target: jobName(target), seen, next: `run ${command} again` });
    }
    if (!isSecond || job.state !== "succeeded") {
        ports.progress.info(`the last backup of the cluster ${namespace}/${cluster} is at ${urlOf(last)}`);
    }
}

/** @returns what a preview notes of a last backup that the program asks for, or no longer asks for. */
export function aboutLastBackup(backup: GateBackup | undefined): string {
    return backup === undefined
        ? "a destroy takes no last backup any more"
        : `a destroy takes a last backup to ${backup.url.replaceAll(anyFolder, "destroy-…")} before it deletes anything`;
}

/** @param until until when a consent counts; undefined if the Lease, which has it, is gone. */
function withWayOut(
    error: GateError,
    until: string | undefined,
    { namespace, cluster, statusUrn }: CommonInputs,
    isSecond: boolean,
): GateError {
    const { problem } = error;
    const wayOut =
        until === undefined
            ? `pulumi state delete '${statusUrn}'`
            : `kubectl annotate lease ${leaseName(cluster)} --namespace ${namespace} --overwrite ${annotation}=${until}`;
    const next = `${problem.next}. ${isSecond ? "TiKV is still there" : "Nothing of the cluster was deleted"}. To destroy it without a last backup: ${wayOut}${until === undefined ? "" : ", which counts until then"}; then run ${command} again`;
    return new GateError({ ...problem, next }, { cause: error });
}
