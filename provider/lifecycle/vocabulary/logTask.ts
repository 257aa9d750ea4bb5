/** What a task of a log backup is, as far as decisions read it. */
export interface LogTask {
    readonly name: string;
    /** Where it writes: `s3://backups/log`. Empty if that is not known. */
    readonly storage: string;
    readonly endpoint?: string;
    /** The storage account of Azure, if the task names one. */
    readonly account?: string;
    /** The time up to which every change is in the storage, as a TSO. */
    readonly checkpointTs: bigint;
    readonly paused: boolean;
    /** The last error of each TiKV that has one. */
    readonly errors: readonly string[];
}
