import { type Mutation, testsOf } from "./mutation";

const { lifecycle } = testsOf;

/** Rules about claims that somebody has deleted, and about those of pods that a deleted StatefulSet has left. */
export const ofDeletedClaims: readonly Mutation[] = [
    {
        name: "a pod is restarted although somebody has deleted the claim of its volume",
        file: "provider/lifecycle/walks/volumesStay.ts",
        find: "({ terminating }) => terminating)",
        replace: "({ terminating }) => false && terminating)",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a pod loses a volume in use that a scale-in released before it was reverted",
        file: "provider/lifecycle/walks/volumesStay.ts",
        find: "({ terminating }) => terminating)",
        replace: "({ terminating, released }) => terminating && !released)",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "the Tombstone of an earlier pod shows that PD has dropped a volume",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "tombstonesOf(view).some((store) => isOfRunningProcess(store, pod));\n}\n\n/** @returns how a person",
        replace: "tombstonesOf(view).length > 0;\n}\n\n/** @returns how a person",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a pod that must not stop keeps others from being repaired",
        file: "provider/lifecycle/walks/rollout.ts",
        find: "return losesVolumes(view) ? 2 : 1;",
        replace: "return 1;",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "pods that serve stop before one that must not stop and does not run",
        file: "provider/lifecycle/walks/rollout.ts",
        find: "return losesVolumes(view) ? 2 : 1;",
        replace: "return losesVolumes(view) ? 7 : 1;",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a pod that must not stop is in a batch",
        file: "provider/lifecycle/stages/batches/chooseBatch.ts",
        find: "!leaves && !losesVolume &&",
        replace: "!leaves &&",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "an update waits for the store of a pod whose volume PD has dropped",
        file: "provider/lifecycle/walks/volumesStay.ts",
        find: "claimsBeingDeleted(view).length > 0 && isDropped(view)",
        replace: "false && isDropped(view)",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a store that PD lists under another domain counts as dropped",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "return isStopped(view) ? !isListed :",
        replace: "return isStopped(view) ? true :",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a member is suspended although a claim of its pods is deleted",
        file: "provider/lifecycle/walks/suspend.ts",
        find: "if (refusal !== undefined) {",
        replace: "if (false) {",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a plan restarts a pod whose claim is deleted",
        file: "provider/gates/rolloutGate.ts",
        find: "if (deleted !== undefined) {",
        replace: "if (false) {",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a run fails at once although PD may still say that it has dropped a deleted claim's volume",
        file: "provider/lifecycle/walks/volumesStay.ts",
        find: "mayBeKnown(seen) ? seen",
        replace: "false ? seen",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a claim goes by the mark of a scale-in, under a pod that runs on without its StatefulSet",
        file: "provider/lifecycle/walks/scale.ts",
        find: "statefulSet?.replicas ?? Math.max(0, ...left)",
        replace: "statefulSet?.replicas ?? 0",
        tests: lifecycle("orphanedPods"),
    },
    {
        name: "the volume of a suspended pump goes by the mark of a scale-in alone",
        file: "provider/lifecycle/walks/scale.ts",
        find: "const isProven = statefulSet",
        replace: "const isProven = true || statefulSet",
        tests: lifecycle("orphanedPods"),
    },
    {
        name: "a person is told to delete a pod whose store PD lists under another address",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "if (elsewhere !== undefined) {",
        replace: "if (false) {",
        tests: testsOf.gates("deletedClaims"),
    },
    {
        name: "a PD that lists no members has answered",
        file: "provider/lifecycle/stages/pdMembership.ts",
        find: `return members.value.length === 0 ? "PD lists no members" : undefined;`,
        replace: "return undefined;",
        tests: [...testsOf.gates("deletedClaims"), ...testsOf.lifecycle("markedClaims")],
    },
    {
        name: "a PD member that has never started has a copy of PD's data",
        file: "provider/lifecycle/members/pdMember.ts",
        find: 'member.name !== "" && !pdMembers',
        replace: "!pdMembers",
        tests: testsOf.gates("deletedClaims"),
    },
];
