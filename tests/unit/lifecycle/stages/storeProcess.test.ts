import * as assert from "node:assert/strict";
import { isOfRunningProcess } from "../../../../provider/lifecycle/stages/storeProcess";
import { storesListed } from "../../../../provider/lifecycle/stages/storeList";
import {
    noEvictionByPd,
    noForeignEviction,
    otherStoresUp,
    storeUp,
} from "../../../../provider/lifecycle/stages/storeRestart";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import { notReady } from "../../../support/lifecycle/decisionTable";
import { stageTable } from "../../../support/lifecycle/inWords";
import { evicting, longAgo, now, observed, storeOf, tiflashStoreOf } from "../../../support/lifecycle/observations";

const notOurs = { id: 90, own: false, podName: "other-tikv-0" };
const at = (lag: number) => ({ lastHeartbeat: now - 1000 - lag });
const alone = { 0: undefined, 1: undefined, 2: undefined };
const down = { 1: { state: "Down" } };

stageTable("the other stores are Up", otherStoresUp("tikv"), "tikv", 3, [
    ["all are", {}, true],
    ["PD did not list them", { unknown: ["stores"] }, "PD's stores are not known: PD did not answer"],
    ["there is no other", { stores: alone }, true],
    ["nothing runs in the pod: its restart takes nothing more down", { stores: down, pods: { 3: notReady } }, true],
    ["its own state does not matter", { stores: { 3: { state: "Down" } } }, true],
    ["PD lists none for this pod", { stores: { 3: undefined } }, true],
    ["one is Down", { stores: down }, "store 11 (basic-tikv-1) is Down"],
    [
        "two are not Up",
        { stores: { ...down, 0: { state: "Disconnected" } } },
        "store 10 (basic-tikv-0) is Disconnected, store 11 (basic-tikv-1) is Down",
    ],
    [
        "a store of another cluster on this PD is not Up",
        { moreStores: [storeOf(0, { ...notOurs, state: "Offline" })] },
        "store 90 (other-tikv-0) is Offline",
    ],
    ["a store of another cluster is Up: its pod is not checked", { moreStores: [storeOf(0, notOurs)] }, true],
    ["TiFlash is another matter", { moreStores: [tiflashStoreOf(0, { state: "Down" })] }, true],
    [
        "a pod is not Ready, and PD still calls its store Up",
        { pods: { 1: { ready: false } } },
        "the pod of store 11 (basic-tikv-1) is not Ready",
    ],
    ["a pod stops", { pods: { 1: { terminating: true } } }, "the pod of store 11 (basic-tikv-1) is stopping"],
    ["a pod is gone", { pods: { 1: undefined } }, "the pod of store 11 (basic-tikv-1) is gone"],
    [
        "one is new, which PD calls Down",
        { stores: { 1: { state: "New", lastHeartbeat: undefined } } },
        "store 11 (basic-tikv-1) is new, and has not sent its first heartbeat",
    ],
    [
        "one has never sent a heartbeat",
        { stores: { 1: { lastHeartbeat: undefined } } },
        "store 11 (basic-tikv-1) has never sent a heartbeat",
    ],
    ["one is as late as can be", { stores: { 1: at(15_000) } }, true],
    [
        "one does not report",
        { stores: { 1: at(15_001) } },
        "the last heartbeat of store 11 (basic-tikv-1) is 15 s older than that of another store",
    ],
    [
        "one does not report and another has never sent a heartbeat: the latter has no time to compare",
        { stores: { 1: at(18_000), 2: { lastHeartbeat: undefined } } },
        "the last heartbeat of store 11 (basic-tikv-1) is 18 s older than that of another store, store 12 (basic-tikv-2) has never sent a heartbeat",
    ],
    [
        "they report every second: 2 s are added, not half a second",
        { stores: { 1: at(3_000) }, heartbeats: { region: 60_000, store: 1_000 } },
        true,
    ],
    [
        "and no longer",
        { stores: { 1: at(3_001) }, heartbeats: { region: 60_000, store: 1_000 } },
        "the last heartbeat of store 11 (basic-tikv-1) is 3 s older than that of another store",
    ],
]);

