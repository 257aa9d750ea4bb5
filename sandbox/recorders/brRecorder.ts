import type { BrFault } from "./br/faults";
import { defaultVersion, type RecordedCall, readCalls, writeSettings } from "./recorderFolder";
import { writeProgram } from "./recorderProgram";

/** An executable in the place of `br`, for Jobs of the sandbox, and what it was called with. */
export interface BrRecorder {
    /** The path of the executable. */
    readonly file: string;
    /** The path of an executable in the place of `tikv-ctl`, for compactions of log backups. Its calls and faults are those of `br`. */
    readonly tikvCtl: string;
    /** All calls, in the order in which they began. */
    calls(): RecordedCall[];
    /** What goes wrong from the next call on. Undefined: nothing. */
    setFault(fault: BrFault | undefined): void;
    /** The version that the next calls say they have. Default: `v8.5.4`. */
    setVersion(version: string): void;
}

/**
 * Writes the executable `br` into a folder of its own. It takes BR's arguments and environment, reads and writes the storage, and
 * asks the simulated PD for the cluster's tables.
 */
export function writeBrRecorder(folder: string): BrRecorder {
    const file = writeProgram(folder, "br");
    const settings: { version: string; fault: BrFault | undefined } = { version: defaultVersion, fault: undefined };
    const change = (next: Partial<typeof settings>): void => writeSettings(folder, Object.assign(settings, next));
    change({});
    return {
        file,
        tikvCtl: writeProgram(folder, "tikv-ctl"),
        calls: () => readCalls(folder),
        setFault: (fault) => change({ fault }),
        setVersion: (version) => change({ version }),
    };
}
