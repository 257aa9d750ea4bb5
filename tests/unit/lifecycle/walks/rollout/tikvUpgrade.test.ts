import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { acted, decisionTable, justNow, notReady, type Row, waited } from "../../../../support/lifecycle/decisionTable";
import { type Deviation, evicting, longAgo, now, storeOf } from "../../../../support/lifecycle/observations";

const restart = { afterEvictLeaderTimeout: "restart", evictLeaderTimeoutSeconds: 30 } as const;
const empty = { leaderCount: { reported: 0 } };
/** PD and the store itself report no leaders on the ordinal. */
const gone = (ordinal: number, more: Deviation["stores"] = {}): Deviation => ({
    stores: { ...more, [ordinal]: { ...empty, ...more[ordinal] } },
    ownLeaders: { [ordinal]: 0 },
});
const tikv: Row[] = [
    ["nothing is stale", {}, "done"],
    ["the eviction begins at the highest ordinal", { stale: [0, 1, 2, 3] }, "begin-eviction 13"],
    ["then the next", { stale: [0, 1, 2] }, "begin-eviction 12"],
    [
        "leaders are waited for to go",
        { stale: [3], evicted: [13], records: evicting(3), ownLeaders: { 3: 200 } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "the one that an earlier run began with comes first",
        { stale: [0, 1, 2, 3], evicted: [11], records: evicting(1), ownLeaders: { 1: 200 } },
        "wait leaders-evicted basic-tikv-1",
    ],
    [
        "no leaders left: restart",
        { stale: [3], evicted: [13], records: evicting(3), ...gone(3) },
        "restart basic-tikv-3",
    ],
    ["no leaders, but nothing keeps them away yet", { stale: [3], ...gone(3) }, "begin-eviction 13"],
    ["PD has lost the eviction: it is begun again", { stale: [3], records: evicting(3) }, "begin-eviction 13"],
    [
        "the eviction cannot begin: tried again after a while",
        { stale: [3], records: evicting(3) },
        "wait leaders-evicted basic-tikv-3",
        acted("begin-eviction 13", 2000),
    ],
    ["someone else's eviction is used", { stale: [3], evicted: [13], ...gone(3) }, "restart basic-tikv-3"],
    [
        "the leader count cannot be read, because PD is silent",
        { stale: [3], pdSilent: true },
        "wait pd-answers basic-pd",
    ],
    [
        "the user's deadline passes: restart",
        { stale: [3], evicted: [13], records: evicting(3), policy: restart, ownLeaders: { 3: 7 } },
        "restart basic-tikv-3",
        waited("leaders-evicted", "basic-tikv-3", 30),
    ],
    [
        "the user's deadline is not over because the start was recorded by another machine's clock that is an hour behind",
        {
            stale: [3],
            evicted: [13],
            records: evicting(3, { begunAt: now - 3_600_000 }),
            policy: restart,
            ownLeaders: { 3: 7 },
        },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "a deadline that nobody set fails",
        {
            stale: [3],
            evicted: [13],
            records: evicting(3),
            policy: { evictLeaderTimeoutSeconds: 30 },
            ownLeaders: { 3: 7 },
        },
        "fail leaders-evicted basic-tikv-3",
        waited("leaders-evicted", "basic-tikv-3", 30),
    ],
    [
        "a deadline of an eviction that is not in force does not count",
        { stale: [3], records: evicting(3), policy: restart },
        "begin-eviction 13",
        waited("leaders-evicted", "basic-tikv-3", 30),
    ],
    [
        "a deadline of an eviction that has ended does not count",
        { stale: [3], records: evicting(3, { endedAt: now - 50_000 }), policy: restart },
        "begin-eviction 13",
    ],
    [
        "the restart fails after the eviction: it is tried again after a while, and leaders stay away meanwhile",
        { stale: [3], evicted: [13], records: evicting(3), ...gone(3) },
        "wait pod-restarted basic-tikv-3",
        acted("delete-pod uid-3", 2000),
    ],
    [
        "the restart fails after the eviction, for good",
        { stale: [3], evicted: [13], records: evicting(3), ...gone(3) },
        "fail pod-restarted basic-tikv-3",
        waited("pod-restarted", "basic-tikv-3", 600),
    ],
    [
        "the leader count cannot be read, though PD answers",
        { stale: [3], evicted: [13], records: evicting(3), stores: { 3: empty }, ownLeaders: { 3: null } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "a scale-out in the same change: the new store is waited for, and no old one goes down",
        { stale: [0, 1, 2], stores: { 3: undefined }, pods: { 3: notReady } },
        "wait pod-available basic-tikv-3",
    ],
    [
        "another store is Down",
        { stale: [0, 1, 2, 3], stores: { 0: { state: "Down" } } },
        "wait other-stores-up basic-tikv-3",
    ],
    [
        "another store is Disconnected, after the eviction",
        {
            stale: [0, 1, 2, 3],
            evicted: [13],
            records: evicting(3),
            ...gone(3, { 1: { state: "Disconnected" } }),
        },
        "wait other-stores-up basic-tikv-3",
    ],
    [
        "another store is Offline: TiKV scaling holds",
        { stale: [0, 1, 2, 3], stores: { 0: { state: "Offline" } } },
        "wait other-stores-up basic-tikv-3",
    ],
    [
        "another store's pod stops, though PD still calls it Up",
        { stale: [3], evicted: [13], records: evicting(3), ...gone(3), pods: { 0: { terminating: true } } },
        "wait pod-stopped basic-tikv-0",
    ],
    [
        "a stale store's pod stops, though PD still calls it Up",
        {
            stale: [0, 3],
            evicted: [13],
            records: evicting(3),
            ...gone(3),
            pods: { 0: { terminating: true } },
        },
        "wait other-stores-up basic-tikv-3",
    ],
    [
        "a TiFlash store is Down: learners do not vote",
        { stale: [3], moreStores: [storeOf(9, { engine: "tiflash", podName: "basic-tiflash-0", state: "Down" })] },
        "begin-eviction 13",
    ],
    [
        "a peer cluster's store is Down",
        { stale: [3], moreStores: [storeOf(9, { own: false, podName: "other-tikv-0", state: "Down" })] },
        "wait other-stores-up basic-tikv-3",
    ],
    ["the only store: no eviction", { replicas: 1, stale: [0], regions: null }, "restart basic-tikv-0"],
    [
        "the only TiKV store beside TiFlash: no eviction",
        {
            replicas: 1,
            stale: [0],
            regions: null,
            moreStores: [storeOf(9, { engine: "tiflash", podName: "basic-tiflash-0" })],
        },
        "restart basic-tikv-0",
    ],
    [
        "one replica and a peer cluster's store: eviction",
        { replicas: 1, stale: [0], moreStores: [storeOf(9, { own: false, podName: "other-tikv-0" })] },
        "begin-eviction 10",
    ],
    [
        "a store that does not run is restarted whatever PD last heard of its leaders",
        {
            stale: [2, 3],
            pods: { 3: notReady },
            stores: {
                3: { state: "Down", leaderCount: { reported: 40 } },
                2: { state: "Down", leaderCount: { reported: 40 } },
            },
        },
        "restart basic-tikv-3",
    ],
    [
        "a Ready pod without a store in PD may hold leaders",
        { stale: [3], stores: { 3: undefined } },
        "wait stores-listed basic-tikv-3",
    ],
    [
        "a pod that never started, and that PD knows no store of, is restarted",
        { stale: [3], stores: { 3: undefined }, pods: { 3: notReady } },
        "restart basic-tikv-3",
    ],
    ["the restarted pod is not Ready", { stale: [2], pods: { 3: notReady } }, "wait pod-available basic-tikv-3"],
    [
        "Ready, but not for long enough",
        { stale: [2], pods: { 3: justNow }, policy: { minReadySeconds: 30 } },
        "wait pod-available basic-tikv-3",
    ],
    [
        "the restarted store is not Up",
        { stale: [2], stores: { 3: { state: "Disconnected" } } },
        "wait store-up basic-tikv-3",
    ],
    [
        "PD shows the restarted store as Up from its reports before the restart",
        { stale: [2], pods: { 3: justNow }, stores: { 3: { startedAt: longAgo - 60_000 } } },
        "wait store-up basic-tikv-3",
    ],
    [
        "the restarted pod has registered no store",
        { stale: [2], stores: { 3: undefined } },
        "wait store-up basic-tikv-3",
    ],
    [
        "Up again: the eviction is ended",
        { stale: [2], evicted: [13], records: evicting(3), ...gone(3) },
        "end-eviction 13",
    ],
    [
        "ending the eviction fails: tried again after a while",
        { stale: [2], evicted: [13], records: evicting(3), ...gone(3) },
        "wait eviction-ended basic-tikv-3",
        acted("end-eviction 13", 2000),
    ],
    [
        "someone else's eviction is left alone",
        { stale: [2], evicted: [13], ...gone(3) },
        "wait no-foreign-eviction basic-tikv-2",
    ],
    [
        "leaders are waited for to return",
        {
            stale: [2],
            records: evicting(3, { endedAt: now - 10_000, isGone: true }),
            stores: { 3: { leaderCount: { reported: 332 } } },
        },
        "wait leaders-back basic-tikv-3",
    ],
    [
        "two thirds have returned",
        {
            stale: [2],
            records: evicting(3, { endedAt: now - 10_000, isGone: true }),
            stores: { 3: { leaderCount: { reported: 333 } } },
        },
        "forget-eviction 13",
    ],
    [
        "nothing follows the last store, so its leaders are not waited for",
        {
            records: evicting(3, { endedAt: now - 10_000, isGone: true }),
            stores: { 3: { leaderCount: { reported: 1 } } },
        },
        "forget-eviction 13",
    ],
    [
        "not even by its eviction may PD keep them away for good, so the first one is waited for",
        { records: evicting(3, { endedAt: now - 10_000, isGone: true }), ...gone(3) },
        "wait leaders-may-return basic-tikv-3",
    ],
    [
        "they do not return in time",
        { stale: [2], records: evicting(3, { endedAt: now - 400_000, isGone: true, unpaused: true }), ...gone(3) },
        "forget-eviction 13",
        waited("leaders-back", "basic-tikv-3", 400),
    ],
    [
        "few leaders are not waited for",
        { stale: [2], records: evicting(3, { endedAt: now - 1000, isGone: true, leadersBefore: 199 }), ...gone(3) },
        "forget-eviction 13",
    ],
    [
        "the user waits for no leaders to return",
        {
            stale: [2],
            records: evicting(3, { endedAt: now - 1000, isGone: true }),
            stores: { 3: { leaderCount: { reported: 1 } } },
            policy: { leadersBackTimeoutSeconds: 0 },
        },
        "forget-eviction 13",
    ],
    [
        "an eviction of a pod that was scaled away is swept",
        { replicas: 3, evicted: [13], records: evicting(3), tombstones: [storeOf(3)] },
        "end-eviction 13",
    ],
    [
        "and forgotten",
        { replicas: 3, records: evicting(3, { endedAt: now }), tombstones: [storeOf(3)] },
        "forget-eviction 13",
    ],
    [
        "the eviction of a store that PD merely does not list is not taken for ended",
        { replicas: 3, evicted: [13], records: evicting(3) },
        "wait left-behind basic-tikv",
    ],
    [
        "an eviction that PD neither lists nor keeps is forgotten, whatever happened to its store",
        { replicas: 3, records: evicting(3) },
        "forget-eviction 13",
    ],
    [
        "a pod deleted by someone else in the middle is waited for",
        { stale: [2], pods: { 3: undefined } },
        "wait pod-created basic-tikv-3",
    ],
    [
        "a wrong image that never starts holds",
        { stale: [0, 1, 2], pods: { 3: { ...notReady, trouble: "ErrImagePull" } } },
        "wait pod-available basic-tikv-3",
    ],
    [
        "a corrected image reaches the pod that never started first",
        {
            stale: [0, 1, 2, 3],
            pods: { 1: { ...notReady, trouble: "ErrImagePull" } },
            stores: { 1: { state: "Down", leaderCount: { reported: 0 } } },
        },
        "restart basic-tikv-1",
    ],
];

decisionTable("upgrade decisions, TiKV", "tikv", tikv, nextRolloutMove);
