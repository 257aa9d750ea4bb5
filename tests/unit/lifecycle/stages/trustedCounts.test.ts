import * as assert from "node:assert/strict";
import { timeoutWithPd, settledLeadership, soundLeaders } from "../../../../provider/lifecycle/stages/trustedCounts";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { type Deviation, now, observed, storeOf } from "../../../support/lifecycle/observations";

/** Why PD's counts cannot be trusted, or "counts". */
const leadership = (row: Deviation) => {
    const found = settledLeadership(observed("tikv", row).observation);
    return found.known ? "counts" : found.why;
};
const leaders = (row: Deviation) => {
    const found = soundLeaders(observed("tikv", row).observation);
    return found.known ? Object.fromEntries(found.value) : found.why;
};

const counts: [name: string, row: Deviation, why: string][] = [
    ["an hour old", {}, "counts"],
    ["as old as TiKV's report interval", { leadership: { heldFor: 70_000 } }, "counts"],
    [
        "younger",
        { leadership: { heldFor: 69_999 } },
        "basic-pd-0 has led PD for 69 s, and its counts can be trusted only after 70 s",
    ],
    [
        "as old as that, where TiKV reports every two minutes",
        { leadership: { heldFor: 70_000 }, heartbeats: { region: 120_000, store: 10_000 } },
        "basic-pd-0 has led PD for 70 s, and its counts can be trusted only after 130 s",
    ],
    [
        "a different one at the end of the look",
        { leadership: { isSteady: false } },
        "PD's leader changed during the queries",
    ],
    ["one without schedulers", { leadership: { hasSchedulers: false } }, "basic-pd-0 has not loaded its schedulers"],
    ["not known", { leadership: null }, "PD has no leader"],
];

describe("PD's counts are trusted depending on its leadership", () => {
    for (const [name, row, why] of counts) {
        it(`${name}: ${why}`, () => assert.equal(leadership(row), why));
    }
});

const since = now - 100_000;
const reported = (lastHeartbeat: number | undefined, state = "Up"): Deviation => ({
    stores: { 1: { lastHeartbeat, state } },
    leadership: { since },
});
const all = { 10: 500, 11: 500, 12: 500, 13: 500 };
const sound: [name: string, row: Deviation, found: object | string][] = [
    ["all are accounted for", {}, all],
    ["more leaders than regions: a region was split a moment ago", { leadership: { regionCount: 1_999 } }, all],
    [
        "one region has no leader in sight",
        { leadership: { regionCount: 2_001 } },
        "PD knows the leaders of 2000 of 2001 regions",
    ],
    ["PD did not list its stores", { unknown: ["stores"] }, "PD did not answer"],
    ["PD's leader is a moment old", { leadership: { isSteady: false } }, "PD's leader changed during the queries"],
    ["a store reported as the leadership began", reported(since), all],
    [
        "a store reported before it began",
        reported(since - 1),
        "store 11 (basic-tikv-1) has not reported to PD's current leader",
    ],
    [
        "a store has never sent a heartbeat",
        reported(undefined),
        "store 11 (basic-tikv-1) has not reported to PD's current leader",
    ],
    ["a store that is not Up has not: its leaders are elsewhere by now", reported(since - 1, "Down"), all],
    [
        "only this run's own watch knows when it began",
        { stores: { 1: { lastHeartbeat: 5 } }, leadership: { since: undefined } },
        all,
    ],
    [
        "when it began is not known, and a store has never sent a heartbeat",
        { stores: { 1: { lastHeartbeat: undefined } }, leadership: { since: undefined } },
        "store 11 (basic-tikv-1) has not reported to PD's current leader",
    ],
    [
        "leaders of another cluster's stores count",
        { moreStores: [storeOf(0, { id: 90, own: false })], leadership: { regionCount: 2_500 } },
        { ...all, 90: 500 },
    ],
];

describe("the leader count of each store is trusted once all regions are accounted for", () => {
    for (const [name, row, found] of sound) {
        it(name, () => assert.deepEqual(leaders(row), found));
    }
    it("with the age of the older answer", () => {
        const { observation } = observed("tikv", {});
        const { stores, leadership: lead } = observation.pd;
        assert.ok(stores.known && lead.known);
        const at = (one: number, other: number) => {
            const pd = {
                ...observation.pd,
                stores: known(stores.value, "PD", one),
                leadership: known(lead.value, "PD", other),
            };
            const found = soundLeaders({ ...observation, pd });
            return found.known && found.at;
        };
        assert.deepEqual([at(3, 9), at(9, 3)], [3, 3]);
    });
});

describe("facts that PD knows only after a while are waited for", () => {
    it("for the longer of the pod timeout and PD's settling time plus a minute", () => {
        const seconds = (row: Deviation) => {
            const timeout = timeoutWithPd(observed("tikv", row));
            assert.equal(timeout.then, "fail");
            return timeout.seconds;
        };
        assert.equal(seconds({}), 600);
        assert.equal(seconds({ policy: { podReadyTimeoutSeconds: 10 } }), 130);
        const slow = { region: 600_000, store: 10_000 };
        assert.equal(seconds({ heartbeats: slow }), 670);
    });
});
