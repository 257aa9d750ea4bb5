import { type Mutation, testsOf } from "./mutation";

/** Rules that what is said of a cluster is what is so. */
export const ofWhatIsSaid: readonly Mutation[] = [
    {
        name: "a store that has just registered is called Down",
        file: "provider/pd/parse.ts",
        find: 'lastHeartbeat === undefined && (name === "Down" || name === "Disconnected") ? "New" : name',
        replace: "name",
        tests: ["tests/unit/pd/parse.test.ts"],
    },
    {
        name: "a new store has a disk without space, because it has not said how large it is",
        file: "provider/pd/parse.ts",
        find: "capacityBytes === 0 ? {} :",
        replace: "",
        tests: ["tests/unit/pd/parse.test.ts"],
    },
    {
        name: "a person is said to have begun the removal of a store that is only new",
        file: "provider/lifecycle/stages/failover/storeFailover.ts",
        find: 'if (store.state === "New") {',
        replace: "if (false) {",
        tests: ["tests/unit/failover/storeDeaths.test.ts"],
    },
    {
        name: "a plan names the return of leaders for which nothing waits",
        file: "provider/lifecycle/members/tikvMember.ts",
        find: 'leavingLeaders(view) < fewLeaders ? "" :',
        replace: "",
        tests: testsOf.lifecycle("planInWords"),
    },
];
