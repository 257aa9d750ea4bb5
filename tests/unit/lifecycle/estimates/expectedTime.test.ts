import * as assert from "node:assert/strict";
import { sourcesInWords } from "../../../../provider/lifecycle/estimates/estimateWords";
import { type Estimate, withTimes } from "../../../../provider/lifecycle/estimates/expectedTime";
import type { Rates } from "../../../../provider/lifecycle/estimates/rates";
import { sumOfGates } from "../../../../provider/lifecycle/estimates/sumOfGates";
import { notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import type { PlanStep } from "../../../../provider/lifecycle/walks/planStep";
import { neverStarted } from "../../../support/lifecycle/decisionTable";
import { type Deviation, observed } from "../../../support/lifecycle/observations";
import { zoned } from "../../../support/lifecycle/zones";
import { plannedRollout, plannedScale } from "../../../support/lifecycle/planned";

const seen = (value: number, ...operations: string[]) => ({ known: true as const, value, operations });
const rates: Rates = {
    evicted: seen(50, "20260101T100000.000Z-a-1"),
    returned: seen(25, "20260101T100000.000Z-a-1"),
    drained: seen(10, "20260102T100000.000Z-a-1"),
    ready: seen(4, "20260101T110000.000Z-a-2"),
    well: seen(3, "20260101T110000.000Z-a-2"),
    started: seen(9, "20260103T110000.000Z-a-3"),
    grown: seen(12, "20260104T110000.000Z-a-4"),
    recreated: seen(2, "20260104T110000.000Z-a-4"),
    restRestart: seen(2, "20260101T110000.000Z-a-2"),
    restRemoval: seen(5, "20260102T100000.000Z-a-1"),
};

function estimate(row: Deviation, by: Rates = rates, component: "tikv" | "tidb" = "tikv"): Estimate {
    const { observation, target } = observed(component, row);
    return withTimes(plannedRollout(observation, target), by, observation, target).estimate;
}
const seconds = (one: Estimate) => (one.known ? Math.round(one.seconds * 1000) / 1000 : one.why);

describe("the expected time of a plan", () => {
    const leaders = (count: number) => ({ stale: [3], stores: { 3: { leaderCount: { reported: count } } } });

    const then = (count: number): Deviation => ({
        stale: [2, 3],
        stores: { 3: { leaderCount: { reported: count } }, 2: { leaderCount: { reported: 0 } } },
    });

    it("of a restart is the time in which its leaders leave and two thirds return, it is Ready and well, and the rest", () => {
        assert.equal(seconds(estimate(then(600))), 600 / 50 + 400 / 25 + 2 * (4 + 3 + 2));
    });

    it("waits for no return of few leaders", () => {
        assert.equal(seconds(estimate(then(199))), 199 / 50 + 2 * (4 + 3 + 2));
    });

    it("waits for no return of the last store's leaders: nothing follows", () => {
        assert.equal(seconds(estimate(leaders(600))), 600 / 50 + 4 + 3 + 2);
    });

    it("of a batch is the leaders of all its stores, and one restart: the stores restart side by side, the leaders do not move so", () => {
        const [leave, back] = [1000 / 50, 666 / 25];
        const oneByOne = 6 * (leave + 9) + 5 * back;
        assert.equal(seconds(estimate(zoned({ policy: { parallelism: 1 } }))), Math.round(1000 * oneByOne) / 1000);
        // Nothing waits for the leaders of the last of three batches.
        assert.equal(seconds(estimate(zoned())), Math.round(1000 * (6 * leave + 4 * back + 27)) / 1000);
    });

    it("is not known if any part is not: the plan says which", () => {
        for (const name of ["evicted", "returned", "ready", "well", "restRestart"] as const) {
            const lacking = { ...rates, [name]: notKnown(`no ${name}`) };
            assert.equal(seconds(estimate(then(600), lacking)), `no ${name}`);
        }
        assert.equal(seconds(estimate(leaders(199), { ...rates, returned: notKnown("not needed") })), 199 / 50 + 9);
    });

    it("is not known while nobody can know the leaders", () => {
        assert.equal(typeof seconds(estimate({ ...leaders(0), pdSilent: true })), "string");
        const { observation, target } = observed("tikv", leaders(0));
        const steps = plannedRollout(observation, target);
        const elected = { ...observation, pd: { ...observation.pd, leadership: notKnown("PD elects") } };
        assert.equal(
            seconds(withTimes(steps, rates, elected, target).estimate),
            "the leaders of basic-tikv-3 are not known: PD elects",
        );
    });

    it("of a pod without a store needs no leaders", () => {
        const none = { ...rates, evicted: notKnown("none"), returned: notKnown("none") };
        assert.equal(seconds(estimate({ stale: [0] }, none, "tidb")), 9);
    });

    it("of a removal is its regions at the observed rate, and the rest", () => {
        const { observation, target } = observed("tikv", { stores: { 3: { regionCount: 1_500 } } });
        const fewer = { ...target, replicas: 3 };
        const steps = plannedScale(observation, fewer);
        assert.equal(seconds(withTimes(steps, rates, observation, fewer).estimate), 1_500 / 10 + 5);
        const unknown = { ...rates, drained: notKnown("no drain") };
        assert.equal(seconds(withTimes(steps, unknown, observation, fewer).estimate), "no drain");
    });

    it("of the removal of a pod that never ran has the time in which it may still register a store", () => {
        const { observation, target } = observed("tikv", { stores: { 3: undefined }, pods: { 3: neverStarted } });
        const fewer = { ...target, replicas: 3 };
        const steps = plannedScale(observation, fewer);
        assert.equal(seconds(withTimes(steps, rates, observation, fewer).estimate), 150 + 5);
    });

    it("of a start is that of a restart, otherwise of earlier starts, and says so where neither is on record", () => {
        const { observation, target } = observed("tikv", {});
        const [step] = plannedRollout(...([observed("tikv", leaders(9)).observation, target] as const));
        const of = (by: Rates) => seconds(withTimes([{ ...step, kind: "start" }], by, observation, target).estimate);
        assert.equal(of(rates), 7);
        const ready = notKnown("the journal does not show a restart");
        assert.equal(of({ ...rates, ready }), 9);
        assert.equal(
            of({ ...rates, ready, started: notKnown("the journal does not show a start") }),
            "the journal of this cluster's updates does not show a start, or a restart, by which one is estimated",
        );
    });

    it("of a growth is that of earlier ones, and so is that of the StatefulSet that is created again", () => {
        const { observation, target } = observed("tikv", {});
        const [step] = plannedRollout(...([observed("tikv", leaders(9)).observation, target] as const));
        const steps = (["grow", "grow", "recreate"] as const).map((kind) => ({ ...step, kind }));
        const of = (by: Rates) => withTimes(steps, by, observation, target);
        assert.equal(seconds(of(rates).estimate), 12 + 12 + 2);
        assert.deepEqual(
            of(rates).steps.map(({ expectedSeconds }) => expectedSeconds),
            [12, 12, 2],
        );
        for (const name of ["grown", "recreated"] as const) {
            assert.equal(seconds(of({ ...rates, [name]: notKnown(`no ${name}`) }).estimate), `no ${name}`);
        }
    });

    it("is refused for a step of which no record can tell", () => {
        const { observation, target } = observed("tikv", {});
        const [step] = plannedRollout(...([observed("tikv", leaders(9)).observation, target] as const));
        const taken = withTimes([{ ...step, kind: "take-back" }], rates, observation, target).estimate;
        assert.equal(
            seconds(taken),
            "the journal of this cluster's updates does not show how long it takes to take back the removal of basic-tikv-3",
        );
    });
});

describe("the times of single steps", () => {
    const plan = (row: Deviation, by: Rates, pdRestarts = false) => {
        const { observation, target } = observed("tikv", row);
        const steps = plannedRollout(observation, { ...target, pdRestarts });
        return { before: steps, ...withTimes(steps, by, observation, target) };
    };
    const timesOf = (steps: readonly PlanStep[]) =>
        steps.map((step) => /\(([^(]*)\)(; risk.*)?$/.exec(describeStep(step))?.[1]);

    it("are those of the records, so no step takes longer than all of them", () => {
        for (const row of [{ stale: [3, 2] }, { stale: [3], live: 4, replicas: 5 }, zoned()] as Deviation[]) {
            const { steps, estimate: all } = plan(row, rates);
            const each = steps.map(({ expectedSeconds = 0 }) => expectedSeconds);
            assert.ok(all.known && each.length > 1);
            assert.ok(Math.max(...each) <= Math.ceil(all.seconds), each.join());
            const sum = each.reduce((total, one) => total + one, 0);
            assert.ok(sum >= all.seconds && sum < all.seconds + each.length, `${sum} and ${all.seconds}`);
        }
        const { steps } = plan({ stale: [], live: 4, replicas: 5 }, rates);
        assert.deepEqual(timesOf(steps), ["~7 s"]);
    });

    it("are the rules of thumb where one of them is in no record: then all can be compared", () => {
        const row: Deviation = { stale: [3], live: 4, replicas: 5 };
        const { steps, before } = plan(row, { ...rates, restRestart: notKnown("no record") });
        assert.deepEqual(steps, before);
        assert.deepEqual(timesOf(steps), ["~30 s", "~83 s"]);
    });

    it("of a batch are with its first store, and the wait for PD has PD's own", () => {
        const { steps } = plan(zoned(), rates, true);
        const [first, second] = steps;
        const waits = Number(/wait ~(\d+) s/.exec(describeStep(first))?.[1]);
        assert.equal(first.expectedSeconds, Math.ceil(2 * (1000 / 50 + 666 / 25) + 9 + waits));
        assert.deepEqual([second.expectedSeconds, timesOf(steps)[1]], [undefined, "beside basic-tikv-5"]);
    });
});

describe("the estimates of several gates", () => {
    const known: Estimate = { known: true, seconds: 41.2, operations: ["20260101T100000.000Z-a-1"] };
    const sumOf = (...all: Estimate[]) =>
        sumOfGates(all.map((one, index) => ({ of: `basic-${index}`, estimate: one, isBare: index === 0 })));
    const words = (...all: Estimate[]) => sourcesInWords(sumOf(...all));
    const oneRecord = "as observed in the operation of 2026-01-01 10:00 UTC";

    it("name the records that they come from", () => {
        assert.equal(words(known), ` (${oneRecord})`);
        const later: Estimate = { ...known, operations: ["20260103T100000.000Z-a-1", "20260101T100000.000Z-a-1"] };
        assert.equal(words(known, later), " (as observed in 2 operations since 2026-01-01 10:00 UTC)");
    });

    it("are summed up, and so is what no step has", () => {
        const { seconds, bareSeconds } = sumOf(known, { ...known, seconds: 10 });
        assert.deepEqual([seconds, bareSeconds], [51.2, 41.2]);
        assert.deepEqual(sumOf(notKnown("no record")).seconds, undefined, "0 would be a time");
    });

    it("name what has not even a rule of thumb", () => {
        const backup: Estimate = { ...notKnown("no Job shows it"), work: "the backup" };
        const beside = ", and the backup, which has no estimate";
        assert.equal(words(backup, known), ` (${oneRecord})${beside}`);
        assert.equal(words(backup, notKnown("no record")), ` (rules of thumb for basic-1: no record)${beside}`);
    });

    it("name what has only rules of thumb, and why", () => {
        assert.equal(words(known, notKnown("no record")), ` (${oneRecord}; rules of thumb for basic-1: no record)`);
        assert.equal(
            words(notKnown("no record"), notKnown("no record"), notKnown("no drain")),
            " (rules of thumb for basic-0 and basic-1: no record; basic-2: no drain)",
        );
    });
});
