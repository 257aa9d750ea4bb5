import type { Observation, PlacementRule } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import {
    acted,
    decisionTable,
    lostSight,
    neverStarted,
    notReady,
    type Row,
    steady,
    waited,
} from "../../../../support/lifecycle/decisionTable";
import { claimOf, longAgo, now, storeOf } from "../../../../support/lifecycle/observations";

const removing = (of: string, pod: string): Observation["records"] => ({
    evictions: {},
    removals: { [of]: { pod, begunAt: now - 60_000 } },
});
const offline = { state: "Offline" };
const buried = (ordinal: number) =>
    storeOf(ordinal, { state: "Tombstone", leaderCount: { reported: 0 }, regionCount: 0 });
const released = { released: true };
/** Marked by the scale-in that removed the pod's store. */
const removed = (ordinal: number, more: object = {}) =>
    claimOf("tikv", ordinal, { released: true, releasedId: String(10 + ordinal), ...more });
const in4to3 = { live: 4, replicas: 3 };
const defaultRule: PlacementRule = {
    ...{ group: "pd", id: "default", role: "voter", startKey: "", endKey: "" },
    count: 3,
    constraints: [],
};

const tikv: Row[] = [
    ["in: store Up", { ...in4to3 }, "remove-store 13"],
    [
        "in: the deletion fails, and is tried again",
        { ...in4to3 },
        "wait store-tombstone basic-tikv-3",
        acted("remove-store 13", 1000),
    ],
    [
        "in: its volumes are not given up while it may still be taken back",
        { ...in4to3, stores: { 3: offline }, claims: [claimOf("tikv", 3)] },
        "wait store-tombstone basic-tikv-3",
    ],
    ["in: store Offline: wait", { ...in4to3, stores: { 3: offline } }, "wait store-tombstone basic-tikv-3"],
    [
        "in: Offline for longer than one run waits",
        { ...in4to3, stores: { 3: offline } },
        "fail store-tombstone basic-tikv-3",
        waited("store-tombstone", "basic-tikv-3", 86_400),
    ],
    [
        "in: Offline since an earlier run of days ago: wait",
        {
            ...in4to3,
            stores: { 3: offline },
            records: { evictions: {}, removals: { 13: { pod: "basic-tikv-3", begunAt: now - 900_000_000 } } },
        },
        "wait store-tombstone basic-tikv-3",
    ],
    [
        "in: Tombstone: its volumes are given up",
        { ...in4to3, stores: { 3: undefined }, tombstones: [buried(3)], claims: [claimOf("tikv", 3)] },
        "release-claims tikv-basic-tikv-3",
    ],
    [
        "in: Tombstone and released: the record goes",
        {
            ...in4to3,
            stores: { 3: undefined },
            tombstones: [buried(3)],
            claims: [claimOf("tikv", 3, { ...released, releasedId: "13" })],
            records: removing("13", "basic-tikv-3"),
        },
        "forget-removal 13",
    ],
    [
        "in: Tombstone: shrink",
        {
            ...in4to3,
            stores: { 3: undefined },
            tombstones: [buried(3)],
            claims: [claimOf("tikv", 3, { ...released, releasedId: "13" })],
        },
        "done",
    ],
    [
        "in: no store for a young pod: it may register one",
        { ...in4to3, stores: { 3: undefined }, pods: { 3: { createdAt: now - 149_000 } } },
        "wait store-known basic-tikv-3",
    ],
    [
        "in: no store for a pod whose process has never run: it may still start",
        { ...in4to3, stores: { 3: undefined }, pods: { 3: neverStarted } },
        "wait store-known basic-tikv-3",
    ],
    [
        "in: no store for a pod whose process has never run, and that has had its time",
        { ...in4to3, stores: { 3: undefined }, pods: { 3: neverStarted } },
        "done",
        steady("store-known", "basic-tikv-3", 150),
    ],
    [
        "in: no store for a pod that cannot be seen, because its node is not Ready: the volumes are kept",
        { ...in4to3, stores: { 3: undefined }, pods: { 3: lostSight } },
        "wait store-known basic-tikv-3",
        steady("store-known", "basic-tikv-3", 150),
    ],
    [
        "in: a Tombstone from before the pod was made is not the pod's",
        {
            ...in4to3,
            stores: { 3: undefined },
            pods: { 3: { createdAt: now - 20_000 } },
            tombstones: [storeOf(3, { id: 3, state: "Tombstone", startedAt: longAgo - 90_000 })],
        },
        "wait store-known basic-tikv-3",
    ],
    [
        "in: nor is it that of a pod whose process has never run, which may register a store yet",
        {
            ...in4to3,
            stores: { 3: undefined },
            pods: { 3: neverStarted },
            tombstones: [buried(3)],
            claims: [claimOf("tikv", 3)],
        },
        "wait store-known basic-tikv-3",
    ],
    [
        "in: PD lists no store for a Ready pod: its volumes are those of a store that lives",
        { ...in4to3, stores: { 3: undefined }, claims: [claimOf("tikv", 3)] },
        "wait store-known basic-tikv-3",
    ],
    [
        "in: PD lists no store at all: the volumes of live stores are not given up",
        { ...in4to3, stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined }, claims: [claimOf("tikv", 3)] },
        "wait stores-listed basic-tikv-3",
    ],
    [
        "in: PD lists no store at all, and the volumes are released: replicas do not fall",
        {
            ...in4to3,
            stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined },
            claims: [claimOf("tikv", 3, released)],
        },
        "wait stores-listed basic-tikv-3",
    ],
    [
        "in: a store of another cluster's pod with the same name stays",
        { ...in4to3, stores: { 3: undefined }, moreStores: [storeOf(3, { id: 99, own: false })] },
        "wait store-known basic-tikv-3",
    ],
    [
        "in: a store that PD forgot, neither listed nor buried, is never taken for gone: its pod's volume may be the last copy",
        { ...in4to3, stores: { 3: undefined }, pods: { 3: undefined }, claims: [claimOf("tikv", 3)] },
        "wait store-known basic-tikv-3",
        waited("store-known", "basic-tikv-3", 590),
    ],
    [
        "in: a store that PD forgot: it fails in the end, and replicas do not fall",
        { ...in4to3, stores: { 3: undefined }, pods: { 3: undefined }, claims: [claimOf("tikv", 3)] },
        "fail store-known basic-tikv-3",
        waited("store-known", "basic-tikv-3", 600),
    ],
    [
        "in: the store is found by its address: another pod's has the id that this one's once had",
        { ...in4to3, stores: { 2: { id: 13 }, 3: { id: 12 } } },
        "remove-store 12",
    ],
    [
        "in: while a roll is half done: the store leaves first, and no other pod is touched",
        {
            ...in4to3,
            stale: [0, 1, 2],
            evicted: [12],
            records: {
                evictions: { 12: { pod: "basic-tikv-2", begunAt: now - 60_000, leadersBefore: 500 } },
                removals: {},
            },
        },
        "remove-store 13",
    ],
    [
        "in: two stores under the pod's address: nobody knows which one has the data",
        { ...in4to3, moreStores: [storeOf(3, { id: 99 })] },
        "wait store-known basic-tikv-3",
    ],
    [
        "in: a placement rule asks for labels that too few of the stores left have",
        {
            ...in4to3,
            stores: { 0: { labels: { zone: "a" } }, 3: { labels: { zone: "a" } } },
            rules: [
                {
                    ...{ group: "pd", id: "zone-a", role: "voter", startKey: "", endKey: "", count: 2 },
                    constraints: [{ key: "zone", op: "in", values: ["a"] }],
                },
            ],
        },
        "fail enough-stores-stay basic-tikv-3",
    ],
    [
        "in: stores of another cluster count, but not those on which PD places nothing",
        {
            live: 3,
            replicas: 2,
            rules: [defaultRule],
            moreStores: [7, 8, 9].map((one) =>
                storeOf(one, { own: false, podName: `other-tikv-${one}`, labels: { $dedicated: "b" } }),
            ),
        },
        "fail enough-stores-stay basic-tikv-2",
    ],
    [
        "in: the only store of a zone that PD needs for its isolation level",
        {
            ...in4to3,
            stores: Object.fromEntries(["a", "a", "b", "c"].map((zone, at) => [at, { labels: { zone } }])),
            rules: [{ ...defaultRule, isolationLabels: ["zone"] }],
        },
        "fail enough-stores-stay basic-tikv-3",
    ],
    [
        "in: PD was elected a moment ago and calls every store Disconnected: it is waited for",
        {
            ...in4to3,
            stores: {
                0: { state: "Disconnected" },
                1: { state: "Disconnected" },
                2: { state: "Disconnected" },
                3: { state: "Disconnected" },
            },
        },
        "wait enough-stores-stay basic-tikv-3",
    ],
    ["in: what PD keeps is not known", { ...in4to3, unknown: ["placement"] }, "wait enough-stores-stay basic-tikv-3"],
    ["in: status unknown", { ...in4to3, pdSilent: true }, "wait pd-answers basic-pd"],
    [
        "in: as many Up stores as replicas of a region: refused",
        { live: 3, replicas: 2 },
        "fail enough-stores-stay basic-tikv-2",
    ],
    ["in: 5 to 2 is refused at the first store", { live: 5, replicas: 2 }, "fail enough-stores-stay basic-tikv-4"],
    [
        "in: one that stays is Down: refused",
        { ...in4to3, stores: { 0: { state: "Down" } } },
        "fail enough-stores-stay basic-tikv-3",
    ],
    ["in: a Down store may go while enough are Up", { ...in4to3, stores: { 3: { state: "Down" } } }, "remove-store 13"],
    [
        "in: 6 to 4 with a dead zone: its store that leaves goes first, because four Up ones stay",
        { live: 6, replicas: 4, stores: { 2: { state: "Down" }, 5: { state: "Down" } } },
        "remove-store 15",
    ],
    [
        "in: 6 to 4 with a dead zone: the second, which serves, waits until the dead one is empty",
        { live: 6, replicas: 4, stores: { 2: { state: "Down" }, 5: offline } },
        "wait store-tombstone basic-tikv-5",
    ],
    [
        "in: 6 to 4 with a dead zone that PD needs for its replicas: refused, and nothing leaves",
        { live: 6, replicas: 4, maxReplicas: 5, stores: { 2: { state: "Down" }, 5: { state: "Down" } } },
        "fail enough-stores-stay basic-tikv-5",
    ],
    [
        "in: TiFlash stores are not counted",
        { live: 3, replicas: 2, moreStores: [storeOf(9, { engine: "tiflash", podName: "basic-tiflash-0" })] },
        "fail enough-stores-stay basic-tikv-2",
    ],
    [
        "in: a peer cluster's stores are counted",
        { live: 3, replicas: 2, moreStores: [storeOf(9, { own: false, podName: "other-tikv-0" })] },
        "remove-store 12",
    ],
    [
        "in: TiFlash stores are no reason to keep more TiKV either",
        { ...in4to3, moreStores: [storeOf(9, { engine: "tiflash", podName: "basic-tiflash-0", state: "Down" })] },
        "remove-store 13",
    ],
    ["in: max-replicas 5", { live: 5, replicas: 4, maxReplicas: 5 }, "fail enough-stores-stay basic-tikv-4"],
    [
        "in: an Offline store is waited for although another stops reporting",
        { ...in4to3, stores: { 3: offline, 0: { state: "Disconnected" } } },
        "wait store-tombstone basic-tikv-3",
    ],
    ["in: the pod is not Ready: its store goes all the same", { ...in4to3, pods: { 3: notReady } }, "remove-store 13"],
    [
        "in: parallelism 1, 5 to 3: the second waits for the first",
        { live: 5, replicas: 3, stores: { 4: offline } },
        "wait store-tombstone basic-tikv-4",
    ],
    [
        "in: parallelism 2, 5 to 3: the second goes too",
        { live: 5, replicas: 3, stores: { 4: offline }, policy: { scaleInParallelism: 2 } },
        "remove-store 13",
    ],
    [
        "in: parallelism 1, 6 to 3: the second waits for the first",
        { live: 6, replicas: 3, stores: { 5: offline } },
        "wait store-tombstone basic-tikv-5",
    ],
    [
        "in: parallelism 3, 5 to 3: no more than the two that leave",
        { live: 5, replicas: 3, stores: { 4: offline, 3: offline }, policy: { scaleInParallelism: 3 } },
        "wait store-tombstone basic-tikv-4",
    ],
    [
        "in: parallelism 2, 6 to 3: the third waits",
        { live: 6, replicas: 3, stores: { 5: offline, 4: offline }, policy: { scaleInParallelism: 2 } },
        "wait store-tombstone basic-tikv-5",
    ],
    [
        "in: parallelism 3, 6 to 3: the third goes too",
        { live: 6, replicas: 3, stores: { 5: offline, 4: offline }, policy: { scaleInParallelism: 3 } },
        "remove-store 13",
    ],
    [
        "in: not done while a lower one is not, though the highest is",
        { live: 5, replicas: 3, stores: { 4: undefined, 3: offline }, tombstones: [buried(4)] },
        "wait store-tombstone basic-tikv-3",
    ],
    ["out: normal", { live: 3, replicas: 5 }, "done"],
    [
        "out: the old claim of a removed store is deleted",
        { live: 3, replicas: 4, claims: [claimOf("tikv", 3, released)] },
        "delete-claims tikv-basic-tikv-3",
    ],
    [
        "out: the old claim is deleted although its pod still exists",
        { live: 3, replicas: 4, claims: [claimOf("tikv", 3, released)], leavingPods: [3] },
        "delete-claims tikv-basic-tikv-3",
    ],
    [
        "out: its deletion fails, and is tried again",
        { live: 3, replicas: 4, claims: [claimOf("tikv", 3, released)] },
        "wait released-claims-deleted basic-tikv-3",
        acted("delete-claims claim-3", 1000),
    ],
    [
        "out: its deletion fails for good",
        { live: 3, replicas: 4, claims: [claimOf("tikv", 3, released)] },
        "fail released-claims-deleted basic-tikv-3",
        waited("released-claims-deleted", "basic-tikv-3", 600),
    ],
    [
        "out: a marked claim, and PD's removed stores are not known",
        { live: 3, replicas: 4, unknown: ["tombstones"], claims: [removed(3)] },
        "wait released-claims-deleted basic-tikv-3",
    ],
    ["out: an unreleased claim is used", { live: 3, replicas: 4, claims: [claimOf("tikv", 3)] }, "done"],
    [
        "out: all old claims are deleted",
        { live: 3, replicas: 5, claims: [claimOf("tikv", 4, released)] },
        "delete-claims tikv-basic-tikv-4",
    ],
    [
        "taken back: an Offline store comes back Up",
        { replicas: 4, stores: { 3: offline }, records: removing("13", "basic-tikv-3") },
        "bring-store-back 13",
    ],
    [
        "reverted: Up again, it is forgotten",
        { replicas: 4, records: removing("13", "basic-tikv-3") },
        "forget-removal 13",
    ],
    ["reverted: a store that someone else removed is left alone", { replicas: 4, stores: { 3: offline } }, "done"],
    [
        "reverted, PD unreachable: nothing is forgotten",
        { replicas: 4, records: removing("13", "basic-tikv-3"), pdSilent: true },
        "wait removal-taken-back basic-tikv-3",
    ],
    [
        "reverted too late: the volume of the Tombstone store is released",
        {
            replicas: 4,
            stores: { 3: undefined },
            tombstones: [buried(3)],
            records: removing("13", "basic-tikv-3"),
            claims: [claimOf("tikv", 3)],
        },
        "release-claims tikv-basic-tikv-3",
    ],
    [
        "reverted too late: its claims are deleted",
        { replicas: 4, stores: { 3: undefined }, tombstones: [buried(3)], claims: [removed(3)] },
        "delete-claims tikv-basic-tikv-3",
    ],
    [
        "reverted too late: then its pod, which keeps them",
        {
            replicas: 4,
            stores: { 3: undefined },
            tombstones: [buried(3)],
            claims: [removed(3, { terminating: true })],
        },
        "restart basic-tikv-3",
    ],
    [
        "a claim that was marked is kept while its store lives, and the mark goes",
        { replicas: 4, claims: [claimOf("tikv", 3, released)] },
        "keep-claims tikv-basic-tikv-3",
    ],
    [
        "a claim that was marked is kept where PD knows of no Tombstone",
        { replicas: 4, stores: { 3: undefined }, claims: [removed(3)] },
        "done",
    ],
    [
        "a claim that was marked for another store is kept: the volume may be that of a store that PD does not list now",
        { replicas: 4, stores: { 3: undefined }, tombstones: [buried(3)], claims: [removed(3, { releasedId: "99" })] },
        "done",
    ],
    [
        "a claim that was marked without a store is kept: a Tombstone of the pod may be that of an earlier volume",
        { replicas: 4, stores: { 3: undefined }, tombstones: [buried(3)], claims: [claimOf("tikv", 3, released)] },
        "done",
    ],
    ["no change", {}, "done"],
];

decisionTable("scaling decisions, TiKV", "tikv", tikv, nextScaleMove);
