import { type Mutation, testsOf } from "./mutation";

const tests = testsOf.lifecycle("storeLabels");
const work = "provider/lifecycle/storeLabels/labelWork.ts";

/** Rules about the labels of stores in PD. */
export const ofLabels: readonly Mutation[] = [
    {
        name: "a label that the store gives itself is set against it, and changes back at each restart",
        file: work,
        find: "!isOwn(key) && all.findIndex",
        replace: "all.findIndex",
        tests,
    },
    {
        name: "a key that PD has in another case is set for ever",
        file: "provider/lifecycle/storeLabels/nodeLabels.ts",
        find: "one.toLowerCase() === other.toLowerCase()",
        replace: "one === other",
        tests,
    },
    {
        name: "a store is labelled by the node of a pod in which it does not run",
        file: work,
        find: "pod?.node === undefined || !pod.ready || pod.terminating",
        replace: "pod?.node === undefined",
        tests,
    },
    {
        name: "a node that cannot be read is not said",
        file: work,
        find: '[...notCompared(`stores of ${on}`, " in PD", placed), ',
        replace: "[",
        tests,
    },
    {
        name: "an empty label of a node deletes the store's",
        file: "provider/lifecycle/storeLabels/nodeLabels.ts",
        find: 'value !== ""',
        replace: "value !== undefined",
        tests,
    },
    {
        name: "TiDB's servers read from far replicas: they get no zone",
        file: work,
        find: "topology[component].hasServerLabels === true) &&",
        replace: "false) &&",
        tests,
    },
    {
        name: "a TiDB that has no labels is told to take some",
        file: work,
        find: "return version && compareVersions(version, firstWithLabels) >= 0 ? server.labels : undefined;",
        replace: "return server?.labels;",
        tests,
    },
    {
        name: "the last gate leaves the labels of stores as they are",
        file: "provider/lifecycle/walks/ready.ts",
        find: "notePd(observation) ?? nextLabelMove(observation, targets, memory)",
        replace: 'notePd(observation) ?? { kind: "done" }',
        tests: ["tests/unit/gates/readyGate.test.ts"],
    },
];
