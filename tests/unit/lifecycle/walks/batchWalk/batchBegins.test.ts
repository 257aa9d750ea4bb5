import type { PlacementRule } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { decisionTable, type Row, waited } from "../../../../support/lifecycle/decisionTable";
import { few, regionOn, zoned } from "../../../../support/lifecycle/zones";

const begins = "begin-batch basic-tikv-5 basic-tikv-2";
/** Stores restart one by one: the first one's leaders begin to leave. */
const alone = "begin-eviction 15";
const rule = (more: Partial<PlacementRule>): PlacementRule => ({
    ...{ group: "pd", id: "default", role: "voter", count: 3, constraints: [], startKey: "", endKey: "" },
    ...more,
});
const tiflash = rule({
    ...{ group: "tiflash", id: "table-7-r", role: "learner", count: 2, startKey: "74", endKey: "75" },
    constraints: [{ key: "engine", op: "in", values: ["tiflash"] }],
});

const byGauge: Row[] = [
    ["every region is isolated by zone, and none lacks anything", zoned(), begins],
    ["nobody asked for it", zoned({ policy: { parallelism: undefined } }), alone],
    ["one at a time is asked for", zoned({ policy: { parallelism: 1 } }), alone],
    [
        "two regions have two voters in one zone, on different hosts",
        zoned({ regions: { isolation: { zone: 5998, host: 2 } } }),
        alone,
    ],
    ["a region has two voters on one host", zoned({ regions: { isolation: { zone: 5999, none: 1 } } }), alone],
    [
        "a level that PD has counted to 0 is none",
        zoned({ regions: { isolation: { zone: 6000, host: 0, none: 0 } } }),
        begins,
    ],
    [
        "PD has not said it since its election: it is asked again",
        zoned({ regions: { isolation: undefined } }),
        "wait batch-decided basic-tikv-5",
    ],
    [
        "PD has not said how long it takes to look at all regions: likewise",
        zoned({ regions: { patrolSeconds: undefined } }),
        "wait batch-decided basic-tikv-5",
    ],
    [
        "the zone has more peers than there are regions, so some have two there: likewise",
        zoned({ stores: { 5: { regionCount: 3001 } } }),
        "wait batch-decided basic-tikv-5",
    ],
    [
        "PD takes too long to look at all regions: what it counts is old",
        zoned({ regions: { patrolSeconds: 61 } }),
        alone,
    ],
    [
        "PD counts fewer regions than it knows: likewise",
        zoned({ regions: { isolation: { zone: 5999 } } }),
        "wait batch-decided basic-tikv-5",
    ],
    [
        "PD counts more regions than it knows: likewise",
        zoned({ regions: { isolation: { zone: 6001 } } }),
        "wait batch-decided basic-tikv-5",
    ],
    [
        "PD was elected a moment ago: its counts of regions are waited for first",
        zoned({ leadership: { heldFor: 69_000 } }),
        "wait majorities-stay basic-tikv-5",
    ],
    [
        "PD has no location labels: labels of stores prove nothing",
        zoned({ locationLabels: [], regions: { isolation: { none: 6000 } } }),
        alone,
    ],
    [
        "PD's location labels have no zone",
        zoned({ locationLabels: ["rack", "host"], regions: { isolation: { host: 6000 } } }),
        alone,
    ],
    ["the store lacks its zone: it may be anywhere", zoned({ stores: { 5: { labels: { host: "h5" } } } }), alone],
    ["the other store of the zone lacks its zone", zoned({ stores: { 2: { labels: { host: "h2" } } } }), alone],
    [
        "zones of the same name in two regions are two zones",
        zoned({
            locationLabels: ["region", "zone", "host"],
            stores: {
                5: { labels: { region: "x", zone: "c", host: "h5" } },
                2: { labels: { region: "y", zone: "c", host: "h2" } },
            },
        }),
        alone,
    ],
    ["PD keeps two voters: any of them is the majority", zoned({ maxReplicas: 2, rules: [] }), alone],
    [
        "PD keeps five voters in three zones: no region is isolated",
        zoned({ maxReplicas: 5, rules: [], regions: { isolation: { none: 6000 } } }),
        alone,
    ],
    ["PD's default rule says so, and TiFlash's rules only learn", zoned({ rules: [rule({}), tiflash] }), begins],
    ["PD's default rule keeps two voters", zoned({ rules: [rule({ count: 2 }), tiflash] }), alone],
    [
        "a placement policy of a table",
        zoned({ rules: [rule({}), rule({ group: "TiDB_DDL_71", id: "table_rule_71_0" })] }),
        alone,
    ],
    [
        "the default rule has constraints",
        zoned({ rules: [rule({ constraints: [{ key: "disk", op: "in", values: ["ssd"] }] })] }),
        alone,
    ],
    ["the default rule is for some keys", zoned({ rules: [rule({ endKey: "75" })] }), alone],
    ["a follower elsewhere", zoned({ rules: [rule({}), rule({ id: "far", role: "follower" })] }), alone],
    ["a learner on TiKV", zoned({ rules: [rule({}), rule({ id: "learner", role: "learner" })] }), alone],
    ["a voter on TiFlash, which cannot be", zoned({ rules: [rule({}), { ...tiflash, role: "voter" }] }), alone],
    ["the others of its zone run the new revision", zoned({ stale: [5, 4, 3] }), alone],
    [
        "the other store of the zone is about to leave its node: it goes alone",
        zoned({
            pods: {
                2: {
                    drain: {
                        known: true,
                        value: { isDrained: true, isReady: true, node: "n2", why: "is cordoned" },
                        from: "",
                        at: 0,
                    },
                },
            },
        }),
        alone,
    ],
];
decisionTable("a batch of a zone begins if PD's gauge proves it", "tikv", byGauge, nextRolloutMove);

