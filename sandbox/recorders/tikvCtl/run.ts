import { BrError } from "../br/errors";
import { type BrFault, faultPoints } from "../br/faults";
import { openLog } from "../br/log";
import { openStorage } from "../br/storage/openStorage";
import { decodeBackend } from "../../logBackup/task";
import { compact } from "./compact";
import { type CtlCall, CtlUsageError, parseCall } from "./parseCall";
import type { Place } from "../br/storage/storageUrl";

/** What the recorder of tikv-ctl knows besides its command line. */
export interface CtlCircumstances {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly fault: BrFault | undefined;
    readonly kill: () => void;
    readonly now: () => number;
    /** Whether it was interrupted, as by Ctrl-C. */
    readonly isAborted: () => boolean;
}

/** Runs `tikv-ctl` with the arguments after its name. Its log goes to standard error. Returns the exit code. */
export async function runTikvCtl(
    args: readonly string[],
    { environment, fault, kill, now, isAborted }: CtlCircumstances,
    err: (line: string) => void,
): Promise<number> {
    let call: CtlCall;
    let place: Place;
    try {
        call = parseCall(args);
        place = placeOf(call);
    } catch (error) {
        if (!(error instanceof CtlUsageError)) {
            throw error;
        }
        err(`error: ${error.message}`);
        return 1;
    }
    const log = openLog(err, call["log-level"] ?? "", () => new Date(now()));
    try {
        const faults = faultPoints(fault, kill);
        const storage = faults.withStorage(await openStorage(place, environment));
        await compact(call, { storage, log, faults, isAborted });
        log.info("Compact log backup successfully.", {}, "main.rs:499");
        return 0;
    } catch (error) {
        if (!(error instanceof BrError)) {
            throw error;
        }
        log.error("Compaction aborted.", { err: error.message }, "observability.rs:84");
        log.error("Failed to compact log backup.", { err: error.message }, "main.rs:501");
        return 1;
    }
}

function placeOf({ "storage-base64": written = "" }: CtlCall): Place {
    try {
        return decodeBackend(Buffer.from(written, "base64"));
    } catch (error) {
        throw new CtlUsageError(
            `(-s, --storage-base64) is invalid: cannot parse bytes as StorageBackend: ${String(error)}`,
        );
    }
}
