import type { ClusterState } from "../dataPlane/model/cluster";
import { keyAt, putKey, uint64 } from "../dataPlane/model/etcd";
import { logKeys } from "./task";

/** Simulates TiKV's and TiDB's part of log backups: the checkpoint of each running task in PD's etcd. Nothing is written to a storage. */
export function flushLog(state: ClusterState): void {
    const names = [...state.etcd.keys.keys()].filter((key) => key.startsWith(logKeys.tasks));
    for (const name of names.map((key) => key.slice(logKeys.tasks.length))) {
        const isRunning = keyAt(state, logKeys.task(name)) && keyAt(state, logKeys.pause(name)) === undefined;
        if (isRunning && state.faults.logBackupStands !== true) {
            putKey(state, logKeys.checkpoint(name), uint64(BigInt(Math.floor(state.now)) << 18n));
        }
    }
}
