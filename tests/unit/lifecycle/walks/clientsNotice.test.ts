import * as assert from "node:assert/strict";
import { allSteps } from "../../../../provider/lifecycle/dryRun/planSteps";
import { clientsNotice } from "../../../../provider/lifecycle/walks/clientsNotice";
import { planRollout } from "../../../../provider/lifecycle/walks/planRollout";
import type { Component } from "../../../../topology/members";
import { type Deviation, observed } from "../../../support/lifecycle/observations";
import { rolloutRun } from "../../../support/lifecycle/planned";

function noticeOf(component: Component, row: Deviation): string | undefined {
    const { observation, target } = observed(component, row);
    const run = rolloutRun(observation, target);
    return clientsNotice(run, allSteps(planRollout(run, observation, target)), target);
}

describe("what clients notice of an upgrade", () => {
    const rows: [string, Component, Deviation, string | undefined][] = [
        [
            "TiKV: leaders move",
            "tikv",
            { stale: [2, 3] },
            "clients notice: 1000 leaders of 2 stores move, and requests to them are tried again",
        ],
        [
            "TiKV without leaders: nothing",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { reported: 0 } } } },
            undefined,
        ],
        ["PD, not its leader: nothing", "pd", { stale: [1, 2] }, undefined],
        [
            "PD's leader: it moves once",
            "pd",
            { stale: [0, 1, 2] },
            "clients notice: PD's leader moves, and requests to PD wait for a moment",
        ],
        [
            "TiDB: connections close",
            "tidb",
            { stale: [0, 1] },
            "clients notice: 2 restarts of TiDB close their connections at most 15 s after they take no new ones",
        ],
        ["nothing to restart: nothing", "tidb", {}, undefined],
    ];
    for (const [name, component, row, words] of rows) {
        it(name, () => assert.equal(noticeOf(component, row), words));
    }
});
