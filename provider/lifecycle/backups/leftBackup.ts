import { cleanWord } from "../../../topology/backupPods";
import { shortDigest } from "../vocabulary/shortDigest";

/** The data of a Backup with a `cleanPolicy`, as the Job that deletes them has them on record. */
export interface LeftBackup {
    /** Name of the Backup. */
    readonly backup: string;
    /** Where the data are: `s3://backups/monday`. */
    readonly url: string;
    /** UID of the Job that took the backup. */
    readonly takenBy: string;
    /** How often the deletion has been tried, with this Job. */
    readonly attempt: number;
    /** For how long an update waits for it. */
    readonly timeoutSeconds: number;
    /** When the data were written, if the backup failed. Default: it succeeded. */
    readonly failed?: TimeOfBackup;
}

/** @returns the annotation of the Job. */
export function leftBackupText(left: LeftBackup): string {
    return JSON.stringify(left);
}

/** @returns what a Job deletes; undefined if its annotation does not say it. */
export function leftBackupOf(text: string | undefined): LeftBackup | undefined {
    try {
        const left = JSON.parse(text ?? "") as Partial<LeftBackup> | null;
        const texts = [left?.backup, left?.url, left?.takenBy];
        const { from, until } = left?.failed ?? { from: 0, until: 0 };
        const numbers = [left?.attempt, left?.timeoutSeconds, from, until];
        return texts.every((one) => typeof one === "string" && one !== "") && numbers.every(Number.isSafeInteger)
            ? (left as LeftBackup)
            : undefined;
    } catch {
        return undefined;
    }
}

const longestJobName = 63;

/** @returns the name of the Job of an attempt: `clean-monday-4f1c0a9be2d7`. */
export function cleanJobName({ backup, takenBy, attempt }: Pick<LeftBackup, "backup" | "takenBy" | "attempt">): string {
    const end = `-${shortDigest(JSON.stringify([takenBy, attempt]))}`;
    return `${`${cleanWord}-${backup}`.slice(0, longestJobName - end.length)}${end}`;
}

/** A Job or CronJob that may use a storage, as the API server shows it. */
export interface StorageUser {
    /** In messages: `Job tidb/backup-monday`. */
    readonly name: string;
    readonly uid: string;
    readonly hasEnded: boolean;
    /** When its work began, succeeded and failed, in milliseconds since 1970. Undefined as long as it has not. */
    readonly startedAt?: number;
    readonly succeededAt?: number;
    readonly failedAt?: number;
    /** The arguments of all its containers. */
    readonly args: readonly string[];
}

/** How far the clocks of the storage and of Kubernetes may differ. */
const clockSeconds = 900;

/** When the file that ends a backup may have been written, or any file of one that failed, in seconds since 1970. */
export interface TimeOfBackup {
    readonly from: number;
    readonly until: number;
}

/**
 * @param job the Job that the Backup ran, as far as it is still there.
 * @param storage the arguments with which BR writes to the storage that is to be deleted.
 * @param end whether the backup must have succeeded or failed.
 * @returns when the backup was written there, or why that is not proven.
 */
export function timeOfBackup(
    job: StorageUser | undefined,
    { jobUid, storage }: { jobUid: string; storage: readonly string[] },
    end: "succeeded" | "failed" = "succeeded",
): TimeOfBackup | { readonly why: string } {
    if (job?.uid !== jobUid) {
        return { why: "the Job that took the backup is gone" };
    }
    const { startedAt, [`${end}At` as const]: endedAt, args } = job;
    if (startedAt === undefined || endedAt === undefined) {
        return { why: `${job.name} has not ${end}` };
    }
    if (!storage.every((argument) => args.includes(argument))) {
        return { why: `${job.name} wrote elsewhere: the program has changed since` };
    }
    const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
    return { from: seconds(startedAt) - clockSeconds, until: seconds(endedAt) + clockSeconds };
}

/** For how long nothing else may have been written beside a failed backup: BR that runs refreshes its lock every 4 minutes (pingcap/tidb br/pkg/checkpoint). */
const quietSeconds = 3600;

/**
 * @param now the time by the API server's clock, if it is known.
 * @returns why it is too early to delete the data of a failed backup: another one that still writes there is noticed by what it has written since.
 */
export function tooEarly({ failed }: LeftBackup, now: number | undefined): string | undefined {
    const from = failed && (failed.until + quietSeconds) * 1000;
    return from === undefined || (now !== undefined && now >= from)
        ? undefined
        : `another backup may still write there, until ${new Date(from).toISOString()}`;
}

/** @returns why the data of a backup must not be deleted now; undefined if nothing that is on record needs them. */
export function neededBy({ takenBy, url }: LeftBackup, users: readonly StorageUser[]): string | undefined {
    const own = users.find(({ uid }) => uid === takenBy);
    if (own !== undefined) {
        return `${own.name}, which took it, is still there. \`pulumi up\` deletes it at its end, unless the Backup is in the program again`;
    }
    const other = users.find(
        ({ args, hasEnded }) =>
            (args.includes("backup") || !hasEnded) &&
            args.some((argument) => storageIn(argument).some((used) => overlap(used, pathOf(url)))),
    );
    return other && `${other.name} uses a storage that overlaps with it`;
}

/** The storages that an argument of BR, or of the script of a schedule, names. */
function storageIn(argument: string): string[] {
    const [, url] = /^(?:--[\w-]*storage=)?((?:s3|gcs|azure|local):\/\/[^?]*)/.exec(argument) ?? [];
    return url === undefined ? [] : [pathOf(url)];
}

function pathOf(url: string): string {
    return `${url.replace(/\/+$/, "")}/`;
}

function overlap(one: string, other: string): boolean {
    return one.startsWith(other) || other.startsWith(one);
}
