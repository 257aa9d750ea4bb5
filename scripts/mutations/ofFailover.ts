import type { Mutation } from "./mutation";

/** Rules of a failover that no `pulumi up` makes. */
export const ofFailover: Mutation[] = [
    {
        name: "the controller replaces the dead while an update has not ended",
        file: "provider/gates/replaceDead.ts",
        find: "if (between !== undefined) {",
        replace: "if (false) {",
        tests: ["tests/unit/failover/replaceDead.test.ts"],
    },
    {
        name: "the controller lowers the number of replicas, or scales what an update scales",
        file: "provider/lifecycle/failover/replicasMove.ts",
        find: "(live >= target.replicas && live <= most)",
        replace: "true",
        tests: ["tests/unit/failover/replaceDead.test.ts"],
    },
    {
        name: "the controller goes on in a cluster that is paused meanwhile",
        file: "provider/gates/replaceDead.ts",
        find: "(observation.isPaused",
        replace: "(false",
        tests: ["tests/unit/failover/replaceDead.test.ts"],
    },
    {
        name: "a replacement starts on the volume of a store that has left PD",
        file: "provider/gates/replaceDead.ts",
        find: "beforeScaleOut(observation, target, memory) ??",
        replace: "",
        tests: ["tests/unit/failover/replaceDead.test.ts"],
    },
    {
        name: "the controller waits for a run that works on the cluster",
        file: "provider/gates/replaceDead.ts",
        find: "ports.now() - began > lockPatienceMilliseconds",
        replace: "false",
        tests: ["tests/unit/failover/replaceDead.test.ts"],
    },
    {
        name: "the controller replaces the dead of a suspended member",
        file: "controller/failoverAction.ts",
        find: "|| note.suspended",
        replace: "",
        tests: ["tests/unit/controller/failoverAction.test.ts"],
    },
    {
        name: "the controller acts in a paused cluster",
        file: "controller/failoverAction.ts",
        find: "lease?.isPaused ? [] :",
        replace: "",
        tests: ["tests/unit/controller/failoverAction.test.ts"],
    },
    {
        name: "the number of replicas stays with the gates' field manager",
        file: "provider/gates/scaleGate.ts",
        find: "giveReplicasBack(observation, wanted, memory) ??",
        replace: "",
        tests: ["tests/unit/failover/replaceDead.test.ts"],
    },
];
