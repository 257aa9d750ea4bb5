import * as assert from "node:assert/strict";
import { batchDecided } from "../../../../../provider/lifecycle/stages/batches/batchDecided";
import { batchMates } from "../../../../../provider/lifecycle/stages/batches/batchMates";
import { proveBatch } from "../../../../../provider/lifecycle/stages/batches/batchProof";
import { otherStoresUp } from "../../../../../provider/lifecycle/stages/storeRestart";
import { majoritiesStay } from "../../../../../provider/lifecycle/stages/regionMajorities";
import { viewOf } from "../../../../../provider/lifecycle/vocabulary/stage";
import { type Deviation, observed } from "../../../../support/lifecycle/observations";
import { batchOf, few, regionOn, zoned } from "../../../../support/lifecycle/zones";

const found = (row: Deviation, ...ordinals: number[]) =>
    proveBatch(
        observed("tikv", row).observation,
        ordinals.map((one) => 10 + one),
    );
const whyNot = (row: Deviation, ...ordinals: number[]) => {
    const finding = found(row, ...ordinals);
    assert.ok("why" in finding, JSON.stringify(finding));
    return finding.why;
};
const view = (row: Deviation, ordinal: number) => {
    const { observation, target } = observed("tikv", row);
    return viewOf(observation, target, ordinal);
};

describe("the proof of a batch", () => {
    it("is of the stores of one place", () => {
        assert.deepEqual(found(zoned(), 5, 2), { proof: { by: "gauge", margin: 0 } });
        assert.equal(whyNot(zoned(), 5, 1), "stores 15, 11 are not in one place of the label zone");
        const nowhere = { 5: { labels: {} } };
        assert.equal(whyNot(zoned({ stores: nowhere }), 5, 2), "stores 15, 12 are not in one place of the label zone");
    });
    it("by the gauge needs stores in as many places as a region has voters, as not after a zone has been removed", () => {
        const two = { 2: { labels: { zone: "a", host: "h2" } }, 5: { labels: { zone: "b", host: "h5" } } };
        const why =
            "pd_regions_label_level is old: the stores are in 2 places of the label zone, too few for 3 voters apart";
        assert.deepEqual(found(zoned({ stores: two, leadership: { regionCount: 6000 } }), 0, 3), { why });
    });
    it("by the gauge needs no place to have more peers than there are regions: then some have two of them there", () => {
        const crowded = (more: number) => found(zoned({ stores: { 5: { regionCount: 3000 + more } } }), 5, 2);
        assert.ok("proof" in crowded(0));
        const why = 'pd_regions_label_level is old: ["c"] has 6001 peers of 6000 regions';
        assert.deepEqual(crowded(1), { why, mayPass: true });
    });
    it("by the gauge needs to know how long PD takes to look at all regions: at most a minute", () => {
        const took = (patrolSeconds?: number) => found(zoned({ regions: { patrolSeconds } }), 5, 2);
        assert.ok("proof" in took(60));
        const old =
            "pd_regions_label_level may be 61 s old, and at most 60 s are a proof (pd_checker_patrol_regions_time)";
        assert.deepEqual(took(60.5), { why: old });
        const why = "PD does not report pd_checker_patrol_regions_time yet";
        assert.deepEqual(took(), { why, mayPass: true });
    });
    it("by the gauge needs the stores to have all peers: after max-replicas was raised, PD counts none as missing at first", () => {
        const each = (regionCount: number) =>
            Object.fromEntries([0, 1, 2, 3, 4, 5].map((one) => [one, { regionCount }])) as Deviation["stores"];
        const row = { stores: each(2000), rules: [], leadership: { regionCount: 6000 } };
        const why = "of 3 peers of each region, 6000 are missing that PD does not count as missing yet";
        assert.deepEqual(found(zoned({ ...row, maxReplicas: 3 }), 5, 2), { why, mayPass: true });
        const one = { 5: { regionCount: 2999 } };
        assert.equal(whyNot(zoned({ stores: one }), 5, 2), why.replace("6000 are", "1 are"));
        const counted = { stores: one, regions: { missPeer: 1 }, shortRegions: [regionOn(1, 4, 0)] };
        assert.deepEqual(found(zoned(counted), 5, 2), { proof: { by: "gauge", margin: 0 } });
        const onTiflash = [regionOn(1, 4, 0, [10, { role: "learner" }])];
        assert.deepEqual(found(zoned({ ...counted, shortRegions: onTiflash }), 5, 2), {
            proof: { by: "gauge", margin: 0 },
        });
    });
    it("needs all other TiKV stores Up, also those of other clusters, and not those of TiFlash", () => {
        const other = { ...view(zoned(), 0).store!, id: 30, podName: "x-tikv-0", own: false };
        assert.equal(whyNot(zoned({ moreStores: [{ ...other, state: "Down" }] }), 5, 2), "store 30 (x-tikv-0) is Down");
        const tiflash = { ...other, engine: "tiflash", state: "Down", leaderCount: { reported: 0 } } as const;
        assert.ok("proof" in found(zoned({ moreStores: [tiflash] }), 5, 2));
        assert.ok("proof" in found(zoned({ stores: { 5: { state: "Down" } } }), 5, 2));
    });
    it("asks for what it lacks, once, and waits for what PD does not say", () => {
        assert.deepEqual(found(zoned({ notAsked: ["regionStatus"] }), 5, 2), { look: { parts: ["region-status"] } });
        assert.deepEqual(found(zoned({ notAsked: ["placement"] }), 5, 2), { look: { parts: ["placement"] } });
        for (const part of ["regionStatus", "placement", "leadership"] as const) {
            assert.deepEqual(found(zoned({ unknown: [part] }), 5, 2), { why: "PD did not answer", mayPass: true });
        }
        assert.deepEqual(found(few(), 5, 2), { look: { regions: { ofStores: [15, 12] } } });
        assert.equal(whyNot(few({ unknown: ["shortRegions"] }), 5, 2), "PD did not answer");
    });
    it("has the least margin of all regions", () => {
        const regions = [regionOn(1, 5, 4, 0, 1, 3), regionOn(2, 5, 4, 0)];
        const listed = (all: typeof regions) => few({ regionsOf: { stores: [15, 12], regions: all } });
        assert.deepEqual(found(listed(regions), 5, 2), { proof: { by: "scan", margin: 0 } });
        assert.deepEqual(found(listed(regions.slice(0, 1)), 5, 2), { proof: { by: "scan", margin: 1 } });
    });
    it("counts a learner on a store of the batch as a voter, which PD may be about to make of it", () => {
        const listed = (...regions: ReturnType<typeof regionOn>[]) =>
            found(few({ regionsOf: { stores: [15, 12], regions } }), 5, 2);
        const why = "region 1 would lose its majority without basic-tikv-5 and basic-tikv-2";
        assert.deepEqual(listed(regionOn(1, 5, 4, 0, [2, { role: "learner" }])), { why, mayPass: true });
        // In its new configuration it would have two voters that are well of five.
        const behind = regionOn(1, 5, 4, 0, 1, [3, { isBehind: true }], [2, { role: "learner" }]);
        assert.deepEqual(listed(behind), { why, mayPass: true });
        const enough = regionOn(1, 5, 4, 0, 1, 3, [2, { role: "learner" }]);
        assert.deepEqual(listed(enough), { proof: { by: "scan", margin: 0 } });
        const onlyLearner = regionOn(1, 4, 1, [0, { isBehind: true }], [2, { role: "learner" }]);
        assert.deepEqual(listed(onlyLearner), { why, mayPass: true });
        const elsewhere = regionOn(1, 5, 4, 0, [3, { role: "learner" }]);
        assert.deepEqual(listed(elsewhere), { proof: { by: "scan", margin: 0 } });
    });
    it("by the gauge has the margin of those that lack something, too", () => {
        const stores = Object.fromEntries(
            ["a", "b", "c", "d", "e", "c"].map((zone, one) => [
                one,
                { labels: { zone, host: `h${one}` }, regionCount: zone === "c" ? 3000 : 6000 },
            ]),
        );
        const five = { maxReplicas: 5, rules: [], stores, regions: { isolation: { zone: 6000 }, missPeer: 1 } };
        const short = zoned({ ...five, shortRegions: [regionOn(1, 5, 4, 0, 1)] });
        assert.deepEqual(found(short, 5, 2), { proof: { by: "gauge", margin: 0 } });
        assert.deepEqual(found(zoned({ ...five, shortRegions: [] }), 5, 2), { proof: { by: "gauge", margin: 1 } });
    });
});

