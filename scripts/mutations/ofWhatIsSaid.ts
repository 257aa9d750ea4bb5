import { type Mutation, testsOf } from "./mutation";

/** Rules that what is said of a cluster is what is so. */
export const ofWhatIsSaid: readonly Mutation[] = [
    {
        name: "the status shows the tag of an image behind which another build runs",
        file: "topology/imageVersion.ts",
        find: "own === undefined || (wanted !== undefined && compareVersions(own, wanted) === 0)",
        replace: "true || own === undefined || wanted === undefined",
        tests: ["tests/unit/status/runningVersions.test.ts"],
    },
    {
        name: "the status shows what an earlier process of a store said",
        file: "status/memberHealth.ts",
        find: "own !== undefined && isOfRunningProcess(own, pod) ? own.version",
        replace: "own !== undefined ? own.version",
        tests: ["tests/unit/status/runningVersions.test.ts"],
    },
    {
        name: "another build behind a tag makes an update look unfinished",
        file: "status/unfinishedUpdate.ts",
        find: "(one) => one.tags.map(",
        replace: "(one) => one.running.map(",
        tests: ["tests/unit/status/runningVersions.test.ts"],
    },
    {
        name: "TiDB's own version is never read",
        file: "provider/cluster/podStatus.ts",
        find: "...(version === undefined ? {} : { version })",
        replace: "",
        tests: ["tests/unit/cluster/podPages.test.ts"],
    },
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
