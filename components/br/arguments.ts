import { memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { caKey, certificateKey, privateKeyKey } from "../kubernetes/tls";
import type { BrCluster } from "./brCluster";
import { type BrKind, type BackupSpec, type RestoreSpec } from "./spec";
import { storageOf } from "./storages";

/** Where the client certificate of the cluster is in BR's container (tidb-operator pkg/util/util.go). */
export const clientTlsFolder = "/var/lib/cluster-client-tls";

/**
 * Returns the arguments of `br`, in the order of tidb-operator's job program (cmd/backup-manager/app/backup/backup.go,
 * restore/restore.go). `br.options` comes last, so that it overrides the others.
 */
export function brArguments(kind: BrKind, spec: BackupSpec | RestoreSpec, cluster: BrCluster): string[] {
    const { logLevel, statusAddr, sendCredToTikv, options = [] } = spec.br;
    const command = kind === "Backup" ? "backup" : "restore";
    return [
        command,
        spec.backupType ?? "full",
        ...(kind === "Backup" ? flags({ backupts: (spec as BackupSpec).commitTs }) : []),
        `--pd=${memberName(cluster.name, "pd")}.${cluster.namespace}:${ports.pd.client}`,
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
        ...selection(spec),
        ...(kind === "Backup" ? backupSettings(spec as BackupSpec) : restoreSettings(spec as RestoreSpec)),
        ...options,
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
function flags(values: Readonly<Record<string, string | number | boolean | undefined>>): string[] {
    return Object.entries(values).flatMap(([name, value]) =>
        value === undefined || value === "" ? [] : [`--${name}=${value}`],
    );
}
