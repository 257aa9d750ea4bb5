import type { Mutation } from "./mutation";

const state = "provider/lifecycle/unsafeRecovery/recoveryState.ts";
const stores = "provider/lifecycle/unsafeRecovery/failedStores.ts";
const next = "tests/unit/unsafeRecovery/nextRecovery.test.ts";
const gate = "tests/unit/unsafeRecovery/recoveryGate.test.ts";

/** Rules of unsafe recovery. */
export const ofRecovery: Mutation[] = [
    {
        name: "an unsafe recovery begins without a person's consent",
        file: "provider/lifecycle/approval/approvalPlan.ts",
        find: "recover: true",
        replace: "recover: false",
        tests: [gate],
    },
    {
        name: "regions count as reported after two minutes, however seldom stores report them",
        file: "provider/lifecycle/unsafeRecovery/nextRecovery.ts",
        find: "heartbeatsOf(observation).region;",
        replace: "60_000;",
        tests: [next],
    },
    {
        name: "what is lost is not part of what a person consents to",
        file: "provider/lifecycle/unsafeRecovery/planRecovery.ts",
        find: "`${stakeInWords(stake)}",
        replace: "`data",
        tests: [gate],
    },
    {
        name: "an unsafe recovery is begun beside one that PD runs",
        file: state,
        find: 'if (stage === "running") {',
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "an unsafe recovery is over because its stores are Tombstone",
        file: state,
        find: "if (!isAtStake(stake)) {",
        replace: "if (!isAtStake(stake) || alive.length === 0) {",
        tests: [next],
    },
    {
        name: "stores are given up by the answers of a PD that was just elected",
        file: state,
        find: "if (!leadership.known) {",
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "the end of a recovery of other stores counts",
        file: state,
        find: 'stage === "finished" && isOurs',
        replace: 'stage === "finished"',
        tests: [next],
    },
    {
        name: "a store that PD has not heard from for a moment is given up",
        file: stores,
        find: "if (silent <= storeDownTime.value) {",
        replace: "if (false) {",
        tests: [next],
    },
    {
        name: "a store that may come back is given up",
        file: stores,
        find: "target.neverComeBack ? undefined : { refused",
        replace: "true ? undefined : { refused",
        tests: [next],
    },
    {
        name: "an unsafe recovery begins while PD cannot finish it",
        file: state,
        find: "return unheard === undefined ?",
        replace: "return true ?",
        tests: [next],
    },
    {
        name: "a region keeps its majority by the new configuration alone",
        file: "provider/lifecycle/stages/regionVoters.ts",
        find: '["voter", "demoting"],',
        replace: "",
        tests: ["tests/unit/unsafeRecovery/stake.test.ts"],
    },
    {
        name: "a recovery that PD has given up is begun again in the same run",
        file: "provider/lifecycle/unsafeRecovery/nextRecovery.ts",
        find: "if (state.hasFailed && ",
        replace: "if (false && ",
        tests: [next],
    },
];
