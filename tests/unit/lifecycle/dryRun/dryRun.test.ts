import * as assert from "node:assert/strict";
import { describeAction } from "../../../../provider/lifecycle/vocabulary/actions";
import { afterPulumi } from "../../../../provider/lifecycle/dryRun/afterPulumi";
import { dryRun, type DryRun } from "../../../../provider/lifecycle/dryRun/dryRun";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import type { Component } from "../../../../topology/members";
import { type Deviation, observed } from "../../../support/lifecycle/observations";

function ofRollout(component: Component, row: Deviation): DryRun {
    const { observation, target } = observed(component, row);
    const run = dryRun(
        (seen, memory) => nextRolloutMove(seen, target, memory, "all-well", "never"),
        observation,
        (live) => afterPulumi(live, target),
    );
    for (let next = run.next(); ; next = run.next(observation)) {
        if (next.done) {
            return next.value;
        }
        console.log("LOOK", JSON.stringify(next.value));
    }
}
const show = (run: DryRun) => [
    ...run.moves.map((m) => (m.is === "act" ? `${m.move.step}: ${describeAction(m.move.action)}` : `start ${m.pod}`)),
    JSON.stringify(run.end),
];

describe("a dry run", () => {
    for (const [component, row] of [
        ["pd", { stale: [0, 1, 2] }],
        ["tikv", { stale: [0, 1, 2, 3] }],
        ["tikv", { stale: [0, 1, 2, 3], maxReplicas: 1 }],
        ["tikv", { stale: [0, 1, 2, 3], evicted: [11], notAsked: [] }],
        ["tikv", { stale: [3], stores: { 1: { lastHeartbeat: 1_700_000_000_000 - 30_000 } } }],
        ["tikv", { stale: [3], stores: { 1: { state: "Down" } } }],
        ["pd", { stale: [0, 1, 2], unhealthy: [1] }],
        ["tidb", { stale: [0, 1] }],
        ["ticdc", { stale: [0, 1, 2] }],
        ["tiflash", { stale: [0, 1] }],
        ["pump", { stale: [0, 1] }],
        ["tso", { stale: [0, 1] }],
        ["tiproxy", { stale: [0, 1] }],
    ] as [Component, Deviation][]) {
        it(`${component} ${JSON.stringify(row)}`, () => {
            console.log(show(ofRollout(component, row)).join("\n"));
        });
    }
});
