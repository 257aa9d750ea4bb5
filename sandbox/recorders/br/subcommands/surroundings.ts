import type { Values } from "../arguments/values";
import type { PdClient } from "../cluster/pdClient";
import type { ClusterFacts } from "../cluster/clusterFacts";
import type { Log } from "../log";
import type { Storage } from "../storage/storage";
import type { FaultPoints } from "../faults";

/** What a backup or a restore works with. */
export interface Surroundings {
    readonly values: Values;
    readonly log: Log;
    readonly pd: PdClient;
    readonly cluster: ClusterFacts;
    readonly storage: Storage;
    readonly brVersion: string;
    readonly faults: FaultPoints;
    readonly now: () => number;
}

/** What a command works with that reads and writes no storage. */
export type WithoutStorage = Omit<Surroundings, "storage">;

/** What a command has done, for the last lines of its log. */
export interface Summary {
    /** As BR's log names the command: `Full Backup`, `DataBase Restore`. */
    readonly title: string;
    readonly tables: number;
    readonly bytes: number;
    /** Further fields, such as the timestamp of the backup. */
    readonly fields: Readonly<Record<string, string | number>>;
}

/** Logs how far a step is, as BR does every few seconds (br/pkg/utils/progress.go, v8.5). */
export function logProgress(log: Log, title: string, done: number, of: number): void {
    const percent = of === 0 ? 100 : (done * 100) / of;
    log.info(
        "progress",
        {
            step: title,
            progress: `${percent.toFixed(2)}%`,
            count: `${done} / ${of}`,
            speed: "? p/s",
            elapsed: "0s",
            remaining: "0s",
        },
        "progress.go:176",
    );
}

/** Writes a number of bytes as BR does: `1.5kB` (docker/go-units HumanSize). */
export function humanSize(bytes: number): string {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let [size, unit] = [bytes, 0];
    for (; size >= 1000 && unit < units.length - 1; unit++) {
        size /= 1000;
    }
    return `${Number(size.toPrecision(4))}${units[unit]}`;
}