stageTable("the other stores of TiFlash are Up", otherStoresUp("tiflash"), "tiflash", 1, [
    ["all are, and those of TiKV are another matter", { stores: down }, true],
    ["one is Down", { tiflash: { 0: { state: "Down" } } }, "store 20 (basic-tiflash-0) is Down"],
    ["a pod is not Ready", { pods: { 0: { ready: false } } }, "the pod of store 20 (basic-tiflash-0) is not Ready"],
]);

stageTable("nobody else is working on the stores", noForeignEviction, "tikv", 3, [
    ["nobody is", {}, true],
    ["PD did not report it", { unknown: ["evictedStores"] }, "stores under eviction are not known: PD did not answer"],
    ["this is the only store", { stores: alone, unknown: ["evictedStores"] }, true],
    ["nothing runs in the pod", { pods: { 3: notReady }, unknown: ["evictedStores"] }, true],
    ["this store's own eviction is not another's", { evicted: [13] }, true],
    ["one of ours is not someone else's", { evicted: [12], records: evicting(2) }, true],
    [
        "one of ours, and someone else's",
        { evicted: [12, 11], records: evicting(2) },
        "someone else is evicting leaders from store 11 (basic-tikv-1)",
    ],
    [
        "stores that PD lists, and one that it does not",
        { evicted: [11, 99, 10] },
        "someone else is evicting leaders from store 11 (basic-tikv-1), store 99, store 10 (basic-tikv-0)",
    ],
    [
        "the stores are not known",
        { evicted: [11], unknown: ["stores"] },
        "someone else is evicting leaders from store 11",
    ],
]);

stageTable("PD itself evicts no other store", noEvictionByPd, "tikv", 3, [
    ["it does not", {}, true],
    [
        "PD did not report it",
        { unknown: ["ownEvictions"] },
        "stores that PD evicts by itself are not known: PD did not answer",
    ],
    [
        "PD does not report it for its slow stores",
        { isSlowUnreported: true },
        "PD does not report which stores its evict-slow-store-scheduler evicts: this PD lists them only in its etcd, which needs enable-grpc-gateway",
    ],
    ["this is the only store", { stores: alone, unknown: ["ownEvictions"] }, true],
    ["nothing runs in the pod", { pods: { 3: notReady }, slow: [11] }, true],
    ["this store is the slow one: its restart takes no further leaders", { slow: [13] }, true],
    ["one that is being restarted stops", { slow: [12], records: evicting(2) }, true],
    [
        "another store is slow, and its leaders are on the others",
        { slow: [11, 99] },
        "PD itself is evicting leaders from store 11 (basic-tikv-1) by its evict-slow-store-scheduler, store 99 by its evict-slow-store-scheduler",
    ],
]);

const restartedAt = (startedAt: number) => ({
    3: { container: known({ is: "running" as const, startedAt }, "node", now) },
});
stageTable("a restarted store is Up", storeUp, "tikv", 3, [
    ["it is", {}, true],
    ["PD did not list any", { unknown: ["stores"] }, "PD's stores are not known: PD did not answer"],
    [
        "two are under its address",
        { moreStores: [storeOf(3, { id: 99 })] },
        "PD lists stores 13 and 99 under the address of basic-tikv-3",
    ],
    ["it has not registered", { stores: { 3: undefined } }, "basic-tikv-3 has not registered a store"],
    [
        "it had one, which was removed",
        { stores: { 3: undefined }, tombstones: [storeOf(3, { state: "Tombstone" })] },
        "basic-tikv-3 has not registered a store since PD removed store 13 (Tombstone)",
    ],
    [
        "other pods had some that were removed",
        {
            stores: { 3: undefined },
            tombstones: [storeOf(2, { state: "Tombstone" }), storeOf(3, { state: "Tombstone", own: false })],
        },
        "basic-tikv-3 has not registered a store",
    ],
    [
        "PD does not say what it has removed",
        { stores: { 3: undefined }, unknown: ["tombstones"] },
        "basic-tikv-3 has no store that PD lists; whether PD has removed one is not known: PD did not answer",
    ],
    [
        "PD was not asked what it has removed, as when nothing has changed",
        { stores: { 3: undefined }, notAsked: ["tombstones"] },
        "basic-tikv-3 has no store that PD lists",
    ],
    [
        "PD has not heard of it yet",
        { stores: { 3: { state: "Disconnected" } } },
        "store 13 (basic-tikv-3) is Disconnected",
    ],
    ["PD's data is from this process, to whole seconds", { pods: restartedAt(longAgo + 2_000) }, true],
    [
        "PD's data is from the previous process",
        { pods: restartedAt(longAgo + 2_001) },
        "store 13 (basic-tikv-3) has not registered since its process started",
    ],
    ["there is no pod to compare with", { pods: { 3: undefined } }, true],
]);

