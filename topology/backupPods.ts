import { memberName } from "./names";
import { ports } from "./ports";

/** The value of the component's label on the pods of Backups and of the runs of BackupSchedules. */
export const backupWord = "backup";

/** @returns BR's argument that names the cluster. A pod with it works on that cluster. */
export function brPdArgument(cluster: string, namespace: string): string {
    return `--pd=${memberName(cluster, "pd")}.${namespace}:${ports.pd.client}`;
}
