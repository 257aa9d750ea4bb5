import { timeOfTso, tsoOf } from "../../../topology/timestamps";
import { logBackupName } from "./planLogBackup";
import type { LogBackupTarget, LogStep } from "./target";

/** @returns what a step does, in words: `start the log backup basic of the cluster db/basic to s3://backups/log`. */
export function stepWords(step: LogStep, target: LogBackupTarget): string {
    const name = `${step} the ${logBackupName(target)}`;
    switch (step) {
        case "start":
            return `${name} to ${target.storage}`;
        case "truncate": {
            const until = tsoOf(target.truncateUntil);
            return `${name} until ${until === undefined ? target.truncateUntil : timeOfTso(until)}: nothing before that can be restored any more`;
        }
        case "pause":
            return `${name}; resume it within a day, because BR then no longer keeps TiDB's GC from what it lacks`;
        case "resume":
        case "stop":
            return name;
    }
}
