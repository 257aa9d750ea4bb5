import { decodeTask, encodeTask, logKeys, type LogTask } from "../../../logBackup/task";
import { brError, BrError } from "../errors";
import type { PdClient } from "./pdClient";

/** A task in PD's etcd. */
export interface StoredTask extends LogTask {
    readonly paused: boolean;
}

/** Refuses a restore while a log backup runs (`checkTaskExists` in br/pkg/task/stream.go, v8.5). */
export async function checkNoLogTask(pd: PdClient): Promise<void> {
    const [name] = await taskNames(pd);
    if (name !== undefined) {
        throw new BrError(
            `failed to check task exists: log backup task is running: ${name}, ` +
                "please stop the task before restore, and after PITR operation finished, " +
                "create log-backup task again and create a full backup on this cluster",
        );
    }
}

/** The names of all tasks. */
export async function taskNames(pd: PdClient): Promise<string[]> {
    const kvs = await read(pd, logKeys.tasks, true);
    return kvs.map(({ key }) => atob(key).slice(logKeys.tasks.length));
}

/** Reads a task. Throws as BR does if there is none. */
export async function readTask(pd: PdClient, name: string): Promise<StoredTask> {
    const [task] = await read(pd, logKeys.task(name));
    if (task === undefined) {
        throw brError("taskNotFound", `no such task ${name}`);
    }
    const paused = (await read(pd, logKeys.pause(name))).length > 0;
    return { ...decodeTask(Buffer.from(task.value, "base64")), paused };
}

/** The time until which a task's log is written. */
export async function checkpointOf(pd: PdClient, { name, startTs }: LogTask): Promise<bigint> {
    const [checkpoint] = await read(pd, logKeys.checkpoint(name));
    return checkpoint === undefined ? startTs : Buffer.from(checkpoint.value, "base64").readBigUInt64BE();
}

/** Puts a task with its ranges: here one that holds everything. */
export function putTask(pd: PdClient, task: LogTask): Promise<void> {
    return change(pd, [
        put(logKeys.task(task.name), encodeTask(task)),
        put(`${logKeys.ranges(task.name)}t`, Buffer.from("u")),
    ]);
}

/** Deletes all that PD keeps of a task. */
export function deleteTask(pd: PdClient, name: string): Promise<void> {
    const folders = [logKeys.ranges, logKeys.checkpoints, logKeys.lastErrors].map((of) => remove(of(name), true));
    const keys = [logKeys.task, logKeys.pause, logKeys.storageCheckpoints].map((of) => remove(of(name)));
    return change(pd, [...keys, ...folders]);
}

/** Marks a task as paused, and by whom. */
export function pauseTask(pd: PdClient, name: string, now: number): Promise<void> {
    const by = {
        severity: "REGULAR_OPERATION",
        operation_hostname: "sandbox",
        operation_time: new Date(now).toISOString(),
    };
    return change(pd, [put(logKeys.pause(name), Buffer.from(JSON.stringify(by)))]);
}

/** Takes the mark away, and the errors that may have been its reason. */
export function resumeTask(pd: PdClient, name: string): Promise<void> {
    return change(pd, [remove(logKeys.pause(name)), remove(logKeys.lastErrors(name), true)]);
}

async function read(pd: PdClient, key: string, isFolder = false): Promise<{ key: string; value: string }[]> {
    const answer = await pd.post("/v3/kv/range", rangeOf(key, isFolder));
    return (JSON.parse(answer) as { kvs?: { key: string; value: string }[] }).kvs ?? [];
}

async function change(pd: PdClient, success: object[]): Promise<void> {
    await pd.post("/v3/kv/txn", { compare: [], success, failure: [] });
}

function put(key: string, value: Buffer): object {
    return { request_put: { key: btoa(key), value: value.toString("base64") } };
}

function remove(key: string, isFolder = false): object {
    return { request_delete_range: rangeOf(key, isFolder) };
}

/** A folder's name ends in a slash, whose next character is a zero. */
function rangeOf(key: string, isFolder: boolean): object {
    return { key: btoa(key), ...(isFolder ? { range_end: btoa(key.replace(/\/$/, "0")) } : {}) };
}
