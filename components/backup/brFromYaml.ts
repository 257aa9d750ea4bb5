import type { AnyBrArgs, BackupArgs, CompactBackupArgs, RestoreArgs } from "./args";
import { brOfText } from "./brFile";
import type { BrKind } from "../br/spec";
import { manifestText } from "../manifestText";

/** Arguments of `Backup.fromYaml`: all of a Backup except `metadata` and `spec`. */
export interface YamlBackupArgs extends Omit<BackupArgs, "metadata" | "spec"> {
    /** The object to create, as `Backup/NAME`, if the file has several. Default: the only one of its kind. */
    only?: string;
}

/** Arguments of `Restore.fromYaml`: all of a Restore except `metadata` and `spec`. */
export interface YamlRestoreArgs extends Omit<RestoreArgs, "metadata" | "spec"> {
    /** The object to create, as `Restore/NAME`, if the file has several. Default: the only one of its kind. */
    only?: string;
}

/** Arguments of `CompactBackup.fromYaml`: all of a CompactBackup except `metadata` and `spec`. */
export interface YamlCompactBackupArgs extends Omit<CompactBackupArgs, "metadata" | "spec"> {
    /** The object to create, as `CompactBackup/NAME`, if the file has several. Default: the only one of its kind. */
    only?: string;
}

/** @throws ManifestError that names the file and the line or field, or says why the file cannot be read. */
export function brArgsFromYaml<Args extends AnyBrArgs>(
    kind: BrKind,
    path: string,
    { only, ...args }: Omit<Args, "metadata" | "spec"> & { only?: string },
): Args {
    const { metadata, spec } = brOfText(kind, manifestText(path), path, only);
    return { ...args, metadata, spec } as unknown as Args;
}
