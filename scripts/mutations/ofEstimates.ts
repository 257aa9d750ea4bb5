import { type Mutation, testsOf } from "./mutation";

const tests = testsOf.lifecycle("estimates/rates", "estimates/expectedTime");
const samples = "provider/lifecycle/estimates/samples.ts";
const rates = "provider/lifecycle/estimates/rates.ts";
const expected = "provider/lifecycle/estimates/expectedTime.ts";

/** Rules about how long a plan takes. */
export const ofEstimates: readonly Mutation[] = [
    {
        name: "a scale-in is announced as three times as long as PD and TiKV take for it",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "const drainedASecond = 4;",
        replace: "const drainedASecond = 1.3;",
        tests: testsOf.lifecycle("planOfScaling", "membersInWords"),
    },
    {
        name: "the first line of a plan has another time than its steps together",
        file: "provider/lifecycle/walks/planReport.ts",
        find: "sum + secondsOf(step)",
        replace: "sum + step.estimateSeconds",
        tests: testsOf.lifecycle("planReport"),
    },
    {
        name: "an estimate leaves out what nobody knows",
        file: expected,
        find: "    if (missing !== undefined) {",
        replace: "    if (missing !== undefined && parts.length === 1) {",
        tests,
    },
    {
        name: "an estimate counts leaders that PD cannot know yet as none",
        file: expected,
        find: "    if (leaders === undefined) {",
        replace: "    if (leaders === undefined && sound.known) {",
        tests: testsOf.lifecycle("estimates/expectedTime"),
    },
    {
        name: "a total is lower than its steps: they keep their rules of thumb",
        file: expected,
        find: "estimate.known ? steps.map(timed) : steps,",
        replace: "steps,",
        tests,
    },
    {
        name: "times of records and rules of thumb stand beside each other",
        file: expected,
        find: "estimate.known ? steps.map(timed) : steps,",
        replace: "steps.map(timed),",
        tests,
    },
    {
        name: "the stores of a batch are expected to restart one after the other",
        file: expected,
        find: "return ofRestarts(group.map(viewed), rates);",
        replace: "return sum(group.map((one) => ofRestarts([viewed(one)], rates)));",
        tests,
    },
    {
        name: "the leaders of a batch are expected to move side by side",
        file: expected,
        find: "        ...views.map((view) => leadersTime(view, rates)),",
        replace: "        ...views.slice(0, 1).map((view) => leadersTime(view, rates)),",
        tests,
    },
    {
        name: "a rate counts the time of a batch once for each of its stores",
        file: rates,
        find: "const milliseconds = coveredMilliseconds(moved);",
        replace: "const milliseconds = moved.reduce((sum, { from, to }) => sum + to - from, 0);",
        tests,
    },
    {
        name: "a rate comes from records of any age",
        file: rates,
        find: "found.slice(0, mostOperations);",
        replace: "found.slice(0);",
        tests,
    },
    {
        name: "the old pod, still listed as Ready, counts as the new one",
        file: samples,
        find: "seen.findIndex(({ isReady }) => !isReady)",
        replace: "seen.findIndex(() => true)",
        tests,
    },
    {
        name: "a restart that is over before anybody looks shows no time",
        file: samples,
        find: "seen.findIndex(({ isNew }) => isNew);",
        replace: "seen.findIndex(() => false);",
        tests,
    },
    {
        name: "a pod that takes the place of another and is as well as that one is not recorded",
        file: "provider/lifecycle/journal/recording.ts",
        find: "if (isNew || was?.phase",
        replace: "if (was?.phase",
        tests: testsOf.lifecycle("journal/recording"),
    },
    {
        name: "a rate comes from actions that failed",
        file: samples,
        find: 'one.is === "act" && one.failed === undefined && isPodOf',
        replace: 'one.is === "act" && isPodOf',
        tests,
    },
    {
        name: "an operation that failed shows how long a whole one takes",
        file: samples,
        find: 'if (ended === undefined || outcome !== "done" || dropped !== undefined) {',
        replace: "if (ended === undefined || dropped !== undefined) {",
        tests,
    },
    {
        name: "the time in which a person was waited for counts as the cluster's",
        file: samples,
        find: '(one.step === "approval" || one.step === "lock")',
        replace: 'one.step === "lock"',
        tests,
    },
    {
        name: "a removal that was taken back counts as a drain",
        file: samples,
        find: "to === undefined || isTakenBack",
        replace: "to === undefined",
        tests,
    },
];
