import { type Mutation, testsOf } from "./mutation";

const { lifecycle } = testsOf;

/** Rules of stores that restart or leave. */
export const ofStores: readonly Mutation[] = [
    {
        name: "other-stores-up is not asked before a TiKV restart",
        file: "provider/lifecycle/stages/tikvRestart.ts",
        find: `    otherStoresUp("tikv"),\n`,
        replace: "",
        tests: lifecycle("tikvUpgrade", "tikvEvidence"),
    },
    {
        name: "other-stores-up is not asked before a TiFlash restart",
        file: "provider/lifecycle/members/tiflashMember.ts",
        find: `beforeRestart: [storesListed, otherStoresUp("tiflash")]`,
        replace: "beforeRestart: [storesListed]",
        tests: lifecycle("tiflash"),
    },
    {
        name: "heartbeats are not compared with each other",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "notUp(view, store) ?? staleHeartbeat(view, store, all) ?? []",
        replace: "notUp(view, store) ?? []",
        tests: lifecycle("tikvEvidence", "tikvUpgrade"),
    },
    {
        name: "a store that never reported counts as one that did",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "return `${name} has never sent a heartbeat`;",
        replace: "return undefined;",
        tests: lifecycle("tikvEvidence", "tikvUpgrade"),
    },
    {
        name: "the other stores' own pods are not looked at",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: `return pod?.ready && !pod.terminating ? undefined : \`the pod of`,
        replace: `return pod === undefined || pod !== undefined ? undefined : \`the pod of`,
        tests: lifecycle("tikvUpgrade", "tikvEvidence"),
    },
    {
        name: "a stopping pod of another store counts as one that serves",
        file: "provider/lifecycle/stages/storeRestart.ts",
        find: "return pod?.ready && !pod.terminating ? undefined",
        replace: "return pod?.ready ? undefined",
        tests: lifecycle("tikvUpgrade", "tikvEvidence"),
    },
    {
        name: "somebody else's evictions hold nothing back",
        file: "provider/lifecycle/stages/tikvRestart.ts",
        find: "    noForeignEviction,\n    leadersCanMove,",
        replace: "    leadersCanMove,",
        tests: lifecycle("tikvEvidence"),
    },
    {
        name: "a list of stores that lacks one of a Ready pod is a list",
        file: "provider/lifecycle/stages/storeList.ts",
        find: 'return lacking.length === 0 ? true : { lacks: lacking.join(", ") };\n    },\n    advice: "compare',
        replace: 'return lacking.length >= 0 ? true : { lacks: lacking.join(", ") };\n    },\n    advice: "compare',
        tests: lifecycle("tikvEvidence", "tikvScale"),
    },
    {
        name: "two stores under one address are one",
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
        name: "enough-stores-stay is not asked",
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
        name: "placement rules do not say how many stores must stay",
        file: "provider/lifecycle/stages/placement.ts",
        find: "const own = (rules ?? []).filter((rule) => !isForTiflash(rule));",
        replace: "const own = ([] as PlacementRule[]).concat(rules ?? []).filter((rule) => rule === undefined);",
        tests: lifecycle("tikvScale", "regionMajorities"),
    },
    {
        name: "a store that PD's list lacks is a store that has left",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "if (view.store !== undefined || isRemoved(view)) {",
        replace: "if (view.store !== undefined || !isRemoved(view) || isRemoved(view)) {",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "a process that has never run is given no time to register its store",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "return neverRan ? { lacks, steadyFor: registrationSeconds } : { lacks };",
        replace: "return neverRan ? true : { lacks };",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "volumes of a pod that is not there are given up though a store may have them in use",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "return claimsOf(view).every(({ released }) => released);",
        replace: "return claimsOf(view).length >= 0;",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "claims are released while the store is not Tombstone",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "storeTombstone, claimsReleased, removalForgotten,",
        replace: "claimsReleased, storeTombstone, removalForgotten,",
        tests: lifecycle("tikvScale"),
    },
    {
        name: "a removal that was taken back is forgotten while the store is Offline",
        file: "provider/lifecycle/stages/storeRemoval.ts",
        find: "    removalTakenBack,\n    removedMemberVolumesReleased",
        replace: "    removedMemberVolumesReleased",
        tests: lifecycle("tikvScale"),
    },
];