describe("while a batch is on record", () => {
    const records = batchOf([5, 2]);
    it("its stores may be down beside each other, and no other one", () => {
        const row = zoned({ records, stores: { 5: { state: "Down" } } });
        assert.deepEqual(batchMates(view(row, 2)), [15]);
        assert.equal(otherStoresUp("tikv").holds(view(row, 2)), true);
        assert.equal(majoritiesStay.holds(view(row, 2)), true);
        assert.deepEqual(batchMates(view(row, 4)), []);
        assert.notEqual(otherStoresUp("tikv").holds(view(row, 4)), true);
    });
    it("none may once it is not proven, or not asked for, or once the pod has restarted", () => {
        const down = { stores: { 5: { state: "Down" } } };
        for (const row of [
            zoned({ ...down, records, regions: { isolation: { zone: 5999, none: 1 } } }),
            zoned({ ...down, records, policy: { parallelism: 1 } }),
            zoned({ ...down, records, policy: { parallelism: undefined } }),
            zoned({ ...down, records, stale: [0, 1, 3, 4, 5] }),
            zoned({ ...down, records: { ...records, batch: { ...records.batch!, component: "tiflash" } } }),
        ]) {
            assert.deepEqual(batchMates(view(row, 2)), []);
            assert.notEqual(otherStoresUp("tikv").holds(view(row, 2)), true);
        }
    });
    it("without a proof those that are not Up may be beside one that is not Up itself, and beside no other one", () => {
        const row = (down: Deviation["stores"]) =>
            zoned({ records, stores: down, regions: { isolation: { none: 6000 }, downPeer: 3000 } });
        const down = { state: "Down" };
        const holds = (stores: Deviation["stores"], ordinal: number) =>
            otherStoresUp("tikv").holds(view(row(stores), ordinal)) === true;
        assert.ok(holds({ 5: down, 2: down }, 5) && holds({ 5: down, 2: { state: "Disconnected" } }, 2));
        assert.ok(!holds({ 5: down }, 2), "its own restart would take it down");
        assert.ok(!holds({ 5: down, 2: down, 4: down }, 5), "one that is not of the batch");
        assert.ok(!holds({ 4: down, 2: down }, 4));
        assert.notEqual(majoritiesStay.holds(view(row({ 5: down, 2: down }), 5)), true);
    });
    it("no other one is begun", () => {
        assert.notEqual(batchDecided.holds(view(zoned(), 4)), true);
        assert.equal(batchDecided.holds(view(zoned({ records }), 4)), true);
    });
});
