import * as assert from "node:assert/strict";
import { endItems } from "../../../../../provider/lifecycle/dryRun/holds";
import { describeStep, describeUndecided } from "../../../../../provider/lifecycle/walks/describePlan";
import type { PlanStep } from "../../../../../provider/lifecycle/walks/planStep";
import type { MemberTarget } from "../../../../../provider/lifecycle/vocabulary/target";
import { neverStarted } from "../../../../support/lifecycle/decisionTable";
import { claimOf, type Deviation, now, observed, storeOf } from "../../../../support/lifecycle/observations";
import type { Component } from "../../../../../topology/members";
import { plannedScale, plannedSuspension, scaleRun } from "../../../../support/lifecycle/planned";

/** The lines of a plan as `pulumi preview` shows them, and where the update is held, without what it waits for there. */
type PlanRow = [name: string, component: Component, row: Deviation, lines: string[], target?: Partial<MemberTarget>];
function planTable(name: string, rows: PlanRow[]): void {
    describe(name, () => {
        for (const [title, component, row, lines, change] of rows) {
            it(title, () => {
                const { observation, target: given } = observed(component, row);
                const target = { ...given, ...change };
                const ends = endItems(scaleRun(observation, target)).map((item) =>
                    item.is === "held" ? item.where : item.is,
                );
                assert.deepEqual([...plannedScale(observation, target).map(describeStep), ...ends], lines);
            });
        }
    });
}

const removals = (of: string, pod: string): Deviation["records"] => ({
    evictions: {},
    removals: { [of]: { pod, begunAt: now } },
});

const given = { released: true, releasedId: "13" };
const grave = storeOf(3, { state: "Tombstone" });
const givenUp = { stores: { 3: undefined }, tombstones: [grave], claims: [claimOf("tikv", 3, given)] };
planTable("a plan of scaling", [
    [
        "has a store that leaves, and how long that takes",
        "tikv",
        { live: 4, replicas: 3, claims: [claimOf("tikv", 3)] },
        [
            "remove basic-tikv-3 (4 to 3 replicas): remove store 13, move its 1500 regions, mark its volumes as released (~6 min)",
        ],
    ],
    [
        "has one that PD has no store of",
        "tikv",
        { live: 4, replicas: 3, stores: { 3: undefined }, claims: [claimOf("tikv", 3)] },
        ["remove basic-tikv-3 (4 to 3 replicas) (~30 s)", "held at store-known of basic-tikv-3"],
    ],
    [
        "has one whose process never ran, and for how long it may still register a store",
        "tikv",
        { live: 4, replicas: 3, stores: { 3: undefined }, pods: { 3: neverStarted }, claims: [claimOf("tikv", 3)] },
        [
            "remove basic-tikv-3 (4 to 3 replicas): wait ~150 s (PD lists no store for basic-tikv-3, whose process has not run yet: it may still start within 150 s), mark its volumes as released (~3 min)",
        ],
    ],
    [
        "has one whose process never ran, on volumes of a store that PD has removed",
        "tikv",
        { live: 4, replicas: 3, ...givenUp, pods: { 3: neverStarted } },
        ["remove basic-tikv-3 (4 to 3 replicas) (~30 s)"],
    ],
    [
        "has one whose process never ran, on volumes with a mark: a mark without a store shortens nothing",
        "tikv",
        { live: 4, replicas: 3, ...givenUp, tombstones: [], pods: { 3: neverStarted } },
        [
            "remove basic-tikv-3 (4 to 3 replicas): wait ~150 s (PD lists no store for basic-tikv-3, whose process has not run yet: it may still start within 150 s) (~3 min)",
        ],
    ],
    [
        "has a PD member that leaves",
        "pd",
        { live: 4, replicas: 3, claims: [claimOf("pd", 3)] },
        ["remove basic-pd-3 (4 to 3 replicas): remove the member from PD, mark its volumes as released (~30 s)"],
    ],
    [
        "has a PD member whose process never ran, and for how long it may still join",
        "pd",
        { live: 4, replicas: 3, notMembers: [3], pods: { 3: neverStarted }, claims: [claimOf("pd", 3)] },
        [
            "remove basic-pd-3 (4 to 3 replicas): wait ~150 s (PD lists no member for basic-pd-3, whose process has not run yet: it may still start within 150 s), mark its volumes as released (~3 min)",
        ],
    ],
    [
        "has a pump that never ran, and for how long it may still register",
        "pump",
        { live: 2, replicas: 1, pumps: { 1: null }, pods: { 1: neverStarted }, claims: [claimOf("pump", 1)] },
        [
            "remove basic-pump-1 (2 to 1 replicas): wait ~150 s (PD lists no pump for basic-pump-1, which may still register one), mark its volumes as released (~3 min)",
        ],
    ],
    [
        "has a pod without volumes, which is only waited for itself",
        "tidb",
        { live: 2, replicas: 1 },
        ["remove basic-tidb-1 (2 to 1 replicas): graceful shutdown; until its pod is gone (~30 s)"],
    ],
    [
        "has the last TiDB, which ends SQL",
        "tidb",
        { live: 2, replicas: 0 },
        [
            "remove basic-tidb-1 (2 to 0 replicas): graceful shutdown; until its pod is gone (~30 s)",
            "remove basic-tidb-0 (2 to 0 replicas): graceful shutdown; until its pod is gone (~30 s); risk: no TiDB is left: no SQL",
        ],
    ],
    [
        "has the last TiProxy, which ends SQL through it",
        "tiproxy",
        { live: 1, replicas: 0 },
        [
            "remove basic-tiproxy-0 (1 to 0 replicas): graceful shutdown; until its pod is gone (~30 s); risk: no TiProxy is left: no SQL through it",
        ],
    ],
    [
        "has the last TiCDC, which ends replication",
        "ticdc",
        { live: 1, replicas: 0 },
        [
            "remove basic-ticdc-0 (1 to 0 replicas): graceful shutdown; until its pod is gone (~30 s); risk: no TiCDC is left: changes are not replicated",
        ],
    ],
    [
        "has no such risk if no pod ran before",
        "tidb",
        { live: 1, replicas: 0, pods: { 0: undefined } },
        ["remove basic-tidb-0 (1 to 0 replicas): graceful shutdown; until its pod is gone (~30 s)"],
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
            "take back the removal of basic-tikv-2 (a scale-in was reverted): mark its volumes as kept (~1 s)",
            "empty the volumes of basic-tikv-4 (an earlier scale-in released its volumes): delete its claims, so it starts empty (~1 s)",
        ],
    ],
    [
        "has a scale-in that was taken back while its store was on its way",
        "tikv",
        { records: removals("13", "basic-tikv-3"), stores: { 3: { state: "Offline" } } },
        ["take back the removal of basic-tikv-3 (a scale-in was reverted): set store 13 Up again (~1 s)"],
    ],
    [
        "has one that was taken back before it began",
        "tikv",
        { records: removals("13", "basic-tikv-3") },
        [
            "take back the removal of basic-tikv-3 (a scale-in was reverted): delete the record of the finished removal of 13 (~1 s)",
        ],
    ],
    [
        "has one that was taken back, while nobody knows what has become of the store: its volume may be full of data",
        "tikv",
        { records: removals("13", "basic-tikv-3"), unknown: ["stores"] },
        ["wait basic-tikv-3 (a scale-in was reverted) (~1 s)", "held at removal-taken-back of basic-tikv-3"],
    ],
    [
        "has one that was taken back too late",
        "tikv",
        givenUp,
        [
            "empty the volumes of basic-tikv-3 (an earlier scale-in has already taken it out of the cluster): delete its claims, so it starts empty, delete pod (~30 s)",
        ],
    ],
    [
        "has one that was taken back too late, and is still on record",
        "tikv",
        { ...givenUp, records: removals("13", "basic-tikv-3") },
        [
            "empty the volumes of basic-tikv-3 (an earlier scale-in has already taken it out of the cluster): delete its claims, so it starts empty, delete pod (~30 s)",
        ],
    ],
]);

