import * as assert from "node:assert/strict";
import { known } from "../../../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPeer, ObservedRegion } from "../../../../../provider/lifecycle/vocabulary/observation";
import {
    majoritiesStay,
    majoritiesStayBeforeEviction,
} from "../../../../../provider/lifecycle/stages/regionMajorities";
import { keepsMajority } from "../../../../../provider/lifecycle/stages/regionVoters";
import { viewOf } from "../../../../../provider/lifecycle/vocabulary/stage";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { podView, type StageRow, stageTable } from "../../../../support/lifecycle/inWords";
import { type Deviation, observed } from "../../../../support/lifecycle/observations";

const peer = (storeId: number, more: Partial<ObservedPeer> = {}): ObservedPeer => ({
    ...{ storeId, role: "voter", isBehind: false },
    ...more,
});
const region = (id: number, ...peers: ObservedPeer[]): ObservedRegion => ({ id, peers });
const [behind, learner] = [{ isBehind: true }, { role: "learner" } as const];

describe("a region whose peers change keeps its majority in both configurations", () => {
    const cases: [name: string, region: ObservedRegion, keeps: boolean][] = [
        [
            "one comes: three would be a majority of four, and one of the two that stay is behind",
            region(1, peer(13), peer(10), peer(11, behind), peer(12, { role: "incoming" })),
            false,
        ],
        [
            "one comes, is behind, and four with one down have three others: two are too few",
            region(1, peer(13), peer(10), peer(11), peer(12, { role: "incoming", ...behind })),
            false,
        ],
        [
            "one is added, and all others are healthy",
            region(1, peer(13), peer(10), peer(11), peer(12, { role: "incoming" })),
            true,
        ],
        [
            "one is removed, and all others are healthy",
            region(1, peer(13), peer(10), peer(11), peer(12, { role: "demoting" })),
            true,
        ],
        [
            "one is removed and lags behind: the old four would keep two",
            region(1, peer(13), peer(10), peer(11), peer(12, { role: "demoting", ...behind })),
            false,
        ],
        [
            "the store's own voter is removed: its replacement counts",
            region(1, peer(13, { role: "demoting" }), peer(10), peer(11), peer(12, { role: "incoming" })),
            true,
        ],
    ];
    for (const [name, one, keeps] of cases) {
        it(`${name}: ${keeps ? "yes" : "no"}`, () => assert.equal(keepsMajority(one, 13), keeps));
    }
});