const short = (...regions: ReturnType<typeof regionOn>[]) => ({ regions: { pendingPeer: 2 }, shortRegions: regions });
decisionTable(
    "what regions lack is judged one by one",
    "tikv",
    [
        ["they are listed", zoned({ regions: { pendingPeer: 2 } }), "look regions:short"],
        [
            "a region lacks a voter elsewhere, and would lose another one",
            zoned(short(regionOn(1, 5, 1, [0, { isBehind: true }]))),
            "wait majorities-stay basic-tikv-5",
        ],
        [
            "a region would lose another one with the store that restarts beside it, until the voter that is behind has caught up",
            zoned(short(regionOn(1, 2, 1, [0, { isBehind: true }]))),
            "wait batch-decided basic-tikv-5",
        ],
        ["only a voter in the batch is behind", zoned(short(regionOn(1, [2, { isBehind: true }], 1, 0))), begins],
        [
            "a region that lacks a voter has none in the batch",
            zoned(short(regionOn(1, 3, 1, [0, { isBehind: true }]))),
            begins,
        ],
        ["a learner is behind", zoned(short(regionOn(1, 5, 1, 0, [7, { isBehind: true, role: "learner" }]))), begins],
        [
            "a region is about to have two voters in the zone: in its new configuration it would lose its majority",
            zoned(short(regionOn(1, 5, 1, [0, { role: "demoting" }], [2, { role: "incoming" }]))),
            alone,
        ],
        [
            "too many lack something",
            zoned({ regions: { missPeer: 2001 }, regionsOf: { stores: [15], regions: [] } }),
            alone,
        ],
    ],
    nextRolloutMove,
);

const two: Row[] = [
    ["up to that many of one place", zoned({ policy: { parallelism: 2 } }), begins],
    ["of the place that isolates: two zones are never in one batch", zoned({ policy: { parallelism: 4 } }), begins],
    [
        "regions are isolated by host: stores of one host restart side by side",
        zoned({
            policy: { parallelism: 4 },
            regions: { isolation: { host: 10, zone: 5990 } },
            stores: { 2: { labels: { zone: "c", host: "h5" } } },
        }),
        begins,
    ],
    [
        "stores of one zone on two hosts do not, then",
        zoned({ policy: { parallelism: 4 }, regions: { isolation: { host: 10, zone: 5990 } } }),
        alone,
    ],
];
decisionTable("a batch of a number begins", "tikv", two, nextRolloutMove);

const three = [regionOn(1, 5, 4, 0), regionOn(2, 2, 1, 3), regionOn(3, 3, 1, 5)];
const scanned = (regions = three, more = {}) =>
    few({ regionsOf: { stores: [15, 14, 13, 12, 11, 10], regions }, policy: { parallelism: 6 }, ...more });
