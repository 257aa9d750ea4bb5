export type { LogTask } from "../vocabulary/logTask";

/** The state of a log backup that a program asks for. */
export type LogState = "running" | "paused" | "stopped";

/** What BR does about a log backup: `br log <step>`. */
export type LogStep = "start" | "resume" | "pause" | "stop" | "truncate";

/** The log backup of a program. */
export interface LogBackupTarget {
    /** Name of its task in PD. */
    readonly task: string;
    /** Where it writes: `s3://backups/log`. */
    readonly storage: string;
    /** The storage's endpoint, if the program says it. */
    readonly endpoint?: string;
    /** The storage account of Azure, if the program says it. */
    readonly account?: string;
    readonly wanted: LogState;
    /** The time up to which the log is deleted, as the program says it. Empty: it is not. */
    readonly truncateUntil: string;
    /** The cluster: `db/basic`. */
    readonly of: string;
    readonly attempt: number;
}

/** What the stack's state proves of the last update: it enters the state only if all of it was reached. Empty if there was none. */
export interface LogBackupBefore {
    readonly wanted?: LogState;
    readonly truncateUntil?: string;
    readonly attempt?: number;
}
