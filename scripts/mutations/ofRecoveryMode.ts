import type { Mutation } from "./mutation";

const file = "provider/lifecycle/walks/recoveryMode.ts";
const tests = ["tests/unit/lifecycle/recoveryMode.test.ts", "tests/unit/gates/recoveryMode.test.ts"];

/** Restores from snapshots of volumes. */
export const ofRecoveryMode: readonly Mutation[] = [
    {
        name: "an empty store joins a restored cluster",
        file,
        find: "if (claims.length > 0) {",
        replace: "if (false) {",
        tests,
    },
    {
        name: "a restored cluster gets a claim that is not made from a snapshot",
        file,
        find: '(phase === "Pending" && hasSource)',
        replace: 'phase === "Pending"',
        tests,
    },
    {
        name: "a mark of PD that is not known counts as what is wanted",
        file,
        find: "if (!both.known) {",
        replace: "if (!both.known) { return undefined; }\n    if (false) {",
        tests,
    },
    {
        name: "TiKV leaves its recovery, and TiFlash starts, before BR has finished",
        file,
        find: "if (isMarked === recovers ||",
        replace: "if (true ||",
        tests,
    },
    {
        name: "stores with data are recovered",
        file,
        find: "if (recovers && statefulSet && !statefulSet.recovers) {",
        replace: "if (false) {",
        tests,
    },
    {
        name: "stores that are suspended with data are recovered",
        file,
        find: "claims && before && !before.recovers && wasUsed",
        replace: "false",
        tests,
    },
    {
        name: "recovery mode takes TiDB down",
        file: "provider/gates/suspendGate.ts",
        find: "const problem = inputs.recoveryMode &&",
        replace: "const problem = false &&",
        tests,
    },
];