decisionTable(
    "with few regions, those of the stores are listed, and prove what the gauge does not",
    "tikv",
    [
        ["they are asked for, by zone", few(), "look regions:ofStores:[15,12]"],
        [
            "all stores that must restart are, for a number",
            few({ policy: { parallelism: 6 } }),
            "look regions:ofStores:[15,14,13,12,11,10]",
        ],
        ["each store that leaves every region its majority joins", scanned(), "begin-batch basic-tikv-5 basic-tikv-2"],
        [
            "up to the number",
            scanned([regionOn(1, 5, 4, 0)], { policy: { parallelism: 3 } }),
            "begin-batch basic-tikv-5 basic-tikv-3 basic-tikv-2",
        ],
        ["no other store does", scanned([regionOn(1, 5, 4, 0), regionOn(2, 5, 3, 1), regionOn(3, 5, 2, 1)]), alone],
        [
            "a region that lacks a voter counts it as lost",
            scanned([regionOn(1, 2, 1, [0, { isBehind: true }]), regionOn(2, 5, 4, 3)]),
            "begin-batch basic-tikv-5 basic-tikv-0",
        ],
        [
            "a voter on a store that PD does not list is lost",
            scanned([regionOn(1, 2, 1, 9), regionOn(2, 5, 4, 3), regionOn(3, 5, 0, 1)]),
            alone,
        ],
        [
            "regions of two voters never keep their majority",
            scanned([regionOn(1, 5, 4), regionOn(2, 3, 2), regionOn(3, 1, 0)]),
            alone,
        ],
        [
            "PD moves a voter to a store that would be down beside another one: the end of that is waited for",
            scanned([regionOn(1, 5, 4, 0, [2, { role: "learner" }]), regionOn(2, 5, 3, 1)]),
            "wait batch-decided basic-tikv-5",
        ],
        [
            "a voter of the batch before has not caught up: that is waited for, and the rest does not restart one by one",
            scanned([
                regionOn(1, 5, 4, 0),
                regionOn(2, 2, [1, { isBehind: true }], 3),
                regionOn(3, 5, [4, { isBehind: true }], 3),
            ]),
            "wait batch-decided basic-tikv-5",
        ],
        [
            "a list that lacks regions of a store says nothing: it is asked for again",
            scanned(three, { stores: { 5: { regionCount: 3 } } }),
            "wait batch-decided basic-tikv-5",
        ],
        [
            "what other placement rules keep is in the list, too",
            scanned(three, { rules: [rule({}), rule({ group: "TiDB_DDL_71", id: "table_rule_71_0", count: 5 })] }),
            "begin-batch basic-tikv-5 basic-tikv-2",
        ],
        [
            "a placement rule says who may lead: the batch may have all of them (PRIMARY_REGION of TiDB)",
            scanned(three, {
                rules: [rule({ count: 2 }), rule({ group: "TiDB", id: "f", role: "follower", count: 1 })],
            }),
            alone,
        ],
        [
            "likewise a rule for leaders alone",
            scanned(three, { rules: [rule({ role: "leader", count: 1 }), rule({ id: "v", count: 2 })] }),
            alone,
        ],
        [
            "a region has a witness, which never leads",
            scanned([...three, regionOn(4, 2, 1, [0, { isWitness: true }])], { policy: { parallelism: 2 } }),
            alone,
        ],
        [
            "2,000 regions are few",
            few({ stores: { 5: { leaderCount: { reported: 1500 } } }, regions: { isolation: { none: 2000 } } }),
            "look regions:ofStores:[15,12]",
        ],
        [
            "2,001 are not",
            few({ stores: { 5: { leaderCount: { reported: 1501 } } }, regions: { isolation: { none: 2001 } } }),
            alone,
        ],
    ],
    nextRolloutMove,
);

decisionTable(
    "a batch does not begin",
    "tikv",
    [
        [
            "for longer than some of PD's counts it is not waited for",
            zoned({ regions: { isolation: undefined } }),
            alone,
            waited("batch-decided", "basic-tikv-5", 20),
        ],
        [
            "where a region would lose another voter, and the one that is behind does not catch up",
            zoned(short(regionOn(1, 2, 1, [0, { isBehind: true }]))),
            alone,
            waited("batch-decided", "basic-tikv-5", 20),
        ],
        [
            "while a restarted pod is not Ready",
            zoned({ stale: [0, 2, 3, 4, 5], pods: { 1: { ready: false } } }),
            "wait pod-available basic-tikv-1",
        ],
        [
            "while another store is down",
            zoned({ stores: { 1: { state: "Down" } } }),
            "wait other-stores-up basic-tikv-5",
        ],
        ["while somebody else evicts a store", zoned({ evicted: [11] }), "wait no-foreign-eviction basic-tikv-5"],
    ],
    nextRolloutMove,
);
