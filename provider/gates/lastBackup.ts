import { leaseAnnotations } from "../../topology/annotations";
import { anyFolder, onDestroyName } from "../../topology/backupPods";
import { imageTag } from "../../topology/imageVersion";
import { leaseName } from "../../topology/names";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { consentOf, dataOf, withoutBackup } from "../lifecycle/backups/lastBackup";
import { counted } from "../lifecycle/vocabulary/counted";
import { noLook } from "../lifecycle/vocabulary/look";
import type { CommonInputs } from "./gateDefinition";
import { GateError } from "./gateError";
import type { GateBackup } from "./inputs";
import { command, type LastBackupWorld, waitForBackup } from "./lastBackupJobs";
import { asGateErrors } from "./runJob";

const annotation = leaseAnnotations.withoutLastBackup;

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
        const message = `no last backup is taken: ${annotation} of ${name} says so`;
        ports.progress.warn({ code: "no-last-backup", message });
        return;
    }
    if (consent !== undefined) {
        ports.progress.warn({
            code: "annotation-does-not-count",
            message: `${annotation} of ${name} does not count: ${consent}`,
        });
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
            throw new GateError({
                code: "lease-gone",
                step,
                target: name,
                seen: "it is gone, and TiKV's data are not",
                next,
            });
        }
        if (data !== "stores") {
            const seen = `it has no StatefulSet, as in a suspended cluster, but ${counted(tikv?.claims.length ?? 0, "volume claim")}: nothing can be asked for its data`;
            throw new GateError({
                code: "backup-needs-tikv",
                step,
                target: "TiKV",
                seen,
                next: `let it run again, then run ${command} again`,
            });
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
