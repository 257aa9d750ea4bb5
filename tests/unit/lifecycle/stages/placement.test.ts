import * as assert from "node:assert/strict";
import type { ObservedPlacement, PlacementRule } from "../../../../provider/lifecycle/vocabulary/observation";
import { fewestVoters, mostVoters, tiflashRules, tooFewFor } from "../../../../provider/lifecycle/stages/placement";
import { storeOf } from "../../../support/lifecycle/observations";

type Constraint = PlacementRule["constraints"][number];
const rule = (count: number, more: Partial<PlacementRule> = {}): PlacementRule => ({
    ...{ group: "pd", id: "default", role: "voter", count, constraints: [], startKey: "", endKey: "" },
    ...more,
});
const where = (key: string, op: Constraint["op"], ...values: string[]): Constraint => ({ key, op, values });
const ofTable = { group: "TiDB_DDL_71", id: "table_rule_71_0", startKey: "7480", endKey: "7481" };
const onTiflash = { ...ofTable, group: "tiflash", role: "learner", constraints: [where("engine", "in", "tiflash")] };
const tiflash = (count: number): PlacementRule => rule(count, onTiflash as Partial<PlacementRule>);
const placement = (...rules: PlacementRule[]): ObservedPlacement => ({ maxReplicas: 3, rules });

describe("rules for TiFlash", () => {
    const isFor = (...constraints: Constraint[]) => tiflashRules(placement(rule(1, { constraints }))).length === 1;
    it("are those that name its engine, possibly among other labels", () => {
        assert.ok(isFor(where("engine", "in", "tiflash")));
        assert.ok(isFor(where("zone", "in", "a"), where("engine", "in", "tiflash")));
    });
    it("are not those that exclude it, name another engine, or have that value in another label", () => {
        assert.ok(!isFor());
        assert.ok(!isFor(where("engine", "notIn", "tiflash")));
        assert.ok(!isFor(where("engine", "in", "tikv")));
        assert.ok(!isFor(where("disk", "in", "tiflash")));
    });
    it("are none if placement rules are disabled", () => assert.deepEqual(tiflashRules({ maxReplicas: 3 }), []));
});

/** Placement, the highest number of voters that a region can require, and the lowest number that any region requires. */
const voters: [name: string, placement: ObservedPlacement, most: number, fewest: number][] = [
    ["rules are off: max-replicas counts", { maxReplicas: 5 }, 5, 5],
    ["rules are on, and none is for TiKV: max-replicas counts", placement(tiflash(2)), 3, 3],
    ["PD's default rule", { ...placement(rule(5)), maxReplicas: 9 }, 5, 5],
    ["learners do not vote", placement(rule(3), rule(2, { id: "more", role: "learner" })), 3, 3],
    ["leaders and followers do", placement(rule(1, { role: "leader" }), rule(2, { id: "f", role: "follower" })), 3, 3],
    ["groups for all keys add up", placement(rule(3), rule(2, { group: "other" })), 5, 5],
    ["a table with fewer: its regions have those alone", placement(rule(3), rule(1, ofTable)), 4, 1],
    ["a table with more", placement(rule(3), rule(5, ofTable)), 8, 3],
    [
        "two rules of one table add up, those of two tables do not",
        placement(rule(5), rule(1, ofTable), rule(1, { ...ofTable, id: "b" }), rule(3, { ...ofTable, startKey: "73" })),
        10,
        2,
    ],
    [
        "two groups for two ranges are separate, whatever their names",
        placement(
            rule(1, { ...ofTable, group: "t", startKey: "aa" }),
            rule(1, { ...ofTable, group: "ta", startKey: "a" }),
        ),
        2,
        1,
    ],
    ["a range that is open below", placement(rule(3), rule(1, { ...ofTable, startKey: "" })), 4, 1],
    ["a range that is open above", placement(rule(3), rule(1, { ...ofTable, endKey: "" })), 4, 1],
    [
        "learners of a table are no region without voters",
        placement(rule(3), rule(1, { ...ofTable, role: "learner" })),
        3,
        3,
    ],
];

describe("how many voters regions have", () => {
    for (const [name, from, most, fewest] of voters) {
        it(`${name}: ${fewest} to ${most}`, () => {
            assert.equal(mostVoters(from), most);
            assert.equal(fewestVoters(from), fewest);
        });
    }
});