const short = { regions: { missPeer: 1 } };
const listed = (...shortRegions: ObservedRegion[]): Deviation => ({ ...short, shortRegions });
const lost = (count: number, id: number) => ({
    lacks: `${count === 1 ? `region ${id} would lose its` : `${count} regions, including ${id}, would lose their`} majority without store 13 (1 region is missing a peer)`,
    left: count,
});
const twoVoters = { maxReplicas: 2, rules: [] };
const rows: StageRow[] = [
    ["nothing is short of anything", {}, true],
    ["nothing runs in the pod: its restart takes nothing down", { pods: { 3: notReady }, regions: null }, true],
    [
        "PD did not report how many replicas it keeps",
        { unknown: ["placement"] },
        "the number of replicas that PD keeps is not known: PD did not answer",
    ],
    ["the number of replicas was not queried", { notAsked: ["placement"] }, { look: { parts: ["placement"] } }],
    [
        "PD's gauge has no lines: that is not zero",
        { regions: null },
        "regions that lack a peer are not known: PD's gauge has no lines",
    ],
    ["PD's gauge was not queried", { notAsked: ["regionStatus"] }, { look: { parts: ["region-status"] } }],
    [
        "PD's leader is a minute old: its zeros do not count",
        { leadership: { heldFor: 60_000 } },
        "PD's counts of regions are not known: basic-pd-0 has led PD for 60 s, and its counts can be trusted only after 70 s",
    ],
    ["PD lists no store for the pod", { ...short, stores: { 3: undefined } }, "PD lists no store for basic-tikv-3"],
    [
        "PD does not list the regions",
        { ...short, unknown: ["shortRegions"] },
        "regions that lack a peer are not known: PD did not answer",
    ],
    ["the regions were not listed", short, { look: { regions: "short" } }],
    [
        "2,000 regions are listed one by one",
        { regions: { missPeer: 1_000, downPeer: 600, pendingPeer: 400 } },
        { look: { regions: "short" } },
    ],
    ["of more, only those of the store are", { regions: { missPeer: 2_001 } }, { look: { regions: { ofStore: 13 } } }],
    ["those that are down count", { regions: { downPeer: 2_001 } }, { look: { regions: { ofStore: 13 } } }],
    ["those that are pending count", { regions: { pendingPeer: 2_001 } }, { look: { regions: { ofStore: 13 } } }],
    [
        "too many to list: the count of each kind is reported",
        {
            regions: { missPeer: 2_001, downPeer: 5, pendingPeer: 7 },
            stores: { 3: { regionCount: 20_001 } },
        },
        {
            lacks: "2001 regions are missing a peer, 5 regions have a down peer, 7 regions have a pending peer: too many to check individually",
            left: 2_013,
        },
    ],
    [
        "and kinds without any region are left out",
        { regions: { pendingPeer: 2_001 }, stores: { 3: { regionCount: 20_001 } } },
        { lacks: "2001 regions have a pending peer: too many to check individually", left: 2_001 },
    ],
    ["a region would lose its majority", listed(region(7, peer(13), peer(10))), lost(1, 7)],
    [
        "two would, and one is healthy",
        listed(region(6, peer(13), peer(10), peer(11)), region(7, peer(13), peer(10)), region(8, peer(13), peer(9))),
        lost(2, 7),
    ],
    ["a region without a replica here, whatever it lacks", listed(region(7, peer(11), peer(10, behind))), true],
    ["a region with a learner here, whatever it lacks", listed(region(7, peer(13, learner), peer(10, behind))), true],
    [
        "PD keeps two voters, and both are healthy: that is as configured",
        { ...twoVoters, ...listed(region(7, peer(13), peer(10), peer(20, { ...learner, ...behind }))) },
        true,
    ],
    [
        "PD keeps two voters, and one is behind",
        { ...twoVoters, ...listed(region(7, peer(13), peer(10, behind))) },
        lost(1, 7),
    ],
    [
        "PD keeps two voters, and the region still has four, of which two are behind",
        { ...twoVoters, ...listed(region(7, peer(13), peer(10), peer(11, behind), peer(12, behind))) },
        lost(1, 7),
    ],
    [
        "PD keeps two voters, and one is being replaced: three vote until then",
        {
            ...twoVoters,
            ...listed(region(7, peer(13), peer(10, { role: "demoting" }), peer(11, { role: "incoming" }))),
        },
        lost(1, 7),
    ],
    ["PD keeps three voters, and the region has two", listed(region(7, peer(13), peer(10))), lost(1, 7)],
];
stageTable("the user reads which regions hold up a restart", majoritiesStay, "tikv", 3, rows);

describe("regions that were listed for another store", () => {
    const { observation, target } = observed("tikv", { regions: { missPeer: 2_001 } });
    const seen = (ofStore: number) => {
        const pd = { ...observation.pd, shortRegions: known({ regions: [], ofStore }, "PD", observation.now) };
        return majoritiesStay.holds(viewOf({ ...observation, pd }, target, 3));
    };
    it("are no evidence for this store: its own regions are listed", () =>
        assert.deepEqual(seen(12), { look: { regions: { ofStore: 13 } } }));
    it("are used if they belong to this store", () => assert.equal(seen(13), true));
});

describe("before leaders are moved away, majorities", () => {
    const short: Deviation = { regions: { missPeer: 1 }, shortRegions: [region(7, peer(13), peer(10))] };
    const found = (row: Deviation) => majoritiesStayBeforeEviction.holds(podView("tikv", 3, row));
    it("must stay", () => assert.deepEqual(found(short), lost(1, 7)));
    it("are not checked while the store is under eviction", () =>
        assert.equal(found({ ...short, evicted: [13] }), true));
    it("are checked while another store is under eviction, or the list is not known", () => {
        assert.deepEqual(found({ ...short, evicted: [12] }), lost(1, 7));
        assert.deepEqual(found({ ...short, unknown: ["evictedStores"] }), lost(1, 7));
        assert.deepEqual(found({ ...short, stores: { 3: undefined } }), {
            lacks: "PD lists no store for basic-tikv-3",
        });
    });
});
