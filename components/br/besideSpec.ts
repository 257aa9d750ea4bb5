import { jobRunFields } from "../jobRunArgs";

const ofEach = ["cluster", "kubeconfig", "context", ...jobRunFields] as const;

/** The arguments that a program gives beside `metadata` and `spec`. */
export const besideSpec = {
    Backup: [...ofEach, "cleanImage"],
    Restore: [...ofEach, "allowExistingData", "backupVersion"],
    CompactBackup: ofEach,
    BackupSchedule: ["cluster", "timeZone", "startingDeadlineSeconds", "retentionImage"],
} as const;