describe("PD's data about a store comes from the running process", () => {
    const { observation } = observed("tikv", {});
    const pod = observation.members.tikv?.pods[3] ?? assert.fail();
    const running: ObservedPod["container"] = known({ is: "running", startedAt: 5_000_000 }, "node", now);
    const is = (startedAt: number | undefined, container: ObservedPod["container"] = running) =>
        isOfRunningProcess(storeOf(3, { startedAt }), { ...pod, container });
    it("if it started no earlier, to whole seconds", () => {
        assert.deepEqual([is(5_000_000), is(4_998_000), is(4_997_999), is(9_000_000)], [true, true, false, true]);
    });
    it("not if either time is not known or nothing runs", () => {
        assert.equal(is(undefined), false);
        assert.equal(is(9_000_000, notKnown("its node is not Ready")), false);
        assert.equal(is(9_000_000, notReady.container), false);
    });
});

stageTable("PD lists a store for each Ready pod", storesListed, "tikv", 3, [
    ["it does", {}, true],
    ["PD did not list any", { unknown: ["stores"] }, "PD's stores are not known: PD did not answer"],
    [
        "two are lacking",
        { stores: { 1: undefined, 3: undefined } },
        "PD lists no store for basic-tikv-1, which is Ready, PD lists no store for basic-tikv-3, which is Ready",
    ],
    ["one is lacking whose pod is not Ready", { stores: { 1: undefined }, pods: { 1: { ready: false } } }, true],
    ["or stops", { stores: { 1: undefined }, pods: { 1: { terminating: true } } }, true],
    ["or leaves", { live: 4, replicas: 3, stores: { 3: undefined } }, true],
    [
        "the last one that stays is lacking",
        { live: 4, replicas: 3, stores: { 2: undefined } },
        "PD lists no store for basic-tikv-2, which is Ready",
    ],
    [
        "one is listed as another cluster's, another one as TiFlash's",
        { stores: { 1: { own: false }, 2: { engine: "tiflash" } } },
        "PD lists no store for basic-tikv-1, which is Ready, PD lists no store for basic-tikv-2, which is Ready",
    ],
    [
        "two are under one address",
        { moreStores: [storeOf(1, { id: 99 })] },
        "PD lists stores 11 and 99 under the address of basic-tikv-1",
    ],
    [
        "two are under this address, and its pod is not Ready",
        { moreStores: [storeOf(3, { id: 99 })], pods: { 3: { ready: false } } },
        "PD lists 2 stores under the address of basic-tikv-3",
    ],
    [
        "two are under this address, and its pod is gone",
        { moreStores: [storeOf(3, { id: 99 })], pods: { 3: undefined } },
        "PD lists 2 stores under the address of basic-tikv-3",
    ],
    [
        "two are under this address, and its pod is Ready: that is reported once",
        { moreStores: [storeOf(3, { id: 99 })] },
        "PD lists stores 13 and 99 under the address of basic-tikv-3",
    ],
]);
