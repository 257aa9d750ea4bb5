import * as assert from "node:assert/strict";
import type { Component } from "../../../provider/lifecycle/observation";
import {
    describeStep,
    describeUndecided,
    planRollout,
    planScale,
    type PlanStep,
    templateState,
} from "../../../provider/lifecycle/plan";
import { planSuspend } from "../../../provider/lifecycle/suspend";
import type { MemberTarget } from "../../../provider/lifecycle/target";
import { claimOf, type Deviation, evicting, now, observed, storeOf } from "../../support/lifecycle/observations";

/** Each line of a plan as `pulumi preview` shows it. */
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

const restart3 = (before = "evict 500 leaders (~25 s), ") =>
    `restart basic-tikv-3 (old revision old): ${before}delete pod; until Ready, store Up, 2/3 of its leaders back`;
const settle = (why: string, seconds: number) =>
    `settle basic-tikv (${why}); until its counts can be trusted (~${seconds} s)`;
const removals = (of: string, pod: string): Deviation["records"] => ({
    evictions: {},
    removals: { [of]: { pod, begunAt: now } },
});

planTable(
    "a rollout's plan",
    [
        ["has a stale TiKV", "tikv", { stale: [3] }, [`${restart3()} (~73 s)`]],
        [
            "has no leaders to evict where there are none",
            "tikv",
            { stale: [3], stores: { 3: { leaderCount: { said: 0 } } } },
            [`${restart3("evict 0 leaders (~0 s), ")} (~20 s)`],
        ],
        [
            "says what PD's new leader must hear first, if it is younger than that",
            "tikv",
            { stale: [3], leadership: { heldFor: 20_000 } },
            [
                settle(
                    "who leads the regions is not known: basic-pd-0 has led PD for 20 s, and its counts can be trusted after 70 s",
                    50,
                ),
                `${restart3()} (~73 s)`,
            ],
        ],
        [
            "which takes all of its time where PD is restarted in the same update",
            "tikv",
            { stale: [3] },
            [settle("PD gets a new leader, which must first hear of every region", 70), `${restart3()} (~73 s)`],
            { pdRestarts: true },
        ],
        [
            "or nobody knows who leads it",
            "tikv",
            { stale: [3], leadership: null },
            [settle("who leads the regions is not known: PD has no leader", 70), `${restart3()} (~73 s)`],
        ],
        [
            "or is over, and only its schedulers are lacking",
            "tikv",
            { stale: [3], leadership: { hasSchedulers: false } },
            [
                settle("who leads the regions is not known: basic-pd-0 has not loaded its schedulers", 0),
                `${restart3()} (~73 s)`,
            ],
        ],
        [
            "says nothing of that where nothing is restarted",
            "tikv",
            { leadership: { heldFor: 20_000 }, pods: { 3: undefined } },
            ["start basic-tikv-3 (not there yet); until Ready, store Up (~30 s)"],
            { pdRestarts: true },
        ],
        [
            "has pods of no revision, and the last part of others",
            "tidb",
            { stale: [0], pods: { 0: { revision: "basic-tidb-7f9c" }, 1: { revision: undefined } } },
            [
                "restart basic-tidb-1 (old revision (none)): delete pod; until Ready, /status well (~30 s)",
                "restart basic-tidb-0 (old revision 7f9c): delete pod; until Ready, /status well (~30 s)",
            ],
        ],
        [
            "has pods that are not Ready, with why",
            "tidb",
            { pods: { 0: { ready: false }, 1: { ready: false, sidecarTrouble: "CrashLoopBackOff" } } },
            [
                "start basic-tidb-1 (CrashLoopBackOff); until Ready, /status well (~30 s)",
                "start basic-tidb-0 (not Ready); until Ready, /status well (~30 s)",
            ],
        ],
        [
            "waits for the controller: until then nobody knows which pods are stale",
            "tidb",
            { settled: false },
            ["wait basic-tidb (its controller has not seen the newest template); until every pod runs it (~5 s)"],
        ],
        [
            "which is part of a restart where one is known",
            "tidb",
            { settled: false, stale: [1] },
            ["restart basic-tidb-1 (old revision old): delete pod; until Ready, /status well (~30 s)"],
        ],
        [
            "and no part of a start",
            "tidb",
            { settled: false, pods: { 1: undefined } },
            [
                "start basic-tidb-1 (not there yet); until Ready, /status well (~30 s)",
                "wait basic-tidb (its controller has not seen the newest template); until every pod runs it (~5 s)",
            ],
        ],
        [
            "has an eviction that an earlier run left behind",
            "tikv",
            { records: evicting(2) },
            [
                "clean-up basic-tikv-2 (an earlier run left the eviction of store 12 behind): end the eviction; until PD no longer lists it (~1 s)",
            ],
        ],
        ["has none that was ended", "tikv", { records: evicting(2, { endedAt: now }) }, []],
        [
            "says what the restart of the only TiDB risks",
            "tidb",
            { live: 1, stale: [0] },
            [
                "restart basic-tidb-0 (old revision old): delete pod; until Ready, /status well (~30 s); risk: the only TiDB: no SQL meanwhile",
            ],
        ],
    ],
    planRollout,
);

