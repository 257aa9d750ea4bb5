import {
    backupFlags,
    backupFullFlags,
    logPauseFlags,
    logStartFlags,
    logStatusFlags,
    logTruncateFlags,
    restoreFlags,
    restoreFullFlags,
    restorePointFlags,
    taskFlags,
} from "./commandFlags";
import { commonFlags, databaseFlags, filterFlags, tableFlags } from "./commonFlags";
import { type Flags, flagsOf } from "./flags";

/** A command of BR: the flags that it takes, and those that it cannot do without. */
export interface Command {
    readonly flags: Flags;
    readonly required: readonly string[];
}

/** The tables of TiDB itself that a restore takes over, and those that it does not (br/cmd/br/cmd.go, v8.5). */
const restoredTables = [
    "*.*",
    "!__TiDB_BR_Temporary_*.*",
    "!mysql.*",
    ...["bind_info", "user", "db", "tables_priv", "columns_priv", "global_priv", "global_grants"].map(
        (table) => `mysql.${table}`,
    ),
    ...["default_roles", "role_edges"].map((table) => `mysql.${table}`),
    "!sys.*",
    ...["INFORMATION", "PERFORMANCE", "METRICS", "INSPECTION"].map((name) => `!${name}_SCHEMA.*`),
].join(",");

const backup = { ...commonFlags, ...backupFlags };
const restore = { ...commonFlags, ...restoreFlags };
const taken = (...groups: Flags[]): Command => ({ flags: Object.assign({}, ...groups) as Flags, required: [] });
const database = (flags: Flags): Command => ({ flags: { ...flags, ...databaseFlags }, required: ["db"] });
const table = (flags: Flags): Command => ({ flags: { ...flags, ...tableFlags }, required: ["db", "table"] });

/**
 * The commands that the recorder carries out, by the words after `br` (br/cmd/br/backup.go, restore.go, stream.go and operator.go, v8.5).
 */
export const commands = {
    "backup full": taken(backup, filterFlags("*.*"), backupFullFlags),
    "backup db": database(backup),
    "backup table": table(backup),
    "restore full": taken(restore, filterFlags(restoredTables), restoreFullFlags),
    "restore db": database(restore),
    "restore table": table(restore),
    "restore point": taken(restore, filterFlags(restoredTables), restorePointFlags),
    "log start": taken(commonFlags, filterFlags("*.*"), logStartFlags),
    "log stop": taken(commonFlags, taskFlags),
    "log pause": taken(commonFlags, logPauseFlags),
    "log resume": taken(commonFlags, taskFlags),
    "log status": taken(commonFlags, logStatusFlags),
    "log truncate": taken(commonFlags, logTruncateFlags),
    "log metadata": taken(commonFlags),
    "operator base64ify": taken(commonFlags, flagsOf("bool", ["load-creds"])),
} as const satisfies Record<string, Command>;

/** The words of a command that the recorder knows. */
export type CommandName = keyof typeof commands;

/** Commands of BR that the recorder refuses: it says that it does not know them, which BR does not. */
export const otherCommands: readonly string[] = [
    "backup raw",
    "backup txn",
    "restore raw",
    "restore txn",
    "log advancer",
    "debug",
    ...["pause-gc-and-schedulers", "prepare-for-snapshot-backup", "list-migrations", "unsafe-migrate-to"].map(
        (name) => `operator ${name}`,
    ),
    ...["force-flush", "checksum-as"].map((name) => `operator ${name}`),
];

/** The groups of commands. */
export const groups = ["backup", "restore", "log", "operator"] as const;
