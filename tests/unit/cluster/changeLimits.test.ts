import * as assert from "node:assert/strict";
import { changeLimits } from "../../../provider/cluster/changeLimits";
import type { LeaderLimits } from "../../../provider/lifecycle/vocabulary/leaderLimits";
import { pdThat } from "./playedPd";

/** What is asked of a PD with these limits to raise them. */
async function asked(limits: LeaderLimits): Promise<string[]> {
    const sets: unknown[] = [];
    const { client, asked: calls } = pdThat({
        leaderLimits: () => limits,
        setConfig: (items: unknown) => void sets.push(items),
        setEvictionBatch: () => undefined,
    });
    const raise = { "leader-schedule-limit": { from: 4, to: 64 }, batch: { from: 3, to: 10 } };
    await changeLimits(client, raise);
    return [...calls.filter((call) => !call.startsWith("setConfig")), ...sets.map((items) => JSON.stringify(items))];
}

describe("PD's limits of moving leaders", () => {
    it("are changed if they are still what was seen", async () => {
        assert.deepEqual(await asked({ "leader-schedule-limit": 4, batch: 3 }), [
            "leaderLimits",
            "setEvictionBatch 10",
            '{"schedule.leader-schedule-limit":64}',
        ]);
    });

    it("stay as somebody else has set them since", async () => {
        assert.deepEqual(await asked({ "leader-schedule-limit": 8, batch: 5 }), ["leaderLimits"]);
    });

    it("are not created where PD has none, as its batch while it evicts no store", async () => {
        assert.deepEqual(await asked({ "leader-schedule-limit": 4 }), [
            "leaderLimits",
            '{"schedule.leader-schedule-limit":64}',
        ]);
    });
});
