import { brPdArgument } from "../../topology/backupPods";
import { caKey, certificateKey, privateKeyKey } from "../kubernetes/tls";
import type { BrCluster } from "./brCluster";
import { type BrKind, type BackupSpec, type RestoreSpec } from "./spec";
import { storageOf } from "./storages";

/** Where the client certificate of the cluster is in BR's container (tidb-operator pkg/util/util.go). */
export const clientTlsFolder = "/var/lib/cluster-client-tls";

/**
 * Returns the arguments of `br`, in the order of tidb-operator's job program (cmd/backup-manager/app/backup/backup.go,
 * restore/restore.go). `br.options` comes after those that it may override.
 */
export function brArguments(kind: BrKind, spec: BackupSpec | RestoreSpec, cluster: BrCluster): string[] {
    if (kind === "Backup") {
        const backup = spec as BackupSpec;
        return [
            "backup",
            spec.backupType ?? "full",
            ...flags({ backupts: backup.commitTs }),
            ...commonArguments(spec, cluster),
            ...selection(spec),
            ...backupSettings(backup),
            ...(spec.br.options ?? []),
        ];
    }
    const restore = spec as RestoreSpec;
    const isPoint = restore.restoreMode === "pitr";
    return [
        "restore",
        isPoint ? "point" : (spec.backupType ?? "full"),
        ...commonArguments(spec, cluster),
        ...selection(spec),
        ...restoreSettings(restore),
        ...(spec.br.options ?? []),
        ...(isPoint ? pointArguments(restore) : []),
    ];
}

/** @returns how BR reaches the cluster and the storage. */
export function commonArguments(spec: BackupSpec | RestoreSpec, cluster: BrCluster): string[] {
    const { logLevel, statusAddr, sendCredToTikv } = spec.br;
    return [
        brPdArgument(cluster.name, cluster.namespace),
        ...(cluster.tls
            ? flags({
                  ca: `${clientTlsFolder}/${caKey}`,
                  cert: `${clientTlsFolder}/${certificateKey}`,
                  key: `${clientTlsFolder}/${privateKeyKey}`,
              })
            : []),
        ...flags({
            "log-level": logLevel,
            "status-addr": statusAddr,
            "send-credentials-to-tikv": sendCredToTikv,
        }),
        ...storageOf(spec).args,
    ];
}

/** The full backup is at a place in the log's storage, so its URL is enough: BR reads both with the same flags. */
function pointArguments(spec: RestoreSpec): string[] {
    const { pitrRestoredTs, pitrFullBackupStorageProvider: full, logRestoreStartTs } = spec;
    return [
        ...flags({ "restored-ts": pitrRestoredTs }),
        ...(full
            ? [storageOf(full).args[0].replace("--storage=", "--full-backup-storage=")]
            : flags({ "start-ts": logRestoreStartTs })),
    ];
}

function selection({ backupType, tableFilter = [], br }: BackupSpec | RestoreSpec): string[] {
    if (tableFilter.length > 0) {
        return tableFilter.flatMap((filter) => ["--filter", filter]);
    }
    switch (backupType) {
        case "table":
            return flags({ table: br.table, db: br.db });
        case "db":
            return flags({ db: br.db });
        case "full":
        case undefined:
            return [];
    }
}

function backupSettings({ br }: BackupSpec): string[] {
    const { concurrency, rateLimit: ratelimit, timeAgo: timeago, checksum, checkRequirements } = br;
    return flags({ concurrency, ratelimit, timeago, checksum, "check-requirements": checkRequirements });
}

function restoreSettings({ br }: RestoreSpec): string[] {
    const { concurrency, rateLimit: ratelimit, checksum, checkRequirements, onLine: online } = br;
    return flags({ concurrency, checksum, "check-requirements": checkRequirements, ratelimit, online });
}

/** @returns a flag for each value that is set. */
export function flags(values: Readonly<Record<string, string | number | boolean | undefined>>): string[] {
    return Object.entries(values).flatMap(([name, value]) =>
        value === undefined || value === "" ? [] : [`--${name}=${value}`],
    );
}
