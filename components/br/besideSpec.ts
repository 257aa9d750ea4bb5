import { jobRunFields } from "../jobRunArgs";

const ofAll = ["cluster", "kubeconfig", "context"] as const;
const ofEach = [...ofAll, ...jobRunFields] as const;

/** The arguments that a program gives beside `metadata` and `spec`. */
export const besideSpec = {
    Backup: [...ofEach, "cleanImage"],
    Restore: [...ofEach, "allowExistingData", "backupVersion"],
    CompactBackup: ofEach,
    BackupSchedule: [...ofAll, "timeZone", "startingDeadlineSeconds", "retentionImage"],
} as const;
