import type { Mutation } from "./mutation";

const decision = "provider/lifecycle/backups/lastBackup.ts";
const gate = "provider/gates/lastBackupJobs.ts";
const destroy = "provider/gates/destroy.ts";
const tests = ["tests/unit/lifecycle/lastBackup.test.ts", "tests/unit/gates/lastBackup.test.ts"];

/** Rules of the last backup before a cluster is destroyed. */
export const ofLastBackup: Mutation[] = [
    {
        name: "a backup that succeeded long ago counts as the last one",
        file: decision,
        find: "isWithin(job.succeededAt, hour) &&",
        replace: "",
        tests,
    },
    {
        name: "a backup that began days ago is waited for as the last one",
        file: decision,
        find: 'job.state === "at work" && isWithin(job.createdAt, day)',
        replace: 'job.state === "at work"',
        tests,
    },
    {
        name: "a backup to another storage counts as the last one",
        file: decision,
        find: "job.of === of && ",
        replace: "",
        tests,
    },
    {
        name: "a person's word to destroy without a backup never ends",
        file: decision,
        find: "until < now ?",
        replace: "until > now + 2 * day ?",
        tests,
    },
    {
        name: "a suspended cluster has nothing to back up",
        file: decision,
        find: 'claims.length > 0 ? "volumes" : "nothing"',
        replace: '"nothing"',
        tests,
    },
    {
        name: "the backup of another cluster of this name counts as the last one",
        file: gate,
        find: "owners.includes(leaseUid)",
        replace: "owners.length > 0",
        tests,
    },
    {
        name: "a destroy does not wait for its last backup",
        file: gate,
        find: "runJob(target, true,",
        replace: "runJob(target, false,",
        tests,
    },
    {
        name: "a destroy goes on after its last backup although another run has the lock",
        file: gate,
        find: "    await lock.confirmHeld({ usesPd: false, isAlone: false });\n",
        replace: "",
        tests,
    },
    {
        name: "a destroy whose machine slept after the last backup goes on",
        file: gate,
        find: 'if (last?.state !== "succeeded") {',
        replace: "if (last === null) {",
        tests,
    },
    {
        name: "a cluster whose Lease is gone is destroyed without its last backup",
        file: destroy,
        find: "await otherwise?.(ports);",
        replace: "",
        tests,
    },
];