const stores = ["a", "a", "b"].map((zone, ordinal) => storeOf(ordinal, { labels: { zone } }));
const needs = (count: number, constraint: Constraint) =>
    placement(rule(count, { id: "zoned", constraints: [constraint] }));
const unmet = (count: number, have: number) =>
    `the placement rule pd/zoned needs ${count} ${count === 1 ? "store" : "stores"} with matching labels, and ${have} of them ${have === 1 ? "matches" : "match"}`;

const isolated = (count: number, ...isolationLabels: string[]) => placement(rule(count, { isolationLabels }));
const crowded = (count: number, by: string, places: number) =>
    `the placement rule pd/default needs ${count} places told apart by ${by} (isolation-level), and they are in ${places}`;

/** Three stores, in zones a, a and b. */
const few: [name: string, placement: ObservedPlacement, why: string | undefined][] = [
    ["as many as max-replicas", { maxReplicas: 3 }, undefined],
    ["fewer", { maxReplicas: 4 }, "PD keeps 4 replicas of each region (replication.max-replicas)"],
    ["no rule is on", { maxReplicas: 4, rules: [] }, "PD keeps 4 replicas of each region (replication.max-replicas)"],
    ["PD's default rule", placement(rule(4)), "PD keeps 4 replicas of each region (replication.max-replicas)"],
    [
        "another rule of PD's",
        placement(rule(4, { id: "zoned" })),
        "PD keeps 4 replicas of each region (placement rule pd/zoned)",
    ],
    [
        "another group's default",
        placement(rule(4, { group: "mine" })),
        "PD keeps 4 replicas of each region (placement rule mine/default)",
    ],
    [
        "a table's rule alone is too much",
        placement(rule(3), rule(5, ofTable)),
        "PD keeps 5 replicas of each region (placement rule TiDB_DDL_71/table_rule_71_0)",
    ],
    ["a table's rule comes in place of the default", placement(rule(2), rule(2, ofTable)), undefined],
    [
        "rules of one table add up, including learners: each replica needs a separate store",
        placement(rule(3), rule(2, ofTable), rule(2, { ...ofTable, id: "more", role: "learner" })),
        "PD keeps 4 replicas of each region (placement rule TiDB_DDL_71/table_rule_71_0)",
    ],
    ["copies on TiFlash need no store of TiKV", placement(rule(3), tiflash(9)), undefined],
    ["in: enough in the zone", needs(2, where("zone", "in", "a")), undefined],
    ["in: too few in the zone", needs(3, where("zone", "in", "a")), unmet(3, 2)],
    ["in: any of the zones", needs(3, where("zone", "in", "b", "a")), undefined],
    ["in: a label that no store has", needs(1, where("disk", "in", "ssd")), unmet(1, 0)],
    ["notIn: enough elsewhere", needs(2, where("zone", "notIn", "b")), undefined],
    ["notIn: too few elsewhere", needs(2, where("zone", "notIn", "a")), unmet(2, 1)],
    ["notIn: a label that no store has", needs(3, where("disk", "notIn", "ssd")), undefined],
    ["exists", needs(3, where("zone", "exists")), undefined],
    ["exists: a label that no store has", needs(1, where("disk", "exists")), unmet(1, 0)],
    ["notExists", needs(3, where("disk", "notExists")), undefined],
    ["notExists: a label that all stores have", needs(1, where("zone", "notExists")), unmet(1, 0)],
    [
        "all constraints of a rule hold together",
        placement(rule(1, { id: "zoned", constraints: [where("zone", "in", "a"), where("zone", "in", "b")] })),
        unmet(1, 0),
    ],
];

