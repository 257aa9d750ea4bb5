import type { Mutation } from "./mutation";

const job = "components/br/compact/job.ts";
const versions = "components/br/compact/versions.ts";
const ofJob = "tests/contract/recorders/compactBackup.test.ts";
const ofRendering = "tests/unit/br/compactBackup.test.ts";

/** Rules of compactions of log backups. */
export const ofCompaction: Mutation[] = [
    {
        name: "a compaction that Kubernetes ends leaves its lock, and BR truncates the log no more",
        file: job,
        find: "trap 'kill -INT $!; wait $!' TERM",
        replace: "true",
        tests: [ofJob],
    },
    {
        name: "tikv-ctl gets BR's log as a part of the storage",
        file: job,
        find: "unset BR_LOG_TO_TERM\n",
        replace: "",
        tests: [ofJob],
    },
    {
        name: "a version whose tikv-ctl does not compact logs is not refused",
        file: versions,
        find: 'tooEarly("spec.tikvImage", ctl)',
        replace: "[] as SpecProblem[]",
        tests: [ofRendering],
    },
    {
        name: "a version of BR that does not write storages down for tikv-ctl is not refused",
        file: versions,
        find: "isOneVersion ? []",
        replace: "isOneVersion || ctl ? []",
        tests: [ofRendering],
    },
    {
        name: "a compaction of no time at all is not refused",
        file: "components/br/compact/rules.ts",
        find: "from < until ? []",
        replace: "from <= until ? []",
        tests: [ofRendering],
    },
];
