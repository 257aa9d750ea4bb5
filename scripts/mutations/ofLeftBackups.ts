import type { Mutation } from "./mutation";

const lifecycle = "provider/lifecycle/backups/leftBackup.ts";
const gates = "provider/gates/leftBackups.ts";
const script = "components/br/clean/cleanScript.ts";
const unit = ["tests/unit/lifecycle/leftBackup.test.ts", "tests/unit/gates/leftBackups.test.ts"];
const ofScript = ["tests/contract/backupClean/clean.test.ts"];

/** Rules of the data of Backups that left the program. */
export const ofLeftBackups: Mutation[] = [
    {
        name: "data are deleted that another Job than the Backup's has written",
        file: lifecycle,
        find: "if (job?.uid !== jobUid) {",
        replace: "if (job === undefined) {",
        tests: unit,
    },
    {
        name: "data are deleted in a storage that the Job did not write to",
        file: lifecycle,
        find: "if (!storage.every(",
        replace: "if (!storage.some(",
        tests: unit,
    },
    {
        name: "data are deleted while the Backup may be in the program again",
        file: lifecycle,
        find: "if (own !== undefined) {",
        replace: "if (own === null) {",
        tests: unit,
    },
    {
        name: "a backup within the prefix does not keep it",
        file: lifecycle,
        find: "return one.startsWith(other) || other.startsWith(one);",
        replace: "return one === other;",
        tests: unit,
    },
    {
        name: "a restore that runs does not keep what it reads",
        file: lifecycle,
        find: '(args.includes("backup") || !hasEnded) &&',
        replace: 'args.includes("backup") &&',
        tests: unit,
    },
    {
        name: "data are deleted that no plan of this update has",
        file: gates,
        find: "due.filter(({ words }) => inputs.plan.includes(words))",
        replace: "due.filter(({ words }) => words !== undefined || inputs.plan.includes(words))",
        tests: unit,
    },
    {
        name: "the record of a failed deletion goes before the next one is made",
        file: gates,
        find: "await world.create(inputs, made);",
        replace: "await world.remove(inputs, record.name, record.uid);\n    await world.create(inputs, made);",
        tests: unit,
    },
    {
        name: "a Backup whose cluster is gone is put on record",
        file: "provider/gates/leaveBackup.ts",
        find: "await world.noteOnLease(place, cluster)",
        replace: "true",
        tests: unit,
    },
    {
        name: "a failure that is not known counts as one",
        file: lifecycle,
        find: "if (startedAt === undefined || endedAt === undefined) {",
        replace: "if (startedAt === undefined) {",
        tests: unit,
    },
    {
        name: "the data of a failed backup are deleted at once",
        file: lifecycle,
        find: "(now !== undefined && now >= from)",
        replace: "(now !== undefined && now >= 0)",
        tests: unit,
    },
    {
        name: "the data of a failed backup are deleted although nobody knows what time it is",
        file: lifecycle,
        find: "(now !== undefined && now >= from)",
        replace: "now === undefined || now >= from",
        tests: unit,
    },
    {
        name: "what a failed attempt left stays on record after a later one has succeeded",
        file: "provider/gates/jobGate.ts",
        find: "if (done && inputs.clean?.onFailure) {",
        replace: "if (!done && inputs.clean?.onFailure) {",
        tests: unit,
    },
    {
        name: "a backup that succeeded is put on record with OnFailure",
        file: "provider/gates/leaveBackup.ts",
        find: 'onFailure ? "failed" : "succeeded");',
        replace: '"succeeded");',
        tests: unit,
    },
    {
        name: "a whole backup is deleted because its Job failed",
        file: script,
        find: 'if (failed && taken != "") print',
        replace: "if (0) print",
        tests: ofScript,
    },
    {
        name: "a failed backup goes although the list lacks its backupmeta",
        file: script,
        find: '[ -z "$failed" ] || lacks',
        replace: '[ "$failed" ] || lacks',
        tests: ofScript,
    },
    {
        name: "files that are older than the failed backup are deleted",
        file: script,
        find: 'if (failed && older != "") print',
        replace: "if (0) print",
        tests: ofScript,
    },
    {
        name: "a prefix with other files is deleted",
        file: script,
        find: "if (others) print",
        replace: "if (others < 0) print",
        tests: ofScript,
    },
    {
        name: "what has no backupmeta is deleted",
        file: script,
        find: 'else if (taken == "" && !begun) print',
        replace: "else if (0) print",
        tests: ofScript,
    },
    {
        name: "a later backup in the same place is deleted",
        file: script,
        find: 'at > until && newer == "" { newer = name }',
        replace: "",
        tests: ofScript,
    },
    {
        name: "no word of what judges the list counts as consent",
        file: script,
        find: '[ "$verdict" = own ] || fail',
        replace: '[ "$verdict" = own ] || [ -z "$verdict" ] || fail',
        tests: ofScript,
    },
    {
        name: "files go that the list lacked",
        file: script,
        find: "rclone delete --include '/*.sst' --include '/[0-9]*/*.sst' --include '/backupmeta.*' --include /backup.lock --include '/checkpoints/backup/**'",
        replace: "rclone delete",
        tests: ofScript,
    },
];
