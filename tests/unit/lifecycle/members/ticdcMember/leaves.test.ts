import * as assert from "node:assert/strict";
import { actionsOf, dryRun } from "../../../../../provider/lifecycle/dryRun/dryRun";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { now, observed } from "../../../../support/lifecycle/observations";

describe("captures of TiCDC that are scaled in to none", () => {
    it("hand over to those that are not shut down yet; the last one hands over nothing, which would come back", () => {
        const { observation, target } = observed("ticdc", { live: 3, replicas: 0 });
        const run = dryRun((seen, memory) => nextScaleMove(seen, target, memory), observation).next();
        assert.ok(run.done === true);
        assert.deepEqual(
            actionsOf(run.value).map((action) => `${action.do} ${"pod" in action ? action.pod : ""}`),
            [
                ...["begin-shutdown basic-ticdc-2", "drain-capture basic-ticdc-2"],
                ...["begin-shutdown basic-ticdc-1", "drain-capture basic-ticdc-1", "begin-shutdown basic-ticdc-0"],
            ],
        );
        assert.deepEqual(run.value.end, { is: "done" });
    });

    it("hand over to one that stays although an earlier run has begun to shut it down: a rollout was taken back", () => {
        const row = { live: 2, stale: [1], captures: { owner: 1 }, pods: { 0: { shutdownBegunAt: now - 60_000 } } };
        const { observation, target } = observed("ticdc", row);
        const run = dryRun(
            (seen, memory) => nextRolloutMove(seen, target, memory, "all-well", "never"),
            observation,
        ).next();
        assert.ok(run.done === true);
        assert.deepEqual(
            actionsOf(run.value).map((action) => action.do),
            ["begin-shutdown", "resign-owner", "drain-capture", "delete-pod"],
        );
    });
});
