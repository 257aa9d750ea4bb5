import type { BackupSpec } from "../spec";

/** @returns whether data of the Backup may be deleted once it has left the program. */
export function deletesData(policy: unknown): policy is Exclude<BackupSpec["cleanPolicy"], "Retain" | undefined> {
    return policy === "Delete" || policy === "OnFailure";
}
