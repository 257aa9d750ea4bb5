import type { Mutation } from "./mutation";

/** Rules of what a status and a diagnosis look at. */
export const ofStatus: readonly Mutation[] = [
    {
        name: "a store of a member that left the program is no reason not to be Ready",
        file: "status/conditions.ts",
        find: "finds === storesNotUp && members.length === 0",
        replace: "members.length < 0",
        tests: ["tests/unit/status/conditions.test.ts"],
    },
    {
        name: "Ready says nothing of a silent store of another address",
        file: "status/conditions.ts",
        find: "? silent.length === 0",
        replace: "? silent.length >= 0",
        tests: ["tests/unit/status/conditions.test.ts"],
    },
    {
        name: "a silent store is not named, with what to do",
        file: "status/storeStatus.ts",
        find: "!(own && pods.includes(pod))",
        replace: "pods.length < 0",
        tests: ["tests/unit/status/remarks.test.ts"],
    },
    {
        name: "a store that leaves as it should is called silent",
        file: "status/storeStatus.ts",
        find: '["Down", "Disconnected"].includes(state)',
        replace: 'state !== "Up"',
        tests: ["tests/unit/status/conditions.test.ts"],
    },
    {
        name: "a Job of another cluster is diagnosed",
        file: "provider/lifecycle/diagnosis/clusterJobs.ts",
        find: "own = jobs.filter((job) => isOf(job, cluster))",
        replace: "own = jobs",
        tests: ["tests/unit/lifecycle/diagnosis/clusterJobs.test.ts"],
    },
    {
        name: "a run of a schedule counts for which a later one has made up",
        file: "provider/lifecycle/diagnosis/clusterJobs.ts",
        find: "isNewer(other, job)",
        replace: "isNewer(job, job)",
        tests: ["tests/unit/lifecycle/diagnosis/clusterJobs.test.ts"],
    },
    {
        name: "a Job that has not begun is diagnosed",
        file: "provider/lifecycle/diagnosis/clusterJobs.ts",
        find: "job.spec?.suspend !== true &&",
        replace: "",
        tests: ["tests/unit/lifecycle/diagnosis/clusterJobs.test.ts"],
    },
    {
        name: "the pod of another Job of the same name is diagnosed",
        file: "status/diagnosis/readJobPods.ts",
        find: "pod.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid)",
        replace: "true",
        tests: ["tests/unit/status/diagnosis/readJobPods.test.ts"],
    },
    {
        name: "Jobs that may not be listed are none",
        file: "status/diagnosis/readJobPods.ts",
        find: "unread: [`${what}: ${error.message}`]",
        replace: "unread: []",
        tests: ["tests/unit/status/diagnosis/readJobPods.test.ts"],
    },
    {
        name: "a Job is told to be changed",
        file: "provider/lifecycle/diagnosis/diagnosePod.ts",
        find: "return facts.job === undefined",
        replace: 'return facts.job !== ""',
        tests: ["tests/unit/lifecycle/diagnosis/clusterJobs.test.ts"],
    },
];
