import { deleteChanges, truncatedFile } from "../../../logBackup/logFiles";
import { checkpointOf, deleteTask, pauseTask, putTask, readTask, resumeTask, taskNames } from "../cluster/logTasks";
import { tsoOf } from "../arguments/timestamps";
import { brError, BrError } from "../errors";
import type { Place } from "../storage/storageUrl";
import { lockFile, metaFile, timestampOf } from "./backupMeta";
import type { Log } from "../log";
import { type LogMeta, readLogInfo, truncatedUntil } from "./logInfo";
import type { Surroundings, WithoutStorage } from "./surroundings";

const lockText = "DO NOT DELETE\nThis file exists to remind other backup jobs won't use this path";
/** What the commands work with that ask nobody but the storage. */
type Stored = Pick<Surroundings, "values" | "storage">;

const truncateLock = "truncating.lock";

/**
 * Puts a task into PD's etcd, after BR's checks in BR's order (`RunStreamStart` in br/pkg/task/stream.go, v8.5). In a storage with a log of
 * the same cluster it goes on from the end of that log.
 */
export async function startLog({ values, pd, storage, cluster, now }: Surroundings, place: Place): Promise<void> {
    const current = BigInt(timestampOf(now()));
    const asked = tsoOf(values.text("start-ts")) || current;
    if (current < asked) {
        throw brError(
            "invalidArgument",
            `invalid timestamps, startTS ${asked} should be smaller than currentTS ${current}`,
        );
    }
    if ((await taskNames(pd)).length > 0) {
        throw brError("logTaskExists", "failed to start the log backup, allow only one running task");
    }
    let startTs = asked;
    if (await storage.exists(lockFile)) {
        const { clusterId, maxTs } = await readLogInfo(storage);
        if (clusterId !== cluster.clusterId) {
            throw brError(
                "invalidArgument",
                `the stream log files from cluster ID:${clusterId} and current cluster ID:${cluster.clusterId} `,
            );
        }
        startTs = maxTs;
    } else {
        await storage.write(lockFile, lockText);
        const { clusterId, clusterVersion } = cluster;
        const meta: LogMeta = { clusterId, clusterVersion, startVersion: String(startTs) };
        await storage.write(metaFile, JSON.stringify(meta, undefined, 2));
    }
    await putTask(pd, { name: values.text("task-name"), startTs, place });
}

/** Says from when until when the log is. */
export async function logMetadata({ storage }: Stored, log: Log): Promise<void> {
    const { minTs, maxTs } = await readLogInfo(storage);
    log.info("log metadata", { "log-min-ts": String(minTs), "log-max-ts": String(maxTs) }, "collector.go:77");
}

/** Deletes the task. */
export async function stopLog({ values, pd }: WithoutStorage): Promise<void> {
    const { name } = await readTask(pd, values.text("task-name"));
    await deleteTask(pd, name);
}

/** Pauses the task. Throws if it is paused. */
export async function pauseLog({ values, pd, now }: WithoutStorage): Promise<void> {
    const { name, paused } = await readTask(pd, values.text("task-name"));
    if (paused) {
        throw brError("unknownTikv", `The task ${name} is paused already.`);
    }
    await pauseTask(pd, name, now());
}

/** Resumes the task. Throws if it runs. */
export async function resumeLog({ values, pd }: WithoutStorage): Promise<void> {
    const { name, paused } = await readTask(pd, values.text("task-name"));
    if (!paused) {
        throw brError("unknownTikv", `The task ${name} is active already.`);
    }
    await resumeTask(pd, name);
}

/** Says what is known of a task, or of all. */
export async function logStatus({ values, pd }: WithoutStorage, say: (line: string) => void): Promise<void> {
    const asked = values.text("task-name");
    const names = asked === "*" ? await taskNames(pd) : [asked];
    for (const name of names) {
        const task = await readTask(pd, name);
        const checkpoint = await checkpointOf(pd, task);
        const status = task.paused ? "PAUSE" : "NORMAL";
        say(JSON.stringify({ name, status, start_ts: String(task.startTs), checkpoint: String(checkpoint) }));
    }
}

/**
 * Deletes the files that are older than a time, and notes that time. Like BR it asks neither PD nor the checkpoint (`RunStreamTruncate`); its
 * questions are answered with yes where there is no terminal.
 */
export async function truncateLog({ values, storage }: Stored, say: (line: string) => void): Promise<void> {
    const until = tsoOf(values.text("until"));
    if (await storage.exists(truncateLock)) {
        throw new BrError(
            `failed to lock file ${truncateLock}: There might be another truncate task running, or a truncate task that didn't exit properly. You may check the metadata and continue by wait other task finish or manually delete the lock file ${truncateLock} at the external storage.`,
        );
    }
    await storage.write(truncateLock, "{}");
    try {
        const before = await truncatedUntil(storage);
        if (until < before) {
            say("According to the log, you have truncated log backup data before");
        }
        await readLogInfo(storage);
        if (values.isOn("dry-run")) {
            return;
        }
        if (until > before) {
            await storage.write(truncatedFile, String(until));
        }
        say(`Truncating Data Files and Metadata: ${await deleteChanges(storage, until)} files`);
    } finally {
        await storage.delete(truncateLock);
    }
}
