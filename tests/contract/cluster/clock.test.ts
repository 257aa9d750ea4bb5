import * as assert from "node:assert/strict";
import { sleepAwareClock } from "../../../provider/cluster/clock";

describe("a clock that counts sleep", () => {
    it("runs with this machine's own clocks while it is awake", async () => {
        const now = sleepAwareClock();
        const [before, began] = [now(), process.hrtime.bigint()];
        await new Promise((resolve) => setTimeout(resolve, 300));
        const passed = Number(process.hrtime.bigint() - began) / 1e6;
        assert.ok(Math.abs(now() - before - passed) < 500);
    });
});
