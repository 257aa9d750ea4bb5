import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { BrError } from "./errors";
import type { Storage } from "./storage/storage";

/** What goes wrong in the next commands, until it is taken back. */
export type BrFault =
    /** The process is killed, as by the kernel, when it has worked on this many tables. */
    | { readonly kind: "killed"; readonly afterTables: number }
    /** The storage has no room left, when this many tables are written. */
    | { readonly kind: "storageFull"; readonly afterTables: number }
    /** The storage does not answer any more, when this many tables are written. */
    | { readonly kind: "storageGone"; readonly afterTables: number }
    /** The storage refuses every call: with `ExpiredToken` as S3 does for a key that was valid once. */
    | { readonly kind: "storageRefuses"; readonly code: string; readonly message: string; readonly status: number }
    /** Each table takes this long. */
    | { readonly kind: "slow"; readonly millisecondsPerTable: number }
    /** The work stands still after this many tables, until the file is gone. */
    | { readonly kind: "held"; readonly afterTables: number; readonly by: string };

const lookMilliseconds = 100;

/** Where faults take effect. */
export interface FaultPoints {
    /** Called before work on a table, with the number of tables before it. */
    beforeTable(index: number): Promise<void>;
    /** The storage as it is with the fault. */
    withStorage(storage: Storage): Storage;
}

/** The points for a fault, or for none. `kill` ends the process at once. */
export function faultPoints(fault: BrFault | undefined, kill: () => void): FaultPoints {
    let tables = 0;
    const failure = (): BrError | undefined => {
        if (fault?.kind === "storageRefuses") {
            return new BrError(
                `${fault.code}: ${fault.message}\n\tstatus code: ${fault.status}, request id: , host id: `,
            );
        }
        if (fault?.kind === "storageFull" && tables > fault.afterTables) {
            return new BrError("write: no space left on device");
        }
        if (fault?.kind === "storageGone" && tables > fault.afterTables) {
            return new BrError("RequestError: send request failed\ncaused by: dial tcp: i/o timeout");
        }
        return undefined;
    };
    const guarded =
        <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
            const problem = failure();
            if (problem !== undefined) {
                throw problem;
            }
            return call(...args);
        };
    return {
        beforeTable: async (index) => {
            tables = index + 1;
            if (fault?.kind === "killed" && index >= fault.afterTables) {
                kill();
            }
            if (fault?.kind === "slow") {
                await sleep(fault.millisecondsPerTable);
            }
            while (fault?.kind === "held" && index >= fault.afterTables && existsSync(fault.by)) {
                await sleep(lookMilliseconds);
            }
        },
        withStorage: (storage) =>
            fault === undefined
                ? storage
                : {
                      uri: storage.uri,
                      exists: guarded(storage.exists),
                      read: guarded(storage.read),
                      write: guarded(storage.write),
                      delete: guarded(storage.delete),
                      list: guarded(storage.list),
                      files: guarded(storage.files),
                  },
    };
}
