import * as assert from "node:assert/strict";
import { endItems } from "../../../../../provider/lifecycle/dryRun/holds";
import { describePlan, describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import { templateState } from "../../../../../provider/lifecycle/walks/wantedTemplate";
import { claimOf, type Deviation, evicting, now, observed } from "../../../../support/lifecycle/observations";
import type { Component } from "../../../../../topology/members";
import { lostNode } from "../../../../support/lifecycle/deaths";
import { plannedRollout, type PlannedTarget, rolloutRun } from "../../../../support/lifecycle/planned";

/** The lines of a plan as `pulumi preview` shows them. */
type PlanRow = [name: string, component: Component, row: Deviation, lines: string[], target?: Partial<PlannedTarget>];
function planTable(name: string, rows: PlanRow[], plan: typeof plannedRollout): void {
    describe(name, () => {
        for (const [title, component, row, lines, change] of rows) {
            it(title, () => {
                const { observation, target } = observed(component, row);
                assert.deepEqual(plan(observation, { ...target, ...change }).map(describeStep), lines);
            });
        }
    });
}

const restart3 = (leaders = 500, first = "") =>
    `restart basic-tikv-3 (old revision old): ${first}evict ${leaders} leaders, delete pod, end the eviction; until Ready, store Up`;
const settles = (heldFor: number, seconds: number, leader = "basic-pd-0") =>
    `wait ~${seconds} s (PD's counts of regions are not known: ${leader} has led PD for ${heldFor} s, and its counts can be trusted only after 70 s), `;
planTable(
    "a rollout's plan",
    [
        ["has a stale TiKV", "tikv", { stale: [3] }, [`${restart3()} (~83 s)`]],
        [
            "has no leaders to evict where there are none",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { reported: 0 } } } },
            [`${restart3(0)} (~30 s)`],
        ],
        [
            "takes no time for a return of leaders for which nothing waits: with so few the next eviction begins with none back",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { reported: 199 } } } },
            [`${restart3(199)} (~40 s)`],
        ],
        [
            "takes the time of the return of leaders from 200 on, as the restart waits for it",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { reported: 200 } } } },
            [`${restart3(200)} (~52 s)`],
        ],
        [
            "says what PD's new leader must hear first, if it is younger than that",
            "tikv",
            { stale: [3], leadership: { heldFor: 20_000 } },
            [`${restart3(500, settles(20, 50))} (~2 min)`],
        ],
        [
            "which takes all of its time where PD is restarted in the same update",
            "tikv",
            { stale: [3] },
            [`${restart3(500, settles(0, 70, "PD's new leader"))} (~3 min)`],
            { pdRestarts: true },
        ],
        [
            "and which is no part of a start that comes first",
            "tikv",
            { stale: [3], pods: { 2: undefined } },
            [
                "start basic-tikv-2 (does not exist yet); until Ready, store Up (~30 s)",
                `${restart3(500, settles(30, 40, "PD's new leader"))} (~2 min)`,
            ],
            { pdRestarts: true },
        ],
        [
            "says nothing of that where nothing is restarted",
            "tikv",
            { leadership: { heldFor: 20_000 }, pods: { 3: undefined } },
            ["start basic-tikv-3 (does not exist yet); until Ready, store Up (~30 s)"],
            { pdRestarts: true },
        ],
        [
            "names the version that has written a pod's volumes, if it is another one; a released volume is emptied first",
            "tikv",
            {
                pods: { 1: undefined, 2: undefined, 3: undefined },
                claims: [
                    claimOf("tikv", 1, { version: "v8.5.2" }),
                    claimOf("tikv", 2, { version: "v8.5.3" }),
                    claimOf("tikv", 3, { version: "v8.5.2", released: true }),
                ],
            },
            [
                "start basic-tikv-3 (does not exist yet); until Ready, store Up (~30 s)",
                "start basic-tikv-2 (does not exist yet); until Ready, store Up (~30 s)",
                "start basic-tikv-1 (does not exist yet; v8.5.2 to v8.5.3); until Ready, store Up (~30 s)",
            ],
            { tag: "v8.5.3" },
        ],
        [
            "does not promise when a pod on a silent node restarts, and says what ends the wait",
            "tidb",
            { stale: [1], pods: { 1: lostNode() } },
            [
                "restart basic-tidb-1 (old revision old): delete pod; until Ready, /status healthy (nobody knows how long); risk: nothing can start it on that node now: unless the node comes back, or another pod takes its place, the update fails after 10 minutes",
            ],
        ],
        [
            "has pods of no revision, and the last part of others",
            "tidb",
            { stale: [0], pods: { 0: { revision: "basic-tidb-7f9c" }, 1: { revision: undefined } } },
            [
                "restart basic-tidb-1 (old revision (none)): delete pod; until Ready, /status healthy (~30 s)",
                "restart basic-tidb-0 (old revision 7f9c): delete pod; until Ready, /status healthy (~30 s)",
            ],
        ],
        [
            "has pods that are not Ready, with why",
            "tidb",
            { pods: { 0: { ready: false }, 1: { ready: false, sidecarTrouble: "CrashLoopBackOff" } } },
            [
                "start basic-tidb-1 (CrashLoopBackOff); until Ready, /status healthy (~30 s)",
                "start basic-tidb-0 (not Ready); until Ready, /status healthy (~30 s)",
            ],
        ],
        [
            "waits for the controller: until then nobody knows which pods are stale",
            "tidb",
            { settled: false },
            [
                "wait basic-tidb (the StatefulSet controller has not seen the newest template); until every pod runs it (~5 s)",
            ],
        ],
        [
            "which is part of a restart where one is known",
            "tidb",
            { settled: false, stale: [1] },
            ["restart basic-tidb-1 (old revision old): delete pod; until Ready, /status healthy (~30 s)"],
        ],
        [
            "and no part of a start",
            "tidb",
            { settled: false, pods: { 1: undefined } },
            [
                "start basic-tidb-1 (does not exist yet); until Ready, /status healthy (~30 s)",
                "wait basic-tidb (the StatefulSet controller has not seen the newest template); until every pod runs it (~5 s)",
            ],
        ],
        [
            "has an eviction that an earlier run left behind",
            "tikv",
            { records: evicting(2), evicted: [12] },
            ["clean up basic-tikv-2 (an earlier run left the eviction of store 12 behind): end the eviction (~28 s)"],
        ],
        [
            "is ended by the pod's own step, if it has one",
            "tikv",
            {
                stale: [2],
                stores: { 2: { leaderCount: { reported: 0 } } },
                ownLeaders: { 2: 0 },
                evicted: [12],
                limits: { "leader-schedule-limit": 64 },
                records: {
                    ...evicting(2),
                    raisedLimits: {
                        begunAt: now,
                        pod: "basic-tikv-2",
                        limits: { "leader-schedule-limit": { before: 4, to: 64, isSet: true } },
                    },
                },
            },
            [
                "restart basic-tikv-2 (old revision old): put back PD's leader-schedule-limit from 64 to 4, delete pod, end the eviction; until Ready, store Up (~58 s)",
            ],
        ],
        ["has none that was ended", "tikv", { records: evicting(2, { endedAt: now }) }, []],
        [
            "says what the restart of the only TiDB risks",
            "tidb",
            { live: 1, stale: [0] },
            [
                "restart basic-tidb-0 (old revision old): delete pod; until Ready, /status healthy (~30 s); risk: the only TiDB: no SQL during the restart",
            ],
        ],
    ],
    plannedRollout,
);

