import * as assert from "node:assert/strict";
import { sleepAwareClock } from "../../../provider/cluster/clock";

describe("a clock in which sleep counts", () => {
    it("counts sleep on this machine: its own clocks run on together while it is awake", async () => {
        const now = sleepAwareClock();
        const [before, began] = [now(), process.hrtime.bigint()];
        await new Promise((resolve) => setTimeout(resolve, 300));
        const passed = Number(process.hrtime.bigint() - began) / 1e6;
        assert.ok(Math.abs(now() - before - passed) < 500);
    });
});
