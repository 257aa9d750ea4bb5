import * as assert from "node:assert/strict";
import { faithfulTimings } from "../../../sandbox/dataPlane";
import { type AskedPd, askedPd, leaderCounts, metric, stateNames, total } from "../../support/pdQuestions";

/** What was measured on three PD 8.5.4 with six played stores and 3,000 regions, after elections of each kind. */
const regions = 3000;
const silent = { ...faithfulTimings };
const resending = { ...faithfulTimings, resendsAfterElection: true };
const open = (timings: typeof silent): AskedPd =>
    askedPd({ stores: 6, regions, timings, faults: { regions: { missPeers: 100 } } });

const status = (pd: AskedPd, path: string): number => pd.ask("GET", `/pd/api/v1/${path}`).status;
const schedulers = (pd: AskedPd): string[] => pd.json("GET", "/pd/api/v1/schedulers");
const missing = (pd: AskedPd): number => pd.json<{ count: number }>("GET", "/pd/api/v1/regions/check/miss-peer").count;
const missingByGauge = (pd: AskedPd): number | undefined =>
    metric(pd, 'pd_regions_status{type="miss-peer-region-count"}');
const hasLevels = (pd: AskedPd): boolean => metric(pd, 'pd_regions_label_level{type="none"}') !== undefined;
/** Seconds since the election until something holds, looked at every tenth of a second for two minutes. */
const secondsUntil = (pd: AskedPd, holds: () => boolean): number => {
    for (let tenths = 0; tenths <= 1200; tenths++) {
        if (holds()) {
            return tenths / 10;
        }
        pd.clock.advance(100);
    }
    return Infinity;
};
const between = (value: number, low: number, high: number): void =>
    assert.ok(value >= low && value <= high, `${value} is between ${low} and ${high}`);

