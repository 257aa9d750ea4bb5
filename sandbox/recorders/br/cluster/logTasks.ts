import { BrError } from "../errors";
import type { PdClient } from "./pdClient";

/** Where the tasks of log backups are in PD's etcd (br/pkg/streamhelper/models.go, v8.5). */
const taskPrefix = "/tidb/br-stream/info/";

/** Refuses a restore while a log backup runs (`checkTaskExists` in br/pkg/task/stream.go, v8.5). */
export async function checkNoLogTask(pd: PdClient): Promise<void> {
    const range = { key: btoa(taskPrefix), range_end: btoa(taskPrefix.replace(/\/$/, "0")) };
    const { kvs = [] } = JSON.parse(await pd.post("/v3/kv/range", range)) as { kvs?: { key: string }[] };
    if (kvs.length > 0) {
        throw new BrError(
            `failed to check task exists: log backup task is running: ${atob(kvs[0].key).slice(taskPrefix.length)}, ` +
                "please stop the task before restore, and after PITR operation finished, " +
                "create log-backup task again and create a full backup on this cluster",
        );
    }
}
