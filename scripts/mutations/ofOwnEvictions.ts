import type { Mutation } from "./mutation";

const restart = "provider/lifecycle/stages/tikvRestart.ts";

/** Rules of leaders that PD evicts by itself. */
export const ofOwnEvictions: Mutation[] = [
    {
        name: "a store restarts while PD keeps the leaders of another one away, because it is slow",
        file: restart,
        find: "    noEvictionByPd,\n    leadersCanMove",
        replace: "    leadersCanMove",
        tests: ["tests/unit/lifecycle/tikvEvidence.test.ts"],
    },
    {
        name: "PD's leadership is moved because PD calls a store slow",
        file: restart,
        find: 'now.count > 0 || keptAwayByPd(view) !== ""',
        replace: "now.count > 0",
        tests: ["tests/unit/lifecycle/evictionsInWords.test.ts"],
    },
    {
        name: "PD's leadership is moved although it is not known whether PD calls the store slow",
        file: restart,
        find: "lacksOwnEvictions(view) === undefined &&",
        replace: "",
        tests: ["tests/unit/lifecycle/evictionsInWords.test.ts"],
    },
    {
        name: "a slow store is taken for none where PD lists null in place of its stores",
        file: "provider/pd/ownEvictions.ts",
        find: "if (ids.length === 0 && (answer[first] === null || answer[first] === undefined)) {",
        replace: "if (ids.length < 0) {",
        tests: ["tests/contract/pdClient/ownEvictions.test.ts"],
    },
    {
        name: "an update fails before PD gives a slow store its leaders back",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "Math.max(seconds, ...recoveries)",
        replace: "seconds",
        tests: ["tests/unit/lifecycle/slowStores.test.ts"],
    },
    {
        name: "a PD up to 7.5 whose scheduler has no list is taken for no PD",
        file: "provider/pd/ownEvictions.ts",
        find: "body.trim() === noList ? undefined : ",
        replace: "",
        tests: ["tests/contract/pdClient/ownEvictions.test.ts"],
    },
    {
        name: "a slow store that PD does not report is taken for none",
        file: "status/assembleStatus.ts",
        find: "        ...unreportedEvictions(pd),\n",
        replace: "",
        tests: ["tests/unit/status/readStatus.test.ts"],
    },
];