describe("a step of a plan in one line", () => {
    const step: PlanStep = {
        ...{ kind: "restart", component: "tikv", target: "basic-tikv-3", why: "new template" },
        does: ["evict", "delete pod"],
        ...{ waitsFor: "Ready", estimateSeconds: 119 },
    };
    const rest = "until Ready";
    it("has everything that is done, and its risk", () => {
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
    it("does not say how, if PD must be queried first", () =>
        assert.equal(describeUndecided(step), "restart basic-tikv-3 (new template): once PD answers"));
});

describe("the plan of suspending a member", () => {
    it("says what stays", () => {
        const { observation, target } = observed("tidb", {});
        assert.deepEqual(plannedSuspension(observation, target).map(describeStep), [
            "suspend basic-tidb (suspendAction): delete its StatefulSet; volumes, Services and ConfigMap stay; until its 2 pods have stopped (~30 s); risk: no TiDB is left: no SQL",
        ]);
        assert.deepEqual(plannedSuspension({ ...observation, members: {} }, target), []);
    });
});

describe("a reverted scale-in about which PD reports nothing", () => {
    it("is still part of the plan", () => {
        const { observation, target } = observed("tikv", {
            records: removals("13", "basic-tikv-3"),
            unknown: ["stores"],
        });
        assert.deepEqual(
            plannedScale(observation, target).map((step) => step.target),
            ["basic-tikv-3"],
        );
    });
});

describe("the plan of suspending a half-suspended member", () => {
    const { observation, target } = observed("tidb", {});
    const tidb = observation.members.tidb ?? assert.fail();
    const steps = (change: object) =>
        plannedSuspension({ ...observation, members: { tidb: { ...tidb, ...change } } }, target).length;
    it("has a step for what is left", () => {
        assert.deepEqual([steps({ pods: [] }), steps({ statefulSet: undefined })], [1, 1]);
        assert.equal(steps({ statefulSet: undefined, pods: [] }), 0);
    });
});
