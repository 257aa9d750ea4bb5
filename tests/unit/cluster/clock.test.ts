import * as assert from "node:assert/strict";
import { sleepAwareClock } from "../../../provider/cluster/clock";
import { ObservationAge } from "../../../provider/cluster/observationAge";
import { StaleDecision } from "../../../provider/cluster/staleDecision";

describe("a clock that counts sleep", () => {
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

    it("shows that a machine slept while its steady clock stood still", () => {
        const now = clock();
        const before = now();
        pass(10, 60_010);
        assert.equal(now() - before, 60_010);
    });
    it("shows that a machine slept whose wall clock was set back meanwhile", () => {
        const now = clock();
        const before = now();
        pass(10, -3_600_000, 35_000);
        assert.equal(now() - before, 35_010);
    });
    it("counts a sleep once if two clocks show it", () => {
        const now = clock();
        const before = now();
        pass(10, 60_010, 60_000);
        assert.equal(now() - before, 60_010);
    });
    it("does not go back if somebody sets the wall clock back, and continues", () => {
        const now = clock();
        const before = now();
        pass(1_000, -3_600_000);
        assert.equal(now() - before, 1_000);
        pass(1_000);
        assert.equal(now() - before, 2_000);
    });
    it("does not add up small differences between two clocks", () => {
        const now = clock();
        const before = now();
        for (let reading = 0; reading < 1_000; reading += 1) {
            pass(1, reading % 2 === 0 ? 2 : 0);
            now();
        }
        assert.equal(now() - before, 1_000);
    });
});

describe("the greatest age of an observation that may be acted on", () => {
    let time = 0;
    const look = async (age: ObservationAge, took: number) =>
        age.measure(() => {
            time += took;
            return Promise.resolve("seen");
        });

    it("is 5 s, because a store may have gone down since", async () => {
        const age = new ObservationAge(() => time);
        assert.equal(await look(age, 12_000), "seen");
        time += 5_000;
        age.assertRecent(true);
        time += 1;
        assert.throws(() => age.assertRecent(true), StaleDecision);
        await look(age, 10);
        age.assertRecent(true);
    });
    it("is 12 s from its start to its end, because its first reads are older than its last", async () => {
        const age = new ObservationAge(() => time);
        await look(age, 12_001);
        assert.throws(() => age.assertRecent(true), /observing the cluster took 12 s/);
        age.assertRecent(false);
    });
    it("is exceeded after a failed observation, because the one before it is older", async () => {
        const age = new ObservationAge(() => time);
        assert.throws(() => age.assertRecent(true), /has not been observed/);
        await look(age, 10);
        time += 4_000;
        await assert.rejects(age.measure(() => Promise.reject(new Error("silent"))));
        time += 4_000;
        assert.throws(() => age.assertRecent(true), StaleDecision);
    });
});