/** Where stores of other labels are left: `also` besides the three. */
const labelled = (...labels: Record<string, string>[]) => labels.map((one, at) => storeOf(at + 5, { labels: one }));
const onlySome: [
    name: string,
    placement: ObservedPlacement,
    also: Record<string, string>[],
    why: string | undefined,
][] = [
    [
        "stores that are dedicated to others",
        placement(rule(4)),
        [{ $dedicated: "b" }, { $dedicated: "c" }],
        "the placement rule pd/default needs 4 stores with matching labels, and 3 of them match (kept off others by the label $dedicated)",
    ],
    [
        "the older name of such a label, even without a value",
        placement(rule(4)),
        [{ exclusive: "" }],
        "the placement rule pd/default needs 4 stores with matching labels, and 3 of them match (kept off others by the label exclusive)",
    ],
    [
        "a store that names its engine",
        placement(rule(4)),
        [{ engine: "tikv" }],
        "the placement rule pd/default needs 4 stores with matching labels, and 3 of them match (kept off others by the label engine)",
    ],
    ["a label that only begins like one", placement(rule(4)), [{ exclusively: "b" }], undefined],
    [
        "the rule names the label",
        placement(rule(4, { constraints: [where("engine", "notIn", "tiflash")] })),
        [{ engine: "tikv" }],
        undefined,
    ],
    [
        "the rule names it in other letters: PD compares exactly",
        placement(rule(4, { constraints: [where("$Dedicated", "exists")] })),
        [{ $dedicated: "b" }],
        "the placement rule pd/default needs 4 stores with matching labels, and 0 of them match (kept off others by the label $dedicated)",
    ],
    [
        "none of the rules has too few, but all of them together have",
        placement(rule(2, { id: "leads", role: "leader" }), rule(2, { id: "follows", role: "follower" })),
        [{ $dedicated: "b" }],
        "PD keeps 4 replicas of each region (placement rule pd/leads), and the labels of 3 of them match",
    ],
    ["placement rules are off: exclusive labels do not count", { maxReplicas: 4 }, [{ $dedicated: "b" }], undefined],
    [
        "a store for hot regions alone",
        { maxReplicas: 4 },
        [{ specialUse: "hotRegion" }],
        "PD needs 4 stores with matching labels, and 3 of them match (kept off others by the label specialUse)",
    ],
    [
        "a reserved store, even if the rule names that",
        placement(rule(1, { constraints: [where("specialUse", "exists")] })),
        [{ specialUse: "reserved" }],
        "the placement rule pd/default needs 1 store with matching labels, and 0 of them match (kept off others by the label specialUse)",
    ],
    ["a special use that PD does not know", { maxReplicas: 4 }, [{ specialUse: "tests" }], undefined],
    ["the name of a label in other letters", needs(4, where("zone", "exists")), [{ Zone: "c" }], undefined],
    ["a label without a value is none", needs(4, where("zone", "exists")), [{ zone: "" }], unmet(4, 3)],
    ["a label without a value is none: notIn", needs(1, where("zone", "notIn", "a", "b")), [{ zone: "" }], undefined],
    ["isolation: a place for each replica", isolated(3, "zone"), [{ zone: "c" }], undefined],
    ["isolation: a zone has two of them", isolated(3, "zone"), [{ zone: "b" }], crowded(3, "zone", 2)],
    ["isolation: stores without the label are in one place", isolated(3, "zone"), [{}, { zone: "" }], undefined],
    [
        "isolation: which is one only, and the next step is to give them their labels",
        isolated(4, "zone"),
        [{}, { zone: "" }],
        `${crowded(4, "zone", 3)}; 2 of them have no such label in PD: an update that removes no store sets those of the nodes`,
    ],
    [
        "isolation: hosts of one name are in two zones",
        isolated(4, "zone", "host"),
        [
            { zone: "a", host: "1" },
            { zone: "b", host: "1" },
        ],
        undefined,
    ],
    [
        "isolation: a single replica moves only to another zone than that of the store that leaves",
        placement(rule(1, { constraints: [where("zone", "in", "a")], isolationLabels: ["zone"] })),
        [],
        crowded(2, "zone", 1),
    ],
    [
        "isolation: a store that the rule cannot use is no place",
        isolated(3, "zone"),
        [{ zone: "c", $dedicated: "b" }],
        crowded(3, "zone", 2),
    ],
    [
        "isolation without placement rules",
        { maxReplicas: 3, isolationLabels: ["zone"] },
        [],
        "PD needs 3 places told apart by zone (isolation-level), and they are in 2",
    ],
    [
        "isolation of rules counts, not that of `replication`",
        { ...placement(rule(3)), isolationLabels: ["zone"] },
        [],
        undefined,
    ],
];

describe("three stores are left, in zones a, a and b, and others: those do not count on which PD places nothing", () => {
    for (const [name, from, also, why] of onlySome) {
        it(`${name}: ${why ?? "enough"}`, () => assert.equal(tooFewFor(from, [...stores, ...labelled(...also)]), why));
    }
});

describe("three stores are left, in zones a, a and b: none is removed if too few would be left", () => {
    for (const [name, from, why] of few) {
        it(`${name}: ${why ?? "enough"}`, () => assert.equal(tooFewFor(from, stores), why));
    }
});
