import { type Mutation, testsOf } from "./mutation";

const stopped = "provider/lifecycle/walks/stopped.ts";
const tests = testsOf.gates("untilStopped");

/** Rules of how members stop: before what they need, and within their time. */
export const ofStopping: readonly Mutation[] = [
    {
        name: "a destroy deletes PD while TiKV stops: TiKV is killed with its leaders",
        file: stopped,
        find: "    if (stopping.length === 0) {",
        replace: "    if (stopping.length >= 0) {",
        tests,
    },
    {
        name: "a pod on a node that is gone keeps a cluster from being destroyed for ever",
        file: stopped,
        find: "    return observation.now < until\n",
        replace: "    return true\n",
        tests,
    },
    {
        name: "a destroy waits for pods that nothing deletes",
        file: stopped,
        find: "({ terminating }) => terminating || statefulSet?.terminating);\n    if",
        replace: "() => true);\n    if",
        tests,
    },
    {
        name: "a store that was killed with leaders is not named in a suspension",
        file: "provider/gates/suspendGate.ts",
        find: "                    tellKilled(observation);\n",
        replace: "",
        tests,
    },
    {
        name: "a store that ended by itself is said to have been killed",
        file: stopped,
        find: "exitCode === undefined ? hasLasted : exitCode === killedCode",
        replace: "true",
        tests,
    },
    {
        name: "a store that was killed is not named where its node did not report it",
        file: stopped,
        find: "exitCode === undefined ? hasLasted : exitCode === killedCode",
        replace: "exitCode === killedCode",
        tests,
    },
    {
        name: "the names of TiKV's pods are deleted while they stop",
        file: "components/memberResource.ts",
        find: "dependsOn: [...after, ...this.services] },",
        replace: "dependsOn: after },",
        tests: ["tests/component/resources.test.ts"],
    },
    {
        name: "TiKV is killed before the leaders have left for which the program gives it time",
        file: "components/tikv/gracePeriod.ts",
        find: "(needed > defaultGraceSeconds ? needed : undefined)",
        replace: "undefined",
        tests: ["tests/unit/components/tikvGracePeriod.test.ts"],
    },
    {
        name: "a grace period that is too short for TiKV's leaders is not warned of",
        file: "components/tikv/gracePeriod.ts",
        find: "timeout === 0 || own >= needed",
        replace: "timeout === 0 || own >= 0",
        tests: ["tests/unit/components/tikvGracePeriod.test.ts"],
    },
];
