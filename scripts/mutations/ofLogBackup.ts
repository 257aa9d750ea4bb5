import type { Mutation } from "./mutation";

const plan = "provider/lifecycle/logBackup/planLogBackup.ts";
const run = "provider/gates/runLogBackup.ts";
const gate = "provider/gates/logBackupGate.ts";
const pd = "provider/pd/logBackups.ts";
const ofPlan = "tests/unit/logBackup/planLogBackup.test.ts";
const ofGate = "tests/unit/gates/logBackupGate.test.ts";
const ofRecorder = "tests/contract/recorders/brLog.test.ts";

/** Rules of log backups. */
export const ofLogBackup: Mutation[] = [
    {
        name: "a log backup whose task is gone is started again without a word",
        file: plan,
        find: "if (isGone && target.attempt <= (before.attempt ?? 0)) {",
        replace: "if (false) {",
        tests: [ofPlan, ofGate],
    },
    {
        name: "a task that writes elsewhere counts as this program's",
        file: plan,
        find: "if (task !== undefined && isSame === false) {",
        replace: "if (false) {",
        tests: [ofPlan, ofGate],
    },
    {
        name: "a task is stopped whose place is not known",
        file: plan,
        find: 'if (task !== undefined && isSame === undefined && (cut || step === "stop")) {',
        replace: "if (false) {",
        tests: [ofPlan],
    },
    {
        name: "the log is truncated beyond its checkpoint",
        file: plan,
        find: "task !== undefined && until > task.checkpointTs",
        replace: "task !== undefined && until > task.checkpointTs * 2n",
        tests: [ofPlan],
    },
    {
        name: "the log of a task that PD does not have is truncated",
        file: plan,
        find: 'if (task === undefined && target.wanted === "stopped") {',
        replace: "if (false) {",
        tests: [ofPlan],
    },
    {
        name: "a log is stopped before it is truncated",
        file: plan,
        find: 'step === "stop" ? steps.reverse() : steps',
        replace: "steps",
        tests: [ofPlan, ofGate],
    },
    {
        name: "the log of another task is truncated",
        file: plan,
        find: "if (other !== undefined) {\n        return refuse(\n            target,\n            `PD has the task ${other.name}, which writes there too`",
        replace:
            "if (false) {\n        return refuse(\n            target,\n            `PD has the task ${other!.name}, which writes there too`",
        tests: [ofPlan],
    },
    {
        name: "the log is truncated until a time to come",
        file: plan,
        find: "if (until > tsoAt(now)) {",
        replace: "if (false) {",
        tests: [ofPlan],
    },
    {
        name: "a PD that does not answer is a PD without the task",
        file: run,
        find: "if (!job.known || !tasks.known || own?.deleting) {",
        replace: "if (!job.known || own?.deleting) {",
        tests: [ofGate],
    },
    {
        name: "a step is taken beside the Job of another run",
        file: run,
        find: "if (own && isAtWork(own) && !own.deleting) {",
        replace: "if (false) {",
        tests: [ofGate],
    },
    {
        name: "a step that failed is taken again by itself",
        file: run,
        find: 'if (own.conditions.some(({ type }) => type === "Failed")) {',
        replace: "if (false) {",
        tests: [ofGate],
    },
    {
        name: "a Job that succeeded makes a step done, whatever PD says",
        file: run,
        find: "if (seen.has(own.uid)) {",
        replace: "if (false) {",
        tests: [ofGate],
    },
    {
        name: "a Job of somebody else is deleted",
        file: run,
        find: "if (own && !isOwn(own)) {",
        replace: "if (false) {",
        tests: [ofGate],
    },
    {
        name: "the Job of a Backup with the same Job name is deleted",
        file: "provider/gates/logBackupJob.ts",
        find: "return /^(start|pause|resume|stop|truncate)-\\d+-/.test(revision);",
        replace: 'return revision !== "";',
        tests: [ofGate],
    },
    {
        name: "an argument makes another step of a log backup than its fields",
        file: "components/br/logRules.ts",
        find: '...optionProblems("spec.br.options", br.options ?? [], logOptions),',
        replace: "",
        tests: ["tests/unit/br/logRules.test.ts"],
    },
    {
        name: "an update that has to change something passes without PD's word",
        file: gate,
        find: "isReached(olds, program)\n            ?",
        replace: "true\n            ?",
        tests: [ofGate],
    },
    {
        name: "a task that is paused counts as running",
        file: pd,
        find: "paused: pause.length > 0",
        replace: "paused: false",
        tests: [ofRecorder],
    },
];
