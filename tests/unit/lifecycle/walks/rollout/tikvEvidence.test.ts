import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
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
import { type Deviation, evicting, longAgo, now, storeOf } from "../../../../support/lifecycle/observations";

/** The evidence that a gate may rely on before it restarts a TiKV. Without the wait, each row would cost what its name says. */

const underWay: Deviation = { stale: [3], evicted: [13], records: evicting(3) };
const zero = { leaderCount: { reported: 0 } };
const young = { heldFor: 20_000, since: now - 20_000 };

const leaders: Row[] = [
    [
        "PD reports 0 and the store holds 500: a PD leader elected a moment ago knows no leaders",
        { ...underWay, stores: { 3: zero }, ownLeaders: { 3: 500 }, leadership: young },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "PD reports 0 and the store was not queried: 500 regions could lose their leader",
        { ...underWay, stores: { 3: zero } },
        "look ownLeadersOf:basic-tikv-3",
    ],
    [
        "the store cannot be asked: nobody knows what it leads",
        { ...underWay, stores: { 3: zero }, ownLeaders: { 3: null } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "the store's gauge says 0 and may be 10 s old, and PD's counts cannot be trusted yet: it is queried again",
        { ...underWay, ownLeaders: { 3: 0 }, leadership: young, regions: { missPeer: 0 } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "the store reports 0, but PD still counts leaders on it: its gauge may be stale",
        { ...underWay, stores: { 3: { leaderCount: { reported: 40 } } }, ownLeaders: { 3: 0 } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "PD's leader changed during the queries",
        { ...underWay, stores: { 3: zero }, ownLeaders: { 3: 0 }, leadership: { isSteady: false } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "PD knows the leaders of fewer regions than there are: the others may be on this store",
        { ...underWay, stores: { 3: zero }, ownLeaders: { 3: 0 }, leadership: { regionCount: 1501 } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "a store has not reported to PD's leader: its leaders are counted where they were before",
        {
            ...underWay,
            stores: { 3: zero, 0: { lastHeartbeat: now - 5_000 } },
            ownLeaders: { 3: 0 },
            leadership: { since: now - 4_000 },
        },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "both count nothing, and both can know it",
        { ...underWay, stores: { 3: zero }, ownLeaders: { 3: 0 } },
        "restart basic-tikv-3",
    ],
    [
        "a store that reported 0 twice, 10 s apart, while PD keeps leaders away: the regions are checked next",
        { ...underWay, stores: { 3: zero }, ownLeaders: { 3: 0 }, leadership: { regionCount: 1501 } },
        "restart basic-tikv-3",
        steady("leaders-evicted", "basic-tikv-3", 10),
    ],
    [
        "it sends heartbeats every second, and its gauge is no newer for it: two zeros within 10 s are one, and it would restart while it leads",
        {
            ...underWay,
            stores: { 3: zero },
            ownLeaders: { 3: 0 },
            leadership: { regionCount: 1501 },
            heartbeats: { region: 12_000, store: 1_000 },
        },
        "wait leaders-evicted basic-tikv-3",
        steady("leaders-evicted", "basic-tikv-3", 9.999),
    ],
    [
        "its gauge was refreshed in between: with a heartbeat of a second two zeros count after 10 s as well",
        {
            ...underWay,
            stores: { 3: zero },
            ownLeaders: { 3: 0 },
            leadership: { regionCount: 1501 },
            heartbeats: { region: 12_000, store: 1_000 },
        },
        "restart basic-tikv-3",
        steady("leaders-evicted", "basic-tikv-3", 10),
    ],
    [
        "its heartbeats are a minute apart: two zeros within one are one",
        {
            ...underWay,
            stores: { 3: zero },
            ownLeaders: { 3: 0 },
            leadership: { regionCount: 1501 },
            heartbeats: { region: 60_000, store: 60_000 },
        },
        "wait leaders-evicted basic-tikv-3",
        steady("leaders-evicted", "basic-tikv-3", 10),
    ],
    [
        "a TiKV in a crash loop gets its corrected template: its node reports that the process does not run",
        { stale: [3], pods: { 3: notReady }, stores: { 3: { state: "Disconnected" } } },
        "restart basic-tikv-3",
    ],
    [
        "a pod on a node that is lost may run and lead on",
        { stale: [3], pods: { 3: lostSight }, stores: { 3: { state: "Disconnected", leaderCount: { reported: 0 } } } },
        "begin-eviction 13",
    ],
    [
        "the earlier leader count is taken only from a source that can know it, because their return is measured by it",
        { stale: [3], leadership: { regionCount: 9000 } },
        "look ownLeadersOf:basic-tikv-3",
    ],
];
decisionTable("a store is restarted once it has no leaders", "tikv", leaders, nextRolloutMove);

const lists: Row[] = [
    [
        "PD lists no store though four pods are Ready: all of them would restart with their leaders",
        { stale: [0, 1, 2, 3], stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined } },
        "wait stores-listed basic-tikv-3",
    ],
    [
        "PD lists one store of four Ready pods: it is not the only store",
        { stale: [0, 1, 2, 3], stores: { 0: undefined, 1: undefined, 2: undefined } },
        "wait stores-listed basic-tikv-3",
    ],
    [
        "the Ready pod's store is registered under another address, and holds 500 leaders",
        { stale: [3], stores: { 3: { own: false, podName: "10" } } },
        "wait stores-listed basic-tikv-3",
    ],
    [
        "another Ready pod has no store in PD's list",
        { stale: [1, 3], stores: { 1: undefined } },
        "wait stores-listed basic-tikv-3",
    ],
    [
        "two stores on one address: the dead one hides the one with leaders",
        {
            stale: [3],
            stores: { 3: { state: "Offline", ...zero, regionCount: 0 } },
            moreStores: [storeOf(3, { id: 99 })],
        },
        "wait stores-listed basic-tikv-3",
    ],
    ["PD did not list its stores", { stale: [0, 1, 2, 3], unknown: ["stores"] }, "wait stores-listed basic-tikv-3"],
    [
        "a list that stays short fails, and nothing is restarted",
        { stale: [1, 3], stores: { 1: undefined } },
        "fail stores-listed basic-tikv-3",
        waited("stores-listed", "basic-tikv-3", 600),
    ],
    [
        "a pod of another StatefulSet has our labels and the same ordinal",
        { stale: [3], pods: { 3: { name: "alpha-tikv-3", revision: "old" } } },
        "wait pod-created basic-tikv-3",
    ],
    [
        "the server that answers is not a PD: it fails within seconds, not after ten minutes",
        { stale: [3], pdIsNone: true },
        "fail pd-answers basic-pd [not-pd]",
        waited("pd-answers", "basic-pd", 5),
    ],
];
decisionTable("an incomplete list is no evidence about the rest", "tikv", lists, nextRolloutMove);

const others: Row[] = [
    [
        "another cluster on the same PD restarts its store: it has not reported for 18 s, and PD still shows it Up",
        {
            ...underWay,
            stores: { 3: zero },
            ownLeaders: { 3: 0 },
            moreStores: [
                storeOf(0, { id: 90, own: false, podName: "other-tikv-0", ...zero, lastHeartbeat: now - 18_000 }),
            ],
        },
        "wait other-stores-up basic-tikv-3",
    ],
    [
        "one of our stores has not reported for 18 s although its pod is Ready",
        { ...underWay, stores: { 3: zero, 1: { lastHeartbeat: now - 18_000 } }, ownLeaders: { 3: 0 } },
        "wait other-stores-up basic-tikv-3",
    ],
    [
        "all heartbeats are as old, because PD's clock is not ours",
        {
            ...underWay,
            stores: {
                0: { lastHeartbeat: longAgo },
                1: { lastHeartbeat: longAgo - 9_000 },
                2: { lastHeartbeat: longAgo },
                3: { ...zero, lastHeartbeat: longAgo },
            },
            ownLeaders: { 3: 0 },
            leadership: { since: longAgo - 60_000 },
        },
        "restart basic-tikv-3",
    ],
    [
        "someone else is evicting leaders from another store, to take it down",
        {
            ...underWay,
            evicted: [13, 90],
            stores: { 3: zero },
            ownLeaders: { 3: 0 },
            moreStores: [storeOf(0, { id: 90, own: false, podName: "other-tikv-0", ...zero })],
        },
        "wait no-foreign-eviction basic-tikv-3",
    ],
    [
        "PD evicts a slow store by itself, so the others have its leaders",
        { ...underWay, stores: { 3: zero }, ownLeaders: { 3: 0 }, slow: [11] },
        "wait no-eviction-by-pd basic-tikv-3",
    ],
    [
        "a store has never sent a heartbeat",
        { stale: [3], stores: { 1: { lastHeartbeat: undefined } } },
        "wait other-stores-up basic-tikv-3",
    ],
    [
        "the only Ready pods are ours: a pod that never started is replaced whatever the others do",
        { stale: [0, 3], pods: { 3: neverStarted }, stores: { 3: undefined, 0: { state: "Down" } } },
        "restart basic-tikv-3",
    ],
];
decisionTable("the work of others holds back a restart", "tikv", others, nextRolloutMove);

const ended = (more: object = {}) => evicting(3, { endedAt: now - 1_000, endedUnder: "7", ...more });
const evictions: Row[] = [
    [
        "an eviction is not begun while PD has not loaded its schedulers: it would erase another one",
        { stale: [3], leadership: { hasSchedulers: false } },
        "wait no-foreign-eviction basic-tikv-3",
    ],
    [
        "nor ended then: PD would acknowledge it, and bring it back",
        { stale: [2], evicted: [13], records: evicting(3), leadership: { hasSchedulers: false } },
        "wait eviction-ended basic-tikv-3",
    ],
    [
        "one that PD's etcd still has comes back with the next leader: it is ended again",
        { stale: [2], records: ended(), persisted: [13] },
        "end-eviction 13",
    ],
    [
        "that neither has it is recorded at once: any later eviction of the store is someone else's",
        { stale: [2], records: ended(), persisted: [] },
        "note-eviction-gone 13",
    ],
    [
        "and one that is listed after that is left alone",
        { stale: [2], evicted: [13], records: ended({ endedUnder: "6", isGone: true, leadersBefore: 9 }) },
        "forget-eviction 13",
    ],
    [
        "if PD's etcd cannot be read, it stays recorded under the leader that ended it, and holds nothing up",
        {
            stale: [2],
            records: ended(),
            persisted: null,
            stores: { 3: { leaderCount: { reported: 500 } } },
            ownLeaders: { 2: 9 },
        },
        "begin-eviction 12",
    ],
    [
        "and is gone once a later leader does not list it",
        { stale: [2], records: ended({ endedUnder: "6" }), persisted: null },
        "note-eviction-gone 13",
    ],
    [
        "or ended again where a later leader has brought it back",
        { stale: [2], evicted: [13], records: ended({ endedUnder: "6" }), persisted: null },
        "end-eviction 13",
    ],
    [
        "one that the same leader lists again is someone else's, and is left alone",
        { stale: [2], evicted: [13], records: ended(), persisted: null },
        "note-eviction-gone 13",
    ],
];
decisionTable("an eviction is over once PD has dropped it", "tikv", evictions, nextRolloutMove);

const paused = { stores: { 3: zero }, records: evicting(3, { endedAt: now - 90_000, isGone: true }) };
const returning: Row[] = [
    ["no leader is back yet", { stale: [2], ...paused }, "wait leaders-may-return basic-tikv-3"],
    [
        "none after a minute: PD keeps the store paused (tikv/pd#9185), and lets go with its leadership",
        { stale: [2], ...paused },
        "transfer-leader to basic-pd-1",
        waited("leaders-may-return", "basic-tikv-3", 60),
    ],
    [
        "the user waits for leaders for less than that: PD's leadership is left alone",
        { stale: [2], ...paused, policy: { leadersBackTimeoutSeconds: 59 } },
        "wait leaders-back basic-tikv-3",
        waited("leaders-may-return", "basic-tikv-3", 60),
    ],
    [
        "that is done once",
        { stale: [2], ...paused, records: evicting(3, { endedAt: now - 90_000, isGone: true, unpaused: true }) },
        "wait leaders-back basic-tikv-3",
        waited("leaders-may-return", "basic-tikv-3", 60),
    ],
    [
        "no other member can lead PD: it goes on without",
        { stale: [2], ...paused, notMembers: [1, 2] },
        "wait leaders-back basic-tikv-3",
        waited("leaders-may-return", "basic-tikv-3", 60),
    ],
    [
        "a zero count from a PD that cannot know is no reason to move its leadership",
        { stale: [2], ...paused, leadership: young, ownLeaders: { 3: 300 } },
        "wait leaders-back basic-tikv-3",
        acted("end-eviction 13", 90_000),
    ],
];
decisionTable("a store that PD keeps paused is detected and repaired", "tikv", returning, nextRolloutMove);
