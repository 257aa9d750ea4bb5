import type { Mutation } from "./mutation";

const space = "provider/lifecycle/stages/storeSpace.ts";
const removal = "provider/lifecycle/stages/storeRemoval.ts";
const tests = ["tests/unit/lifecycle/storeSpace.test.ts"];

/** Rules of stores that are low on space. */
export const ofSpace: Mutation[] = [
    {
        name: "a store leaves for others to which PD moves nothing",
        file: removal,
        find: "        othersTakeRegions(engine),\n",
        replace: "",
        tests,
    },
    {
        name: "a scale-in that PD cannot finish is shown as a plan",
        file: removal,
        find: "return full && `${full}. Next: ${adviceIfFull}`;",
        replace: "return undefined;",
        tests,
    },
    {
        name: "a store whose disk is not known counts as full",
        file: space,
        find: "staying.every((store) => isLowOnSpace(store, placement) === true)",
        replace: "staying.every((store) => isLowOnSpace(store, placement) !== false)",
        tests,
    },
    {
        name: "a new store with few regions counts as full",
        file: space,
        find: "regionCount < fewRegions && availableBytes > enoughBytes",
        replace: "false",
        tests,
    },
    {
        name: "data that does not fit on the other stores is no risk",
        file: space,
        find: "room >= moves ? undefined",
        replace: "room >= 0 ? undefined",
        tests,
    },
    {
        name: "a wait for a store does not name the stores that take nothing",
        file: space,
        find: "return placement.known && low ? `; PD moves none",
        replace: "return placement.known && low && false ? `; PD moves none",
        tests,
    },
    {
        name: "a wait that stands for a day does not say why",
        file: "provider/lifecycle/vocabulary/stage.ts",
        find: "const isStalled = left !== undefined && now - since >= stalledAfterMilliseconds;",
        replace: "const isStalled = false;",
        tests,
    },
    {
        name: "status and diagnose say nothing of a full store",
        file: "status/assembleStatus.ts",
        find: "            ...(stores.known ? lowStores(stores.value) : []),\n",
        replace: "",
        tests: ["tests/unit/status/remarks.test.ts"],
    },
];
