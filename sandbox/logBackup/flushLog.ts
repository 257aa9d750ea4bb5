import type { ClusterState } from "../dataPlane/model/cluster";
import { keyAt, putKey, uint64 } from "../dataPlane/model/etcd";
import { BrError } from "../recorders/br/errors";
import { openStorage } from "../recorders/br/storage/openStorage";
import { encode } from "./protobuf";
import { writeChanges } from "./logFiles";
import { decodeTask, logKeys, type LogTask } from "./task";

/**
 * Plays TiKV's and TiDB's part of log backups: what has changed goes to each task's storage, and the time until which that is so to PD's
 * etcd. A task whose storage cannot be written is paused, with the error, as TiKV does (tikv components/backup-stream).
 */
export async function flushLog(state: ClusterState): Promise<void> {
    const names = [...state.etcd.keys.keys()].filter((name) => name.startsWith(logKeys.tasks));
    const tasks = names.flatMap((name) => keyAt(state, name)?.value ?? []).map((value) => decodeTask(value));
    for (const task of tasks) {
        if (state.faults.logBackupStands !== true && keyAt(state, logKeys.pause(task.name)) === undefined) {
            await flushTask(state, task);
        }
    }
}

async function flushTask(state: ClusterState, task: LogTask): Promise<void> {
    const written = keyAt(state, logKeys.checkpoint(task.name))?.value?.readBigUInt64BE();
    const from = written ?? task.startTs;
    // What changes in this millisecond is for the next time.
    const until = BigInt(Math.floor(state.now) - 1) << 18n;
    if (until <= from) {
        return;
    }
    const changes = state.tableChanges.filter(({ at }) => at > from && at <= until);
    try {
        await writeChanges(await openStorage(task.place, {}), changes, until);
    } catch (error) {
        if (!(error instanceof BrError)) {
            throw error;
        }
        const happened = { 1: BigInt(Math.floor(state.now)), 2: "KV:LogBackup:IO", 3: error.message, 4: 1n };
        putKey(state, `${logKeys.lastErrors(task.name)}1`, encode(happened));
        putKey(state, logKeys.pause(task.name), Buffer.from(JSON.stringify({ severity: "ERROR" })));
        return;
    }
    if (keyAt(state, logKeys.task(task.name)) !== undefined) {
        putKey(state, logKeys.checkpoint(task.name), uint64(until));
    }
}
