import * as assert from "node:assert/strict";
import { describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import { planRollout } from "../../../../../provider/lifecycle/walks/planRollout";
import { templateState } from "../../../../../provider/lifecycle/walks/wantedTemplate";
import type { MemberTarget } from "../../../../../provider/lifecycle/vocabulary/target";
import { claimOf, type Deviation, evicting, now, observed } from "../../../../support/lifecycle/observations";
import type { Component } from "../../../../../topology/members";
import { lostNode } from "../../../../support/lifecycle/deaths";

/** The lines of a plan as `pulumi preview` shows them. */
type PlanRow = [name: string, component: Component, row: Deviation, lines: string[], target?: Partial<MemberTarget>];
function planTable(name: string, rows: PlanRow[], plan: typeof planRollout): void {
    describe(name, () => {
        for (const [title, component, row, lines, change] of rows) {
            it(title, () => {
                const { observation, target } = observed(component, row);
                assert.deepEqual(plan(observation, { ...target, ...change }).map(describeStep), lines);
            });
        }
    });
}

const restart3 = (before = "evict 500 leaders (~25 s), ", returning = ", 2/3 of its leaders back") =>
    `restart basic-tikv-3 (old revision old): ${before}delete pod; until Ready, store Up${returning}`;
const settle = (why: string, seconds: number) =>
    `settle basic-tikv (${why}); until PD's counts can be trusted (~${seconds} s)`;
planTable(
    "a rollout's plan",
    [
        ["has a stale TiKV", "tikv", { stale: [3] }, [`${restart3()} (~73 s)`]],
        [
            "has no leaders to evict where there are none",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { reported: 0 } } } },
            [`${restart3("evict 0 leaders (~0 s), ", "")} (~20 s)`],
        ],
        [
            "names no return of leaders for which nothing waits: with so few the next eviction begins with none back",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { reported: 199 } } } },
            [`${restart3("evict 199 leaders (~10 s), ", "")} (~30 s)`],
        ],
        [
            "names the return of leaders from 200 on, as the restart waits for it",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { reported: 200 } } } },
            [`${restart3("evict 200 leaders (~10 s), ")} (~42 s)`],
        ],
        [
            "says what PD's new leader must hear first, if it is younger than that",
            "tikv",
            { stale: [3], leadership: { heldFor: 20_000 } },
            [
                settle(
                    "the leaders of the regions are not known: basic-pd-0 has led PD for 20 s, and its counts can be trusted only after 70 s",
                    50,
                ),
                `${restart3()} (~73 s)`,
            ],
        ],
        [
            "which takes all of its time where PD is restarted in the same update",
            "tikv",
            { stale: [3] },
            [settle("PD gets a new leader, to which every region must first be reported", 70), `${restart3()} (~73 s)`],
            { pdRestarts: true },
        ],
        [
            "and which comes before everything else that is done",
            "tikv",
            { stale: [3], pods: { 2: undefined } },
            [
                settle("PD gets a new leader, to which every region must first be reported", 70),
                "start basic-tikv-2 (does not exist yet); until Ready, store Up (~30 s)",
                `${restart3()} (~73 s)`,
            ],
            { pdRestarts: true },
        ],
        [
            "or nobody knows who leads it",
            "tikv",
            { stale: [3], leadership: null },
            [settle("the leaders of the regions are not known: PD has no leader", 70), `${restart3()} (~73 s)`],
        ],
        [
            "or is over, and only its schedulers are lacking",
            "tikv",
            { stale: [3], leadership: { hasSchedulers: false } },
            [
                settle("the leaders of the regions are not known: basic-pd-0 has not loaded its schedulers", 0),
                `${restart3()} (~73 s)`,
            ],
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
            { records: evicting(2) },
            [
                "clean up basic-tikv-2 (an earlier run left the eviction of store 12 behind): end the eviction; until PD no longer lists it (~1 s)",
            ],
        ],
        [
            "says so with the pod's own step, if it has one",
            "tikv",
            {
                stale: [2],
                stores: { 2: { leaderCount: { reported: 0 } } },
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
                "restart basic-tikv-2 (old revision old): evict 0 leaders (~0 s), delete pod, afterwards end the eviction, put back what was there before, unless somebody else has changed it (an earlier run left the eviction of store 12 behind; an earlier run left PD's limits of moving leaders raised); until Ready, store Up, 2/3 of its leaders back (~48 s)",
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
    planRollout,
);

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
            assert.deepEqual(planRollout(seen, target).map(describeStep), [start(1), start(0)]);
            assert.equal(templateState(seen, target), "unknown");
        });
    }
});
