import * as assert from "node:assert/strict";
import type {
    ObservedPeer,
    ObservedRegion,
    PlacementRule,
} from "../../../../../provider/lifecycle/vocabulary/observation";
import { keepsMajority } from "../../../../../provider/lifecycle/stages/regionVoters";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { decisionTable, type Row } from "../../../../support/lifecycle/decisionTable";
import { type Deviation, evicting, now } from "../../../../support/lifecycle/observations";

const peer = (storeId: number, more: Partial<ObservedPeer> = {}): ObservedPeer => ({
    ...{ storeId, role: "voter", isBehind: false },
    ...more,
});
const region = (id: number, ...peers: ObservedPeer[]): ObservedRegion => ({ id, peers });
const behind = { isBehind: true };

describe("a region keeps its majority without a store", () => {
    const cases: [string, ObservedRegion, boolean][] = [
        ["three voters", region(1, peer(13), peer(10), peer(11)), true],
        ["a voter of three is behind", region(1, peer(13), peer(10), peer(11, behind)), false],
        ["the store's own voter is the one that is behind", region(1, peer(13, behind), peer(10), peer(11)), true],
        ["a voter of three is missing", region(1, peer(13), peer(10)), false],
        ["a voter of five is behind", region(1, peer(13), peer(9), peer(10), peer(11), peer(12, behind)), true],
        [
            "a learner of TiFlash is behind",
            region(1, peer(13), peer(10), peer(11), peer(20, { role: "learner", ...behind })),
            true,
        ],
        [
            "a learner does not take a voter's place",
            region(1, peer(13), peer(10), peer(20, { role: "learner" })),
            false,
        ],
        [
            "members change: both configurations keep theirs",
            region(1, peer(13), peer(10), peer(11, { role: "demoting" }), peer(12, { role: "incoming" })),
            true,
        ],
        [
            "members change: the new configuration would lose its majority",
            region(1, peer(13), peer(10), peer(11, { role: "demoting" }), peer(12, { role: "incoming", ...behind })),
            false,
        ],
        [
            "members change: the old configuration would lose its majority",
            region(1, peer(13), peer(10), peer(11, { role: "demoting", ...behind }), peer(12, { role: "incoming" })),
            false,
        ],
    ];
    for (const [name, one, keeps] of cases) {
        it(`${name}: ${keeps ? "yes" : "no"}`, () => assert.equal(keepsMajority(one, 13), keeps));
    }
});

const voters = (group: string, id: string, count: number, startKey: string, endKey: string): PlacementRule => ({
    ...{ group, id, role: "voter", count, constraints: [], startKey, endKey },
});
const gone: Deviation = { stores: { 3: { leaderCount: { reported: 0 } } }, ownLeaders: { 3: 0 } };
const rows: Row[] = [
    [
        "PD's gauge is queried before leaders move",
        { stale: [3], unknown: [], regions: null },
        "wait majorities-stay basic-tikv-3",
    ],
    [
        "its zeros come from a PD that was elected a moment ago: a region may be one peer short",
        { stale: [3], leadership: { heldFor: 69_000 } },
        "wait majorities-stay basic-tikv-3",
    ],
    ["and count after 70 s", { stale: [3], leadership: { heldFor: 70_000 } }, "begin-eviction 13"],
    [
        "TiKV reports every two minutes: they count after 130 s",
        { stale: [3], leadership: { heldFor: 129_000 }, heartbeats: { region: 120_000, store: 10_000 } },
        "wait majorities-stay basic-tikv-3",
    ],
    ["something is short: the regions are listed", { stale: [3], regions: { missPeer: 1 } }, "look regions:short"],
    ["a peer is down: likewise", { stale: [3], regions: { downPeer: 1 } }, "look regions:short"],
    ["a peer is pending: likewise", { stale: [3], regions: { pendingPeer: 1 } }, "look regions:short"],
    [
        "a region would lose its majority",
        { stale: [3], regions: { missPeer: 1 }, shortRegions: [region(7, peer(13), peer(10))] },
        "wait majorities-stay basic-tikv-3",
    ],
    [
        "a TiFlash replica is being built: learners do not vote, and the roll goes on",
        {
            stale: [3],
            regions: { pendingPeer: 1 },
            shortRegions: [region(7, peer(13), peer(10), peer(11), peer(20, { role: "learner", ...behind }))],
        },
        "begin-eviction 13",
    ],
    [
        "a region that is one voter short has none on this store",
        { stale: [3], regions: { missPeer: 1 }, shortRegions: [region(7, peer(11), peer(10))] },
        "begin-eviction 13",
    ],
    [
        "max-replicas was raised, and every region misses a peer: those of this store are listed",
        { stale: [3], regions: { missPeer: 900_000 }, stores: { 3: { regionCount: 20_000 } } },
        "look regions:ofStore:13",
    ],
    [
        "too many to list",
        { stale: [3], regions: { missPeer: 900_000 }, stores: { 3: { regionCount: 20_001 } } },
        "wait majorities-stay basic-tikv-3",
    ],
    [
        "leaders are on the move: only the restart needs it",
        { stale: [3], evicted: [13], records: evicting(3), ownLeaders: { 3: 9 }, regions: { missPeer: 1 } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "a peer fell behind during the eviction",
        {
            stale: [3],
            evicted: [13],
            records: evicting(3),
            ...gone,
            regions: { pendingPeer: 2 },
            shortRegions: [region(7, peer(13), peer(10), peer(11, behind))],
        },
        "wait majorities-stay basic-tikv-3",
    ],
    [
        "PD keeps two voters: no restart leaves a majority, and the preview says so",
        { stale: [3], maxReplicas: 2, rules: [], regions: { missPeer: 0 } },
        "begin-eviction 13",
    ],
    [
        "PD keeps two voters, and one of them is down: nothing would be left",
        {
            stale: [3],
            maxReplicas: 2,
            rules: [],
            regions: { downPeer: 1 },
            shortRegions: [region(7, peer(13), peer(10, behind))],
        },
        "wait majorities-stay basic-tikv-3",
    ],
    [
        "one table has two voters: a region of another one that has lost a peer keeps what it has",
        {
            stale: [3],
            rules: [voters("pd", "default", 3, "", ""), voters("TiDB_DDL_71", "table_rule_71_0", 2, "7480", "7481")],
            regions: { missPeer: 1 },
            shortRegions: [region(7, peer(13), peer(12))],
        },
        "wait majorities-stay basic-tikv-3",
    ],
    [
        "a group of rules adds one voter for a table: leaders can still move elsewhere",
        {
            stale: [3],
            rules: [voters("pd", "default", 3, "", ""), voters("follower-read", "one", 1, "7480", "7481")],
        },
        "begin-eviction 13",
    ],
    [
        "PD keeps one replica: leaders cannot move elsewhere, and it fails at once",
        { stale: [3], maxReplicas: 1, rules: [] },
        "fail leaders-can-move basic-tikv-3",
    ],
    [
        "PD keeps one replica, and the user has set a deadline",
        { stale: [3], maxReplicas: 1, rules: [], policy: { afterEvictLeaderTimeout: "restart" } },
        "begin-eviction 13",
    ],
    ["how many it keeps is not known", { stale: [3], unknown: ["placement"] }, "wait leaders-can-move basic-tikv-3"],
    ["the only store", { replicas: 1, stale: [0], regions: null, leadership: { since: now } }, "restart basic-tikv-0"],
];
decisionTable("no region with a voter on the store loses its majority", "tikv", rows, nextRolloutMove);
