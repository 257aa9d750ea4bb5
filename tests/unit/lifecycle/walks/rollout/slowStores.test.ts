import * as assert from "node:assert/strict";
import { emptyMemory, rememberWait } from "../../../../../provider/lifecycle/vocabulary/memory";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { now, observed } from "../../../../support/lifecycle/observations";

describe("a rollout whose last restarted store PD calls slow", () => {
    it("waits for as long as PD keeps its leaders away, and goes on: it does not fail before", () => {
        let memory = emptyMemory;
        const recovered = now + 1_800_000;
        for (let at = now; at <= recovered; at += 60_000) {
            const { observation, target } = observed("tikv", { stale: [0, 1, 2], slow: at < recovered ? [13] : [] });
            const move = nextRolloutMove({ ...observation, now: at }, target, memory);
            if (at < recovered) {
                assert.equal(move.kind, "wait", JSON.stringify(move));
                memory = rememberWait(memory, move as Extract<typeof move, { kind: "wait" }>, at);
            } else {
                assert.notEqual(move.kind, "fail", JSON.stringify(move));
                assert.ok(move.kind !== "wait" || move.step !== "no-eviction-by-pd");
            }
        }
    });
});