describe("a rollout's plan before there is a StatefulSet", () => {
    const { observation, target } = observed("tidb", {});
    const start = (ordinal: number) => `start basic-tidb-${ordinal} (not there yet); until Ready, /status well (~30 s)`;
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

const given = { released: true };
const grave = storeOf(3, { state: "Tombstone" });
const givenUp = { stores: { 3: undefined }, tombstones: [grave], claims: [claimOf("tikv", 3, given)] };
planTable(
    "a plan of scaling",
    [
        [
            "has a store that leaves, and how long that takes",
            "tikv",
            { live: 4, replicas: 3 },
            [
                "remove basic-tikv-3 (4 to 3 replicas): take store 13 out, move its 1500 regions, wait for Tombstone; until its volumes are marked as given up (~19 min)",
            ],
        ],
        [
            "has one that PD has no store of",
            "tikv",
            { live: 4, replicas: 3, stores: { 3: undefined } },
            [
                "remove basic-tikv-3 (4 to 3 replicas): make sure that PD has no store of it; until its volumes are marked as given up (~0 s)",
            ],
        ],
        [
            "has volumes that are given up and come back, and no others",
            "tikv",
            {
                live: 3,
                replicas: 5,
                claims: [claimOf("tikv", 3), claimOf("tikv", 4, given), claimOf("tikv", 2, given)],
            },
            [
                "empty-volume basic-tikv-4 (an earlier scale-in gave its volumes up): delete the old claims, so that it starts empty; until the claims are gone (~5 s)",
            ],
        ],
        [
            "has a scale-in that was taken back while its store was on its way",
            "tikv",
            { records: removals("13", "basic-tikv-3"), stores: { 3: { state: "Offline" } } },
            ["take-back basic-tikv-3 (a scale-in was taken back): set store 13 Up again; until PD calls it Up (~5 s)"],
        ],
        [
            "has one that was taken back before it began",
            "tikv",
            { records: removals("13", "basic-tikv-3") },
            [
                "take-back basic-tikv-3 (a scale-in was taken back): forget that it was to go; until it is on record no more (~1 s)",
            ],
        ],
        [
            "has one that was taken back too late",
            "tikv",
            givenUp,
            [
                "empty-volume basic-tikv-3 (a scale-in was taken back too late): delete its claims and its pod, so that it starts empty; until both are gone (~30 s)",
            ],
        ],
    ],
    planScale,
);

describe("a step of a plan in one line", () => {
    const step: PlanStep = {
        ...{ kind: "restart", target: "basic-tikv-3", why: "new template", does: ["evict", "delete pod"] },
        ...{ waitsFor: "Ready", estimateSeconds: 119 },
    };
    const rest = "until Ready";
    it("has all that is done, and what it risks", () => {
        const line = "restart basic-tikv-3 (new template): evict, delete pod; until Ready (~119 s)";
        assert.equal(describeStep(step), line);
        assert.equal(describeStep({ ...step, risk: "no quorum" }), `${line}; risk: no quorum`);
    });
    it("says seconds below two minutes, and minutes from there on", () => {
        const takes = (estimateSeconds: number) => describeStep({ ...step, does: [], estimateSeconds });
        assert.equal(takes(119), `restart basic-tikv-3 (new template); ${rest} (~119 s)`);
        assert.equal(takes(120), `restart basic-tikv-3 (new template); ${rest} (~2 min)`);
        assert.equal(takes(3_600), `restart basic-tikv-3 (new template); ${rest} (~60 min)`);
    });
    it("does not say how, where PD is to be asked first", () =>
        assert.equal(describeUndecided(step), "restart basic-tikv-3 (new template): once PD answers"));
});

describe("the plan of suspending a member", () => {
    it("says what stays", () => {
        const { observation, target } = observed("tidb", {});
        assert.deepEqual(planSuspend(observation, target).map(describeStep), [
            "suspend basic-tidb (suspendAction): delete its StatefulSet; volumes, Services and ConfigMap stay; until its 2 pods have ended (~30 s)",
        ]);
        assert.deepEqual(planSuspend({ ...observation, members: {} }, target), []);
    });
});
