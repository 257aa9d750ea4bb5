import * as assert from "node:assert/strict";
import { covers, lookCloser, type LookOptions, noLook } from "../../../../provider/lifecycle/vocabulary/look";
import type { Look } from "../../../../provider/lifecycle/vocabulary/look";

const look: LookOptions = { ...noLook, components: ["tikv"], pd: ["stores"] };

describe("a look extended by what a decision needs", () => {
    const cases: [name: string, from: LookOptions, at: Look, closer: LookOptions][] = [
        ["a part of PD", look, { parts: ["placement"] }, { ...look, pd: ["stores", "placement"] }],
        [
            "parts of which one is already requested: it is requested once",
            look,
            { parts: ["stores", "leadership"] },
            { ...look, pd: ["stores", "leadership"] },
        ],
        ["a store's own gauge", look, { ownLeadersOf: "basic-tikv-3" }, { ...look, ownLeadersOf: ["basic-tikv-3"] }],
        [
            "a second store's: the first one's is still requested",
            { ...look, ownLeadersOf: ["basic-tikv-3"] },
            { ownLeadersOf: "basic-tikv-2" },
            { ...look, ownLeadersOf: ["basic-tikv-3", "basic-tikv-2"] },
        ],
        [
            "those of several stores at once",
            { ...look, ownLeadersOf: ["basic-tikv-3"] },
            { ownLeadersOfAll: ["basic-tikv-3", "basic-tikv-2", "basic-tikv-1"] },
            { ...look, ownLeadersOf: ["basic-tikv-3", "basic-tikv-2", "basic-tikv-1"] },
        ],
        ["the zones and labels of nodes", look, { zones: true }, { ...look, zones: true }],
        ["regions that are short of something", look, { regions: "short" }, { ...look, regions: "short" }],
        [
            "the regions of a store in place of those",
            { ...look, regions: "short" },
            { regions: { ofStore: 13 } },
            { ...look, regions: { ofStore: 13 } },
        ],
        [
            "another store's",
            { ...look, regions: { ofStore: 12 } },
            { regions: { ofStore: 13 } },
            { ...look, regions: { ofStore: 13 } },
        ],
    ];
    for (const [name, from, at, closer] of cases) {
        it(`has ${name}`, () => assert.deepEqual(lookCloser(from, at), closer));
    }

    const twice: [string, LookOptions, Look, string][] = [
        ["parts", look, { parts: ["stores"] }, '{"parts":["stores"]}'],
        [
            "a store's own gauge",
            { ...look, ownLeadersOf: ["basic-tikv-3"] },
            { ownLeadersOf: "basic-tikv-3" },
            '{"ownLeadersOf":"basic-tikv-3"}',
        ],
        ["regions", { ...look, regions: "short" }, { regions: "short" }, '{"regions":"short"}'],
        [
            "regions of a store",
            { ...look, regions: { ofStore: 13 } },
            { regions: { ofStore: 13 } },
            '{"regions":{"ofStore":13}}',
        ],
    ];
    for (const [name, from, at, asked] of twice) {
        it(`fails if ${name} were read already: it would loop forever`, () =>
            assert.throws(() => lookCloser(from, at), {
                message: `${asked} was requested but is missing from the observation: this is a bug in pulumi-tidb`,
            }));
    }
});

describe("an observation that has all that others need", () => {
    const closer: LookOptions = {
        ...look,
        pd: ["stores", "placement"],
        ownLeadersOf: ["basic-tikv-3"],
        regions: { ofStore: 13 },
    };

    it("has the same or more parts of PD, stores' own gauges and regions", () => {
        assert.ok(covers(look, look));
        assert.ok(covers(closer, look));
        assert.ok(covers(closer, { ...closer, pd: ["placement", "stores"] }));
    });

    const lacking: Record<string, LookOptions> = {
        "a part of PD": { ...closer, pd: ["stores", "tombstones"] },
        "a store's own gauge": { ...closer, ownLeadersOf: ["basic-tikv-2"] },
        "other regions": { ...closer, regions: "short" },
        "a member": { ...closer, components: ["tikv", "pd"] },
        "status pages": { ...closer, status: ["tikv"] },
        "a Secret": { ...closer, asks: ["password-secret"] },
        "other claims": { ...closer, claimTemplates: { tikv: ["raft"] } },
        settings: { ...closer, settings: { component: "tikv", keys: ["a"], files: [] } },
        zones: { ...closer, zones: true },
    };
    for (const [what, others] of Object.entries(lacking)) {
        it(`does not lack ${what}`, () => assert.ok(!covers(closer, others)));
    }
});
