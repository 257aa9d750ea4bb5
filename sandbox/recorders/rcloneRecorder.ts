import { type RecordedCall, readCalls } from "./recorderFolder";
import { writeProgram } from "./recorderProgram";

/** An executable in the place of `rclone`, for Jobs of the sandbox, and what it was called with. */
export interface RcloneRecorder {
    /** The path of the executable. */
    readonly file: string;
    /** All calls, in the order in which they began. */
    calls(): RecordedCall[];
}

/** Writes the executable `rclone` into a folder of its own. It lists and deletes in folders and buckets for real. */
export function writeRcloneRecorder(folder: string): RcloneRecorder {
    return { file: writeProgram(folder, "rclone"), calls: () => readCalls(folder) };
}
