import type { Mutation } from "./mutation";

const judge = "provider/lifecycle/lostNodes/judgeLoss.ts";
const emptied = "provider/lifecycle/lostNodes/emptied.ts";
const removal = "provider/lifecycle/lostNodes/removalFromPd.ts";
const next = "tests/unit/lostNodes/nextLossMove.test.ts";
const gate = "tests/unit/lostNodes/lostNodesGate.test.ts";

/** Rules of volumes on nodes that are gone. */
export const ofLostNodes: Mutation[] = [
    {
        name: "volumes are given up without a person's consent",
        file: "provider/lifecycle/approval/approvalPlan.ts",
        find: '"give-up": true',
        replace: '"give-up": false',
        tests: [gate],
    },
    {
        name: "volumes are given up while their node exists",
        file: judge,
        find: 'if (value.is === "on-node" && !value.isGone) {',
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "a node is gone although another name of it exists",
        file: "provider/cluster/observePlace.ts",
        find: "named === undefined && labelled.items.length === 0",
        replace: "named === undefined",
        tests: ["tests/unit/cluster/observePlace.test.ts"],
    },
    {
        name: "a volume of two nodes counts as one that is lost with the first",
        file: "provider/lifecycle/lostNodes/volumeNode.ts",
        find: "names.every((name) => name !== undefined && name === names[0])",
        replace: "true",
        tests: ["tests/unit/cluster/observePlace.test.ts"],
    },
    {
        name: "a pod with a volume of the network is given up too",
        file: judge,
        find: 'if (value.is === "elsewhere") {',
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "a store that PD hears from is given up with its node",
        file: judge,
        find: "if (alive !== undefined || silent !== undefined) {",
        replace: "if (silent !== undefined) {",
        tests: [next],
    },
    {
        name: "a store is given up although most are silent",
        file: judge,
        find: "if (alive !== undefined || silent !== undefined) {",
        replace: "if (alive !== undefined) {",
        tests: [next],
    },
    {
        name: "a store is given up although too few are left",
        file: judge,
        find: "if (few !== undefined) {",
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "a store is given up although a region has no majority elsewhere",
        file: judge,
        find: "up.has(storeId) && !isBehind",
        replace: "true",
        tests: [next],
    },
    {
        name: "a replica that lags behind counts for a majority",
        file: judge,
        find: "up.has(storeId) && !isBehind",
        replace: "up.has(storeId)",
        tests: [next],
    },
    {
        name: "a PD member is given up although the others are no quorum",
        file: judge,
        find: 'return quorum === true ? undefined : "lacks" in quorum ? { refused: quorum.lacks } : quorum;',
        replace: "return undefined;",
        tests: [next],
    },
    {
        name: "a store that is Tombstone is given up although PD still recovers",
        file: judge,
        find: 'if (stage === "running") {',
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "a store that was buried with regions counts as one that PD has emptied",
        file: judge,
        find: "return stores.length === 0 ? tombstonesOf(view)",
        replace: "return stores.length === 0 ? []",
        tests: [next],
    },
    {
        name: "a Ready pod is not one that is back",
        file: "provider/lifecycle/lostNodes/lostPods.ts",
        find: "view.pod?.ready === true || ",
        replace: "",
        tests: [next],
    },
    {
        name: "a record of a loss that never reached PD is a consent",
        file: "provider/lifecycle/approval/approvalPlan.ts",
        find: "return record !== undefined && isBegunInPd(",
        replace: "return record !== undefined || record !== undefined && isBegunInPd(",
        tests: [gate],
    },
    {
        name: "the first of two lost pods is begun before the plan has the second one",
        file: "provider/lifecycle/lostNodes/nextLossMove.ts",
        find: "untilPlanned(observation, target, memory) ?? move",
        replace: "move",
        tests: ["tests/model/lostPods.test.ts"],
    },
    {
        name: "claims are deleted, or a person is told to, although PD lists another store for the pod",
        file: removal,
        find: "if (!isGone && view.stores.length + view.pdMembers.length > 0) {",
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "claims are deleted although the store is only Offline",
        file: removal,
        find: 'if (store?.state === "Offline") {',
        replace: 'if (store?.state === "Offline") {\n        return { is: "out" };',
        tests: [next],
    },
    {
        name: "a store that PD lists in no state counts as Tombstone",
        file: removal,
        find: "return isGone || tombstones.value.some(({ id }) => id === storeId)",
        replace: "return true",
        tests: [next],
    },
    {
        name: "a store stays Offline although its node is back",
        file: removal,
        find: "returns: isBack(view, node)",
        replace: "returns: false",
        tests: [next],
    },
    {
        name: "claims that are not on record are deleted",
        file: emptied,
        find: "claims.some((one) => one.uid === uid));\n",
        replace: 'claims.some((one) => one.uid !== "") && uid !== "");\n',
        tests: [next],
    },
    {
        name: "a pod that runs with its new volume is deleted",
        file: emptied,
        find: "(pod.node === undefined || pod.node === node)",
        replace: "true",
        tests: [gate],
    },
    {
        name: "the volume of a node that is back is deleted",
        file: emptied,
        find: "if (back !== undefined) {",
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "another run may restart stores while one waits for PD's recovery",
        file: "provider/gates/loop.ts",
        find: "if (move.needsLock) {",
        replace: "if (false) {",
        tests: ["tests/unit/unsafeRecovery/recoveryGate.test.ts"],
    },
];
