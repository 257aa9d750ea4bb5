import * as assert from "node:assert/strict";
import { sleepAwareClock } from "../../../provider/cluster/clock";
import { ObservationAge } from "../../../provider/cluster/observationAge";
import { StaleDecision } from "../../../provider/cluster/staleDecision";

describe("a clock in which sleep counts", () => {
    let [steady, wall, up] = [0, 0, 0];
    beforeEach(() => ([steady, wall, up] = [1_000, 500_000, 7_000]));
    const clock = () =>
        sleepAwareClock(
            () => steady,
            () => wall,
            () => up,
        );
    const pass = (milliseconds: number, onWall = milliseconds, slept = 0) => {
        steady += milliseconds;
        wall += onWall;
        up += milliseconds + slept;
    };

    it("shows that a machine slept, whose steady clock stood still: its lock is old by then", () => {
        const now = clock();
        const before = now();
        pass(10, 60_010);
        assert.equal(now() - before, 60_010);
    });
    it("shows that a machine slept whose wall clock was set back meanwhile: it would end its successor's eviction", () => {
        const now = clock();
        const before = now();
        pass(10, -3_600_000, 35_000);
        assert.equal(now() - before, 35_010);
    });
    it("counts a sleep once, which two clocks show", () => {
        const now = clock();
        const before = now();
        pass(10, 60_010, 60_000);
        assert.equal(now() - before, 60_010);
    });
    it("does not go back where somebody sets the wall clock back, and goes on", () => {
        const now = clock();
        const before = now();
        pass(1_000, -3_600_000);
        assert.equal(now() - before, 1_000);
        pass(1_000);
        assert.equal(now() - before, 2_000);
    });
    it("does not gather what two clocks differ by in each reading", () => {
        const now = clock();
        const before = now();
        for (let reading = 0; reading < 1_000; reading += 1) {
            pass(1, reading % 2 === 0 ? 2 : 0);
            now();
        }
        assert.equal(now() - before, 1_000);
    });
});

describe("how old a look may be that is acted on", () => {
    let time = 0;
    const look = async (age: ObservationAge, took: number) =>
        age.measure(() => {
            time += took;
            return Promise.resolve("seen");
        });

    it("5 s: a store may have gone down since", async () => {
        const age = new ObservationAge(() => time);
        assert.equal(await look(age, 12_000), "seen");
        time += 5_000;
        age.assertRecent(true);
        time += 1;
        assert.throws(() => age.assertRecent(true), StaleDecision);
        await look(age, 10);
        age.assertRecent(true);
    });
    it("12 s from its beginning to its end: what was read first is older than what was read last", async () => {
        const age = new ObservationAge(() => time);
        await look(age, 12_001);
        assert.throws(() => age.assertRecent(true), /observing the cluster took 12 s/);
        age.assertRecent(false);
    });
    it("never where it failed: the one before it is older still", async () => {
        const age = new ObservationAge(() => time);
        assert.throws(() => age.assertRecent(true), /has not been observed/);
        await look(age, 10);
        time += 4_000;
        await assert.rejects(age.measure(() => Promise.reject(new Error("silent"))));
        time += 4_000;
        assert.throws(() => age.assertRecent(true), StaleDecision);
    });
});
