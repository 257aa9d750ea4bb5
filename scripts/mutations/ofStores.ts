import { type Mutation, testsOf } from "./mutation";

const { lifecycle } = testsOf;

/** Rules about stores that restart or leave. */
export const ofStores: readonly Mutation[] = [
    {
        name: "other-stores-up is not checked before a TiKV restart",
        file: "provider/lifecycle/stages/tikvRestart.ts",
        find: `    otherStoresUp("tikv"),\n`,
        replace: "",
        tests: lifecycle("tikvUpgrade", "tikvEvidence"),
    },
    {
        name: "other-stores-up is not checked before a TiFlash restart",
        file: "provider/lifecycle/members/tiflashMember.ts",
        find: `beforeRestart: [storesListed, otherStoresUp("tiflash")]`,
        replace: "beforeRestart: [storesListed]",
        tests: lifecycle("tiflash"),
    },
    {
        name: "heartbeats are not compared with each other",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "notUp(view, store) ?? staleHeartbeat(view, store, newest) ?? []",
        replace: "notUp(view, store) ?? []",
        tests: lifecycle("tikvEvidence", "tikvUpgrade"),
    },
    {
        name: "a store that has never reported is accepted",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "return `${name} has never sent a heartbeat`;",
        replace: "return undefined;",
        tests: lifecycle("tikvEvidence", "tikvUpgrade"),
    },
    {
        name: "the pods of the other stores are not checked",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: `return pod?.ready && !pod.terminating ? undefined : \`the pod of`,
        replace: `return pod === undefined || pod !== undefined ? undefined : \`the pod of`,
        tests: lifecycle("tikvUpgrade", "tikvEvidence"),
    },
    {
        name: "a stopping pod of another store counts as serving",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "return pod?.ready && !pod.terminating ? undefined",
        replace: "return pod?.ready ? undefined",
        tests: lifecycle("tikvUpgrade", "tikvEvidence"),
    },
    {
        name: "foreign evictions do not block a restart",
        file: "provider/lifecycle/stages/tikvRestart.ts",
        find: "    noForeignEviction,\n    leadersCanMove,",
        replace: "    leadersCanMove,",
        tests: lifecycle("tikvEvidence"),
    },
    {
        name: "a store list that lacks a Ready pod's store is accepted",
        file: "provider/lifecycle/stages/storeList.ts",
        find: 'return lacking.length === 0 ? true : { lacks: lacking.join(", ") };\n    },\n    advice: "compare',
        replace: 'return lacking.length >= 0 ? true : { lacks: lacking.join(", ") };\n    },\n    advice: "compare',
        tests: lifecycle("tikvEvidence", "tikvScale"),
    },
    {
        name: "two stores with the same address are taken for one",
        file: "provider/lifecycle/vocabulary/stage.ts",
        find: "store: stores.length === 1 ? stores[0] : undefined",
        replace: "store: stores[0]",
        tests: lifecycle("tikvEvidence", "tikvScale"),
    },
    {
        name: "an old heartbeat counts after a restart",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "return pod && !isOfRunningProcess(store, pod)",
        replace: "return pod && pod === undefined",
        tests: lifecycle("tikvEvidence", "tikvUpgrade"),
    },
    {
        name: "enough-stores-stay is not checked",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "enoughStoresStay(tooFew, advice), storeTombstone,",
        replace: "storeTombstone,",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "a scale-in that leaves too few stores is not refused in the preview",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "leavingStores(observation, target).length === 0 ? undefined : tooFew(observation, target, wasUpRecently)",
        replace:
            "leavingStores(observation, target).length >= 0 ? undefined : tooFew(observation, target, wasUpRecently)",
        tests: lifecycle("tikvScale", "tiflash"),
    },
    {
        name: "placement rules are ignored in the number of stores that must stay",
        file: "provider/lifecycle/stages/placement.ts",
        find: "const own = (rules ?? []).filter((rule) => !isForTiflash(rule));",
        replace: "const own = ([] as PlacementRule[]).concat(rules ?? []).filter((rule) => rule === undefined);",
        tests: lifecycle("tikvScale", "regionMajorities"),
    },
    {
        name: "a store that is missing from PD's list is taken to have left",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "if (view.store !== undefined || isRemoved(view)) {",
        replace: "if (view.store !== undefined || !isRemoved(view) || isRemoved(view)) {",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "a process that has never run gets no time to register its store",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "return neverRan ? { lacks, steadyFor: registrationSeconds } : { lacks };",
        replace: "return neverRan ? true : { lacks };",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "volumes of a missing pod are released although a store may still use them",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "return claimsOf(view).every(({ released }) => released);",
        replace: "return claimsOf(view).length >= 0;",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "claims are released before the store is Tombstone",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "storeTombstone, claimsReleased, removalForgotten,",
        replace: "claimsReleased, storeTombstone, removalForgotten,",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "a cancelled removal is forgotten while the store is still Offline",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "    removalTakenBack,\n    removedMemberVolumesReleased",
        replace: "    removedMemberVolumesReleased",
        tests: lifecycle("tikvScale"),
    },
];
