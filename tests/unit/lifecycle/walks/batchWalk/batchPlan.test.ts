import * as assert from "node:assert/strict";
import { describeMissing } from "../../../../../provider/lifecycle/walks/describeMissing";
import { describeStep, stepItems } from "../../../../../provider/lifecycle/walks/describePlan";
import { summaryOf } from "../../../../../provider/lifecycle/walks/planReport";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { type Deviation, emptyMemory, inShort, observed, storeOf } from "../../../../support/lifecycle/observations";
import { batchOf, few, regionOn, zoned } from "../../../../support/lifecycle/zones";
import { repeats } from "../../../../support/repeats";
import { batchesNeed, plannedRollout, rolloutRun } from "../../../../support/lifecycle/planned";

const planned = (row: Deviation) => {
    const { observation, target } = observed("tikv", row);
    return plannedRollout(observation, target);
};
const besideOf = (row: Deviation) => planned(row).flatMap(({ beside }) => beside ?? []);
const lines = (row: Deviation) => planned(row).map(describeStep);
const needs = (row: Deviation) => {
    const { observation, target } = observed("tikv", row);
    return batchesNeed(observation, target);
};
const by = "PD's pd_regions_label_level";

describe("the plan of a rollout by zone", () => {
    it("says which stores restart side by side, by what it is proven, and which margin is left", () => {
        const [first, second] = lines(zoned());
        assert.equal(
            first,
            `restart basic-tikv-5 (old revision old): in one batch with basic-tikv-2 (proven by ${by}), evict 1000 leaders, delete pod, end the eviction; until Ready, store Up (~2 min); risk: restarts beside basic-tikv-2: no region may lose another voter meanwhile`,
        );
        assert.equal(
            second,
            `restart basic-tikv-2 (old revision old): in one batch with basic-tikv-5 (proven by ${by}), evict 1200 leaders, delete pod, end the eviction; until Ready, store Up (beside basic-tikv-5); risk: restarts beside basic-tikv-5: no region may lose another voter meanwhile`,
        );
    });
    it("names a risk in each step of a batch, also in the last one of a batch on record, beside what its store risks alone", () => {
        const risks = (row: Deviation) =>
            planned(row).flatMap(({ kind, target, risk }) => (kind === "restart" ? `${target} ${risk ?? "none"}` : []));
        const margin = "no region may lose another voter meanwhile";
        assert.deepEqual(risks(zoned({ stale: [5, 4, 2] })), [
            `basic-tikv-5 restarts beside basic-tikv-2: ${margin}`,
            `basic-tikv-2 restarts beside basic-tikv-5: ${margin}`,
            "basic-tikv-4 none",
        ]);
        assert.deepEqual(risks(zoned({ stale: [4, 2], records: batchOf([5, 2]) })), [
            `basic-tikv-2 restarts beside basic-tikv-5: ${margin}`,
            "basic-tikv-4 none",
        ]);
        const report = summaryOf(stepItems(planned(zoned({ stale: [5, 2] }))), false, []);
        assert.match(report.join("; "), /; risk in steps 1 and 2$/);
    });
    it("has the stores of a batch one after the other, because they restart when the first one does", () => {
        const targets = planned(zoned()).map(({ target }) => target.replace("basic-tikv-", ""));
        assert.deepEqual(targets, ["5", "2", "4", "1", "3", "0"]);
    });
    it("takes each batch's time once", () => {
        const seconds = (row: Deviation) => planned(row).reduce((sum, { estimateSeconds }) => sum + estimateSeconds, 0);
        // Leaders come back in other numbers after a batch than after a single restart: by less than one in fifty.
        const [inBatches, alone] = [seconds(zoned()) * 2, seconds(zoned({ policy: { parallelism: 1 } }))];
        assert.ok(Math.abs(inBatches - alone) < alone / 50, `${inBatches} and ${alone}`);
        const times = planned(zoned()).map(({ estimateSeconds }) => estimateSeconds > 0);
        assert.deepEqual(times, [true, false, true, false, true, false]);
    });
    it("has the margin of regions with five voters", () => {
        const five = zoned({
            maxReplicas: 5,
            rules: [],
            stores: Object.fromEntries(
                [0, 1, 2, 3, 4, 5].map((one) => [
                    one,
                    { labels: { zone: `z${one % 5}` }, regionCount: one % 5 === 0 ? 3000 : 6000 },
                ]),
            ),
            locationLabels: ["zone"],
        });
        assert.match(
            lines(five)[0],
            /in one batch with basic-tikv-0 \(proven by .*\).*; risk: restarts beside basic-tikv-0: each region can lose 1 more voter meanwhile$/,
        );
    });
    it("reads the regions' list where there are few, and says that it proves it", () => {
        const others = storeOf(6, { own: false, podName: "x-tikv-0", leaderCount: { reported: 0 }, regionCount: 1800 });
        const row = few({ policy: { parallelism: 2 }, moreStores: [others] });
        assert.deepEqual(needs(row), { look: { regions: { ofStores: [15, 14, 13, 12, 11, 10] } } });
        const listed = {
            ...row,
            regionsOf: { stores: [15, 14, 13, 12, 11, 10], regions: [regionOn(1, 5, 4, 0), regionOn(2, 3, 1, 2)] },
        };
        assert.deepEqual(needs(listed), {});
        assert.match(
            lines(listed)[0],
            /in one batch with basic-tikv-3 \(proven by PD's list of their regions\).*; risk: restarts beside basic-tikv-3: no region may lose another voter meanwhile$/,
        );
    });
    it("lists the regions of all stores at once, by zone too, so it never asks twice", () => {
        const all = [15, 14, 13, 12, 11, 10];
        const regions = [regionOn(1, 5, 2, 0), regionOn(2, 4, 3, 2), regionOn(3, 1, 0, 5)];
        for (const records of [undefined, batchOf([4, 1])]) {
            const row = few(records === undefined ? {} : { records });
            assert.deepEqual(needs(row), { look: { regions: { ofStores: all } } });
            const listed = { ...row, regionsOf: { stores: all, regions } };
            assert.equal(needs(listed).look, undefined);
            const beside = lines(listed).filter((line) => line.includes("in one batch"));
            assert.deepEqual(beside.map((line) => line.split(" ")[1]).sort(), [
                "basic-tikv-0",
                "basic-tikv-1",
                "basic-tikv-3",
                "basic-tikv-4",
            ]);
        }
    });
    it("says why stores restart one by one", () => {
        const row = zoned({ regions: { isolation: { zone: 5998, host: 2 } } });
        assert.deepEqual(besideOf(row), []);
        const whys = [
            ["pd_regions_label_level", row],
            ["zone", zoned({ locationLabels: ["host"], regions: { isolation: { host: 6000 } } })],
            [
                "TiDB/x",
                zoned({
                    rules: [
                        { group: "TiDB", id: "x", role: "voter", count: 3, constraints: [], startKey: "", endKey: "" },
                    ],
                }),
            ],
            [
                "store 15 (basic-tikv-5)",
                zoned({ policy: { parallelism: 3 }, regions: { isolation: { zone: 5999, host: 1 } } }),
            ],
            ["2 voters", zoned({ maxReplicas: 2, rules: [] })],
            ["pd_regions_label_level", zoned({ regions: { isolation: undefined } })],
            ["10 of 6000 regions", zoned({ regions: { isolation: { zone: 10 } } })],
            ["6000 regions", zoned({ regions: { isolation: { none: 6000 } } })],
        ] as const;
        for (const [names, unproven] of whys) {
            repeats(needs(unproven).remark, names);
        }
        assert.equal(new Set(whys.map(([, unproven]) => needs(unproven).remark)).size, whys.length);
    });
    it("says why some restart alone where others are in batches", () => {
        const regions = [regionOn(1, 5, 2, 0), regionOn(2, 4, 3, 2), regionOn(3, 1, 0, 5)];
        const listed = { ...few(), regionsOf: { stores: [15, 14, 13, 12, 11, 10], regions } };
        repeats(needs(listed).remark, "region 1", "basic-tikv-5 and basic-tikv-2");
        repeats(needs(zoned({ stores: { 5: { labels: {} } } })).remark, "store 15 (basic-tikv-5)");
    });
    it("has the batches that are proven once PD's leader is old enough", () => {
        const row = zoned({ leadership: { heldFor: 5_000 } });
        assert.match(lines(row)[0], /wait ~\d+ s \(.*basic-pd-0 has led PD for 5 s/);
        assert.deepEqual(besideOf(row), ["basic-tikv-5", "basic-tikv-4", "basic-tikv-3"]);
    });
    it("has no batch while a store is Down, at which every restart is held", () => {
        const { observation, target } = observed("tikv", zoned({ stores: { 1: { state: "Down" } } }));
        const { end, moves } = rolloutRun(observation, target);
        assert.deepEqual([end.is === "held" && inShort(end.at), moves], ["wait other-stores-up basic-tikv-5", []]);
    });
    it("and the run notes it with the step that it takes instead", () => {
        const { observation, target } = observed("tikv", zoned({ regions: { isolation: { zone: 5998, host: 2 } } }));
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.ok(move.kind === "act");
        repeats(move.held, "batch-decided", "pd_regions_label_level");
    });
    it("says nothing of batches where none is asked for, or none is possible", () => {
        assert.deepEqual(needs(zoned({ policy: { parallelism: 1 } })), {});
        assert.deepEqual(needs(zoned({ policy: { parallelism: undefined } })), {});
        assert.deepEqual(needs(zoned({ stale: [5] })), {});
        assert.deepEqual(needs(zoned({ stale: [5, 4] })), {});
        assert.deepEqual(besideOf(zoned({ policy: { parallelism: undefined } })), []);
    });
    it("goes on with the batch on record", () => {
        const found = lines(zoned({ records: batchOf([4, 1]), stale: [4, 1, 0, 3] }));
        assert.match(found[0], /^restart basic-tikv-4 .*: in one batch with basic-tikv-1 /);
        assert.deepEqual(
            found.filter((line) => line.includes("(beside")).map((line) => line.split(" ")[1]),
            ["basic-tikv-1", "basic-tikv-0"],
        );
    });
    it("lists the regions of all stores also where stores on record belong to no pod any more, and then never asks again", () => {
        const all = [15, 14, 13, 12, 11, 10];
        for (const [records, stores] of [
            [batchOf([6, 5]), all],
            [batchOf([7, 6]), all],
            [batchOf([5, 2]), all],
        ] as const) {
            const row = few({ policy: { parallelism: 2 }, records });
            assert.deepEqual(needs(row), { look: { regions: { ofStores: stores } } });
            const regionsOf = { stores: [...stores], regions: [regionOn(1, 0, 1, 2)] };
            assert.equal(needs({ ...row, regionsOf }).look, undefined);
        }
    });
    it("asks nothing of a store on record that PD lists nowhere, nor of a batch of which no pod is left to restart", () => {
        const records = batchOf([89, 5]);
        const regionsOf = { stores: [15, 14, 13, 12, 11, 10], regions: [regionOn(1, 0, 1, 2)] };
        assert.equal(needs(few({ records, policy: { parallelism: 2 }, regionsOf })).look, undefined);
        assert.equal(needs(few({ records: batchOf([5, 2]), stale: [1] })).look, undefined);
    });
    it("deletes the record of a batch that a killed run had ended", () => {
        const row = zoned({ records: batchOf([5, 2]), stale: [] });
        assert.deepEqual(lines(row), [
            "clean up basic-tikv-5 (an earlier run left a batch on record): delete the record of the batch of basic-tikv-5, basic-tikv-2 (~1 s)",
        ]);
        const { observation, target } = observed("tikv", row);
        assert.deepEqual(describeMissing(observation, target), [], "nobody else has to do anything about it");
    });
});

describe("the plan of a batch with the eviction window", () => {
    it("puts the limits back in the step of the batch's last store: no earlier run has left them", () => {
        const limits = { "leader-schedule-limit": 4 };
        const steps = planned(zoned({ limits, stale: [5, 2], policy: { parallelism: "zone", evictionWindow: {} } }));
        assert.deepEqual(
            steps.map(({ kind }) => kind),
            ["restart", "restart"],
        );
        assert.ok(steps.some(({ does }) => does.some((one) => one.startsWith("put back "))));
    });
});