describe("a rollout's plan while PD's counts are not known and nobody knows when", () => {
    for (const [name, row, where] of [
        ["nobody leads PD", { leadership: null }, "not foreseen from its wait at majorities-stay of basic-tikv-3"],
        [
            "PD has not loaded its schedulers",
            { leadership: { hasSchedulers: false } },
            "not foreseen from its wait at no-foreign-eviction of basic-tikv-3",
        ],
    ] as [string, Deviation, string][]) {
        it(`keeps the restart, and promises nothing of it: ${name}`, () => {
            const { observation, target } = observed("tikv", { ...row, stale: [3] });
            assert.deepEqual(plannedRollout(observation, target).map(describeStep), [
                "restart basic-tikv-3 (old revision old); until Ready, store Up (~30 s)",
            ]);
            const [end] = describePlan(endItems(rolloutRun(observation, target)));
            assert.ok(end.includes(where), end);
        });
    }
});

describe("a rollout's plan before there is a StatefulSet", () => {
    const { observation, target } = observed("tidb", {});
    const start = (ordinal: number) =>
        `start basic-tidb-${ordinal} (does not exist yet); until Ready, /status healthy (~30 s)`;
    const bare = { component: "tidb" as const, pods: [], claims: [] };
    for (const [name, members] of [
        ["the member was not read", {}],
        ["it has none", { tidb: bare }],
    ] as const) {
        it(`has all pods to start: ${name}`, () => {
            const seen = { ...observation, members };
            assert.deepEqual(plannedRollout(seen, target).map(describeStep), [start(1), start(0)]);
            assert.equal(templateState(seen, target), "unknown");
        });
    }
});
