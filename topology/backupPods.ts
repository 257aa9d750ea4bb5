import { memberName } from "./names";
import { ports } from "./ports";

/** The value of the component's label on the pods of Backups and of the runs of BackupSchedules. */
export const backupWord = "backup";

/** The same on those of Restores. */
export const restoreWord = "restore";

/** The value of the component's label on what deletes the data of a Backup that left the program, and the beginning of its name. */
export const cleanWord = "clean";

/** The name of the backup before an upgrade, in the label `backupLabel` of its Job. */
export const beforeUpgradeName = "before-upgrade";

/** The name of the backup before a destroy, in the same label. */
export const onDestroyName = "on-destroy";

/** The Backup, on its Job and pod (tidb-operator pkg/apis/label/label.go). */
export const backupLabel = "tidb.pingcap.com/backup";

/** Stands for the folder of a backup that a gate takes in the arguments of BR until the gate takes it. */
export const anyFolder = "PULUMI-TIDB-FOLDER";

/** @returns BR's argument that names the cluster. A pod with it works on that cluster. */
export function brPdArgument(cluster: string, namespace: string): string {
    return `--pd=${memberName(cluster, "pd")}.${namespace}:${ports.pd.client}`;
}
