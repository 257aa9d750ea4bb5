import type { Mutation } from "./mutation";

const jobs = (...names: string[]) => names.map((name) => `tests/unit/lifecycle/jobs/${name}.test.ts`);
const beside = "provider/lifecycle/jobs/jobsBeside.ts";
const gate = ["tests/unit/gates/jobGate.test.ts"];

/** Rules of Jobs that run once. */
export const ofJobs: Mutation[] = [
    {
        name: "another Job's success counts as the success of the program's",
        file: "provider/lifecycle/jobs/judgeJob.ts",
        find: "if (uid !== target.jobUid) {",
        replace: "if (uid === undefined) {",
        tests: jobs("judgeJob"),
    },
    {
        name: "a Job whose pods have succeeded counts as complete before it says so",
        file: "provider/lifecycle/jobs/judgeJob.ts",
        find: 'const complete = condition("Complete");',
        replace: 'const complete = condition("Complete") ?? condition("SuccessCriteriaMet");',
        tests: jobs("judgeJob"),
    },
    {
        name: "a Job that a person suspended is started again",
        file: "provider/lifecycle/jobs/judgeJob.ts",
        find: "generation !== 1",
        replace: "generation === 0",
        tests: jobs("judgeJob"),
    },
    {
        name: "a Job of an earlier version of the program is started",
        file: "provider/lifecycle/jobs/judgeJob.ts",
        find: "revision === target.revision",
        replace: "revision !== undefined",
        tests: jobs("judgeJob"),
    },
    {
        name: "a Job that is gone counts as done",
        file: "provider/lifecycle/jobs/judgeJob.ts",
        find: '{ is: "not known", why: `${jobName(target)} is gone` }',
        replace: '{ is: "succeeded", revision: target.revision }',
        tests: jobs("judgeJob"),
    },
    {
        name: "a Job of which nothing is known is waited for without end",
        file: "provider/lifecycle/jobs/nextJobMove.ts",
        find: "unknownSince: wait.unknownSince ?? now",
        replace: "unknownSince: now",
        tests: jobs("nextJobMove"),
    },
    {
        name: "an update that did not wait for a Job proves its success",
        file: "provider/lifecycle/jobs/planJob.ts",
        find: "const isProven = wait === true && ",
        replace: "const isProven = ",
        tests: jobs("planJob"),
    },
    {
        name: "the success of one attempt counts for the next",
        file: "provider/lifecycle/jobs/planJob.ts",
        find: "before.job !== job",
        replace: "false",
        tests: jobs("planJob"),
    },
    {
        name: "work that is done is done again when its Job was created again",
        file: "provider/gates/jobGate.ts",
        find: "const done = inputs.done ?? (await runNow",
        replace: "const done = (await runJob",
        tests: gate,
    },
    {
        name: "a failure is shown without the container's own last words",
        file: "provider/gates/runJob.ts",
        find: "(isLogDue || hasFailed)",
        replace: "false",
        tests: gate,
    },
    {
        name: "a Job that must not begin begins",
        file: "provider/gates/jobGate.ts",
        find: 'why !== undefined || held?.is === "refused"',
        replace: 'held?.is === "refused"',
        tests: gate,
    },
    {
        name: "a Job that the gate could not look at before begins although it must not",
        file: "provider/gates/runJob.ts",
        find: "    if (refusal) {",
        replace: "    if (refusal === undefined) {",
        tests: gate,
    },
    {
        name: "the failure of a Job is told twice in an update",
        file: "provider/gates/jobGate.ts",
        find: "wait && !isAhead ? [] : said",
        replace: "wait && !isAhead ? said : said",
        tests: gate,
    },
    {
        name: "a further attempt begins beside an earlier one",
        file: beside,
        find: "name === base ||",
        replace: "false &&",
        tests: [...jobs("jobsBeside"), ...gate],
    },
    {
        name: "a restore begins beside another one into its cluster",
        file: beside,
        find: "args.includes(restoreWord) && args.includes(into)",
        replace: "args.includes(restoreWord) && args === undefined",
        tests: [...jobs("jobsBeside"), ...gate],
    },
    {
        name: "a Job begins though which others are at work is not known",
        file: beside,
        find: "if (!beside.known) {",
        replace: "if (!beside.known) {\n        return undefined;",
        tests: [...jobs("jobsBeside"), ...gate],
    },
    {
        name: "a pod that outlives its Job is forgotten",
        file: "provider/cluster/jobs/observeJob.ts",
        find: "hasEnded }) => !hasEnded), ...pods]",
        replace: "hasEnded }) => !hasEnded)]",
        tests: jobs("jobsBeside"),
    },
    {
        name: "two restores of a program begin at once",
        file: "provider/gates/runJob.ts",
        find: "const next = turn.then(",
        replace: "const next = Promise.resolve().then(",
        tests: gate,
    },
    {
        name: "a preview does not refuse an attempt beside an earlier one",
        file: "provider/gates/jobGate.ts",
        find: 'why !== undefined || held?.is === "refused"',
        replace: "why !== undefined",
        tests: gate,
    },
];
