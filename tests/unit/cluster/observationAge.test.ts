import * as assert from "node:assert/strict";
import { ObservationAge } from "../../../provider/cluster/observationAge";
import { StaleDecision } from "../../../provider/cluster/staleDecision";

const again = "at most: nothing was done; the cluster is observed again";

describe("the greatest age of an observation that a decision may use", () => {
    let time: number;
    let age: ObservationAge;
    beforeEach(() => ([time, age] = [1_000_000, new ObservationAge(() => time)]));
    const look = (milliseconds: number) => age.measure(() => Promise.resolve(void (time += milliseconds)));

    it("is five seconds, and twelve for the observation itself if all of it must be of one time", async () => {
        await look(12_000);
        time += 5_000;
        age.assertRecent(true);
    });

    it("is reported as an error with the age, which lets a run continue", async () => {
        await look(0);
        time += 5_140;
        assert.throws(() => age.assertRecent(false), {
            name: "StaleDecision",
            message: `the observation is 5.1 s old, expected 5 s ${again}`,
        });
    });

    it("is reported with how long the observation took, which does not stop a step without PD", async () => {
        await look(12_300);
        age.assertRecent(false);
        assert.throws(() => age.assertRecent(true), {
            message: `observing the cluster took 12.3 s, expected 12 s ${again}`,
        });
    });

    it("counts from where an observation began, also if more is added to it", async () => {
        await look(7_000);
        await age.measure(
            () => Promise.reject(new Error("not looked anew")),
            () => Promise.resolve({ added: (time += 5_500) }),
        );
        assert.throws(() => age.assertRecent(true), /observing the cluster took 12\.5 s/);
    });

    it("counts anew if nothing can be added to an observation", async () => {
        await look(7_000);
        await age.measure(
            () => Promise.resolve(void (time += 5_500)),
            () => Promise.resolve(undefined),
        );
        age.assertRecent(true);
    });

    it("is exceeded before the first observation", () => {
        assert.throws(
            () => age.assertRecent(false),
            new StaleDecision("the cluster has not been observed: nothing was done"),
        );
    });
});