describe("a simulated PD after an election, compared with a real one", () => {
    describe("when a follower that has run for a while takes over", () => {
        for (const [kind, timings, checksRight] of [
            ["resending", resending, 2],
            ["silent", silent, 60],
        ] as const) {
            it(`counts leaders correctly at once, and the checks of regions from 0 up (stores ${kind})`, () => {
                const pd = open(timings);
                pd.lead("basic-pd-1");
                assert.equal(total(leaderCounts(pd)), regions);
                assert.ok(schedulers(pd).includes("balance-leader-scheduler"));
                assert.ok(missing(pd) < 10);
                between(
                    secondsUntil(pd, () => missing(pd) === 100),
                    checksRight - 0.2,
                    checksRight + 0.2,
                );
                between(
                    secondsUntil(pd, () => missingByGauge(pd) === 100),
                    0,
                    10,
                );
            });
        }

        it("calls stores Disconnected for up to 8 s", () => {
            const pd = open(silent);
            pd.lead("basic-pd-1");
            assert.ok(stateNames(pd).includes("Disconnected"));
            between(
                secondsUntil(pd, () => stateNames(pd).every((name) => name === "Up")),
                5,
                8.1,
            );
        });

        it("has no line of isolation before its first count, at 10 s", () => {
            const pd = open(silent);
            pd.lead("basic-pd-1");
            between(
                secondsUntil(pd, () => hasLevels(pd)),
                9.9,
                10.2,
            );
        });
    });

    describe("when a restarted member takes over", () => {
        const blind = (timings: typeof silent): AskedPd => {
            const pd = open(timings);
            pd.restart("basic-pd-1");
            pd.lead("basic-pd-1");
            return pd;
        };
        it("reports 0 of 3,000 leaders, and more and more for 60 s, if stores do not resend", () => {
            const pd = blind(silent);
            assert.ok(total(leaderCounts(pd)) < 10);
            assert.equal(total(pd.cluster.stores().map(({ leaders }) => leaders)), regions);
            pd.clock.advance(30_000);
            between(total(leaderCounts(pd)), 1450, 1550);
            between(
                secondsUntil(pd, () => total(leaderCounts(pd)) === regions),
                29,
                30.2,
            );
        });

        it("reports 0 leaders until each store reconnects, after 8 to 10 s, if stores resend", () => {
            const pd = blind(resending);
            assert.equal(total(leaderCounts(pd)), 0);
            between(
                secondsUntil(pd, () => total(leaderCounts(pd)) > 0),
                7.9,
                9,
            );
            between(
                secondsUntil(pd, () => total(leaderCounts(pd)) === regions),
                0.5,
                2.2,
            );
        });

        it("knows all regions and is ready all the time", () => {
            const pd = blind(silent);
            assert.equal(pd.json<{ count: number }>("GET", "/pd/api/v1/stats/region?count").count, regions);
            assert.equal(pd.ask("GET", "/pd/api/v2/ready").status, 200);
        });

        it("lists no scheduler and no isolation until it has heard of 90% of the regions", () => {
            for (const [timings, low, high] of [
                [silent, 53.8, 57],
                [resending, 11.8, 12.2],
            ] as const) {
                const pd = blind(timings);
                assert.deepEqual(schedulers(pd), []);
                const loaded = secondsUntil(pd, () => schedulers(pd).length > 0);
                between(loaded, low, high);
                assert.ok(!hasLevels(pd));
                between(loaded + secondsUntil(pd, () => hasLevels(pd)), low, Math.ceil(high / 10) * 10 + 0.2);
            }
        });

        it("counts too few regions that lack a peer", () => {
            const pd = blind(silent);
            assert.ok(missing(pd) < 10);
            assert.equal(missingByGauge(pd), 0, "the line is there and says nothing");
            pd.clock.advance(62_000);
            assert.equal(missing(pd), 100);
        });

        it("reports 0 leaders of an evicted store that still leads, because it moves each leader as it hears of it", () => {
            const pd = open(silent);
            pd.ask("POST", "/pd/api/v1/schedulers", { name: "evict-leader-scheduler", store_id: 1 });
            pd.clock.advance(2_000);
            pd.restart("basic-pd-1");
            pd.lead("basic-pd-1");
            pd.ask("POST", "/pd/api/v1/schedulers", { name: "evict-leader-scheduler", store_id: 1 });
            pd.clock.advance(30_000);
            assert.ok(leaderCounts(pd)[0] <= 2, String(leaderCounts(pd)[0]));
            between(pd.cluster.stores()[0].leaders, 150, 300);
            pd.clock.advance(31_000);
            assert.equal(pd.cluster.stores()[0].leaders, 0);
        });
    });

    it("counts leaders that moved while nobody led PD in the wrong places, but their sum is complete", () => {
        const pd = open(silent);
        pd.cluster.stopPod("basic-pd-0");
        pd.clock.advance(1_000);
        pd.cluster.stopPod("basic-tikv-0");
        pd.clock.advance(13_000);
        assert.equal(pd.cluster.leader(), "basic-pd-1");
        assert.equal(total(leaderCounts(pd)), regions);
        assert.ok(leaderCounts(pd)[0] > 400, "the store that is gone");
        pd.clock.advance(60_000);
        assert.equal(leaderCounts(pd)[0], 0);
        assert.equal(total(leaderCounts(pd)), regions);
    });

    it("counts nothing while a fault makes it blind, but looks healthy otherwise", () => {
        const pd = askedPd({ faults: { blindPd: true, regions: { missPeers: 3 } } });
        assert.deepEqual(leaderCounts(pd), [0, 0, 0]);
        assert.equal(missing(pd), 0);
        assert.ok(schedulers(pd).includes("balance-leader-scheduler"));
        pd.cluster.faults.blindPd = false;
        assert.deepEqual(leaderCounts(pd), [300, 300, 300]);
    });

    it("leaves a member blind that was restarted under a leader with nothing new to report", () => {
        const pd = open(silent);
        pd.restart("basic-pd-1");
        pd.lead("basic-pd-2");
        pd.clock.advance(61_000);
        assert.equal(total(leaderCounts(pd)), regions);
        pd.lead("basic-pd-1");
        assert.ok(total(leaderCounts(pd)) < 10);
    });

    it("reports zeros in the gauges of members that do not lead", () => {
        const pd = open(silent);
        pd.clock.advance(11_000);
        const status = 'pd_regions_status{type="miss-peer-region-count"}';
        const role = 'service_member_role{service="PD"}';
        assert.deepEqual([metric(pd, status, "basic-pd-0"), metric(pd, role, "basic-pd-0")], [100, 1]);
        assert.deepEqual([metric(pd, status, "basic-pd-1"), metric(pd, role, "basic-pd-1")], [0, undefined]);
    });

    it("becomes a follower of a member that was there while it received all reports", () => {
        const pd = open(silent);
        pd.restart("basic-pd-1");
        pd.lead("basic-pd-1");
        pd.clock.advance(61_000);
        pd.lead("basic-pd-2");
        assert.equal(total(leaderCounts(pd)), regions);
        assert.equal(status(pd, "scheduler-config/evict-leader-scheduler/list"), 404);
    });
});
