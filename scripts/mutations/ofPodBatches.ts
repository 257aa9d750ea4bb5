import { type Mutation, testsOf } from "./mutation";

const pd = "provider/lifecycle/stages/batches/pdBatch.ts";
const pdTests = testsOf.lifecycle("batches/pdBatch");
const server = "provider/lifecycle/stages/batches/serverBatch.ts";
const serverTests = testsOf.lifecycle("batches/serverBatch");
const scalingTests = testsOf.lifecycle("batches/scalingPlan");
const tryOne = "provider/lifecycle/stages/batches/mustTryOne.ts";

/** Rules about pods of PD, TiDB and TiProxy that restart side by side. */
export const ofPodBatches: readonly Mutation[] = [
    {
        name: "more members of PD restart side by side than leave a quorum",
        file: pd,
        find: "members.known ? mostDown(members.value.length) : Infinity, prove);",
        replace: "members.known ? members.value.length - 1 : Infinity, prove);",
        tests: pdTests,
    },
    {
        name: "a batch of PD's members on record goes on although PD has fewer members by now",
        file: pd,
        find: "if (margin < 0) {",
        replace: "if (margin < -99) {",
        tests: pdTests,
    },
    {
        name: "PD's members restart side by side while another one is unhealthy",
        file: pd,
        find: "!batch.includes(member) && !countsForQuorum(own, member)",
        replace: "!batch.includes(member) && !countsForQuorum(own, member) && member.memberId === ''",
        tests: pdTests,
    },
    {
        name: "PD's leader is in a batch",
        file: pd,
        find: "canJoin: ({ pd, pdMember }) => leads(pd, pdMember) === false,",
        replace: "canJoin: () => true,",
        tests: pdTests,
    },
    {
        name: "a batch of PD's members on record goes on although one of them leads by now",
        file: pd,
        find: "if (batch.includes(leading)) {",
        replace: "if (all.length === 0) {",
        tests: pdTests,
    },
    {
        name: "PD's leader restarts before its followers do",
        file: pd,
        find: "goesLast: podLeads,",
        replace: "goesLast: () => false,",
        tests: pdTests,
    },
    {
        name: "PD's leader restarts last although nobody asked for batches",
        file: "provider/lifecycle/walks/rollout.ts",
        find: "const rest = isBatched && ",
        replace: "const rest = ",
        tests: pdTests,
    },
    {
        name: "members of PD try a new template side by side",
        file: pd,
        find: "triesOneFirst: true,",
        replace: "triesOneFirst: false,",
        tests: pdTests,
    },
    {
        name: "servers try a new template side by side",
        file: server,
        find: "triesOneFirst: true,",
        replace: "triesOneFirst: false,",
        tests: serverTests,
    },
    {
        name: "a batch on record tries a newer template side by side",
        file: "provider/lifecycle/stages/batches/batchMates.ts",
        find: "if (mustTryOne({ observation, target }, mustRestart)) {",
        replace: 'if (target.component === "pump") {',
        tests: [...pdTests, ...serverTests],
    },
    {
        name: "a pod that is not well has shown that the new template starts",
        file: tryOne,
        find: "podAvailable.holds(view) === true &&\n        rules?.isWell(view) === true;",
        replace: "podAvailable.holds(view) === true;",
        tests: [...pdTests, ...serverTests],
    },
    {
        name: "a pod counts as tried before it has been Ready for long enough",
        file: tryOne,
        find: "podAvailable.holds(view) === true &&",
        replace: "view.pod.ready === true &&",
        tests: serverTests,
    },
    {
        name: "pods restart side by side although Kubernetes starts them one after the other",
        file: "provider/lifecycle/stages/batches/startsInOrder.ts",
        find: 'if (policy === "Parallel") {',
        replace: "if (policy !== undefined) {",
        tests: serverTests,
    },
    {
        name: "the plan does not show the pod that restarts alone first",
        file: "provider/lifecycle/walks/planBatches.ts",
        find: "const choice = mustTry || ",
        replace: "const choice = ",
        tests: [...pdTests, ...serverTests],
    },
    {
        name: "the plan takes a pod that the update adds for one that is missing",
        file: "provider/lifecycle/walks/planBatches.ts",
        find: "order.filter((view) => !isDue(view)).forEach((view) => bringUp(now(view)));",
        replace: "",
        tests: scalingTests,
    },
    {
        name: "the plan does not know that a new pod tries the template",
        file: "provider/lifecycle/walks/planBatches.ts",
        find: "triesOneFirst === true && order.every(isDue);",
        replace: "triesOneFirst === true;",
        tests: scalingTests,
    },
    {
        name: "the plan counts members of PD that the update removes first",
        file: "provider/lifecycle/walks/planBatches.ts",
        find: "let seen = afterScaleIn(observation, target);",
        replace: "let seen = observation;",
        tests: scalingTests,
    },
    {
        name: "the plan takes a store that is being emptied for one that is lost",
        file: "provider/lifecycle/walks/foreseenPods.ts",
        find: 'foresees?.(view, "removed") ?? onceWell(view)',
        replace: 'foresees?.(view, "removed") ?? seen',
        tests: scalingTests,
    },
    {
        name: "the plan does not say what it foresees",
        file: "provider/lifecycle/walks/planBatches.ts",
        find: "            after.push(`${view.podName} is well`);\n",
        replace: "",
        tests: scalingTests,
    },
    {
        name: "the plan forgets that a new member of PD joins",
        file: "provider/lifecycle/stages/pdLeader.ts",
        find: "...(list.some(isOwn) ? [] : [joined(view, list)]),",
        replace: "",
        tests: scalingTests,
    },
    {
        name: "servers restart side by side while another one does not serve",
        file: server,
        find: "others.map(lacksOf).find((lacks) => lacks !== undefined);",
        replace: "undefined;",
        tests: serverTests,
    },
    {
        name: "a server that says that it is not healthy serves",
        file: server,
        find: "const trouble = podStatus?.[podName];",
        replace: "const trouble = podStatus?.[podName] === undefined ? undefined : null;",
        tests: serverTests,
    },
    {
        name: "all servers restart side by side",
        file: server,
        find: "candidates[0].target.replicas - 1, prove)",
        replace: "candidates[0].target.replicas, prove)",
        tests: serverTests,
    },
    {
        name: "a share of the servers is rounded up",
        file: "provider/lifecycle/vocabulary/target.ts",
        find: "Math.floor((replicas *",
        replace: "Math.ceil((replicas *",
        tests: serverTests,
    },
    {
        name: "a destroy leaves the record of a batch",
        file: "provider/lifecycle/walks/destroy.ts",
        find: "if (batch !== undefined) {",
        replace: "if (batch?.begunAt === -1) {",
        tests: testsOf.lifecycle("destroyInWords"),
    },
    {
        name: "the batch of another member is deleted",
        file: "provider/lifecycle/walks/leftBatch.ts",
        find: "return batch?.component !== component\n",
        replace: "return batch === undefined\n",
        tests: serverTests,
    },
];
