import * as assert from "node:assert/strict";
import { describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { noRecords } from "../../../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../../../topology/members";
import { podBatch } from "../../../../support/lifecycle/batches";
import { lostSight, notReady } from "../../../../support/lifecycle/decisionTable";
import { claimOf, type Deviation, emptyMemory, now, observed } from "../../../../support/lifecycle/observations";
import { few, regionOn, zoned } from "../../../../support/lifecycle/zones";
import { repeats } from "../../../../support/repeats";
import { batchesNeed, plannedRollout } from "../../../../support/lifecycle/planned";

const range = (count: number) => Array.from({ length: count }, (_, one) => one);
const numbers = (component: Component, pods: readonly string[]) =>
    pods.map((pod) => pod.replace(`basic-${component}-`, "")).join(" ");

/** Which pods restart side by side by the plan, in its order. */
function planned(component: Component, row: Deviation): string[] {
    const { observation, target } = observed(component, row);
    const restarts = plannedRollout(observation, target).filter(({ kind }) => kind === "restart");
    return restarts
        .filter(({ beside }) => beside === undefined)
        .map((first) =>
            numbers(
                component,
                [first, ...restarts.filter(({ beside }) => beside === first.target)].map((one) => one.target),
            ),
        );
}

/** Which pods restart side by side in an update, each of whose moves succeeds at once. */
function done(component: Component, row: Deviation): string[] {
    const { observation, target } = observed(component, row);
    const move = nextRolloutMove(observation, target, emptyMemory, "all-well", "never");
    if (move.kind !== "act") {
        assert.equal(move.kind, "done", JSON.stringify(move));
        return [];
    }
    const { action } = move;
    const restarted = (pods: readonly string[]) => [
        numbers(component, pods),
        ...done(component, { ...row, stale: row.stale?.filter((one) => !pods.includes(`basic-${component}-${one}`)) }),
    ];
    if (action.do === "transfer-leader") {
        return done(component, { ...row, leader: Number(action.to.split("-").at(-1)) });
    }
    assert.ok(action.do === "begin-batch" || action.do === "delete-pod", JSON.stringify(move));
    return restarted(action.do === "begin-batch" ? Object.keys(action.stores) : [action.pod]);
}

/** The update after the gate before it has changed the number of replicas: new pods have the new template. */
const scaled = ({ live, replicas, stale = [], ...row }: Deviation): Deviation => ({
    ...row,
    live: replicas ?? live,
    stale: stale.filter((one) => one < (replicas ?? Infinity)),
});
const all = (live: number, replicas: number, more: Deviation = {}): Deviation => ({
    live,
    replicas,
    stale: range(live),
    ...more,
    policy: { parallelism: 9, maxUnavailable: 2, ...more.policy },
});
const pd = (live: number, replicas: number, more: Deviation = {}): Deviation => ({
    leader: 0,
    ...all(live, replicas, more),
    policy: { parallelism: 9 },
});

describe("the plan of a rollout that comes with a change of replicas shows the batches of the update", () => {
    const rows: [string, Component, Deviation, string[]][] = [
        ["more TiDB: a new pod has shown that the template starts", "tidb", all(4, 5), ["3 2", "1 0"]],
        ["more TiProxy", "tiproxy", all(3, 6), ["2 1", "0"]],
        ["one TiDB more than one", "tidb", all(1, 2), ["0"]],
        ["two more than one: all old ones at once", "tidb", all(2, 4, { policy: { maxUnavailable: "50%" } }), ["1 0"]],
        ["the share is of the new number", "tidb", all(4, 8, { policy: { maxUnavailable: "25%" } }), ["3 2", "1 0"]],
        ["fewer TiDB", "tidb", all(6, 4), ["3", "2 1", "0"]],
        ["PD from three to five: two of five may be down", "pd", pd(3, 5), ["2 1", "0"]],
        ["PD from five to three: one of three may be down", "pd", pd(5, 3), ["2", "1", "0"]],
        ["PD from five to three, and the leader leaves", "pd", pd(5, 3, { leader: 4 }), ["2", "1", "0"]],
        ["PD from three to four", "pd", pd(3, 4), ["2", "1", "0"]],
        ["PD from five to seven", "pd", pd(5, 7), ["4 3 2", "1", "0"]],
    ];
    for (const [name, component, row, expected] of rows) {
        it(name, () => {
            assert.deepEqual(done(component, scaled(row)), expected, "the update");
            assert.deepEqual(planned(component, row), expected, "the plan");
        });
    }
});

describe("the plan of a rollout foresees what the update does first", () => {
    const begins = (component: Component, row: Deviation): string[] =>
        planned(component, row).filter((pods) => pods.includes(" "));
    const remarkOf = (component: Component, row: Deviation) => {
        const { observation, target } = observed(component, row);
        return batchesNeed(observation, target).remark;
    };
    const lines = (component: Component, row: Deviation) => {
        const { observation, target } = observed(component, row);
        return plannedRollout(observation, target).map(describeStep);
    };
    const down = (...ordinals: number[]) => Object.fromEntries(ordinals.map((one) => [one, { ...notReady }]));
    /** Pods that Kubernetes is starting. */
    const starting = (...ordinals: number[]) =>
        Object.fromEntries(ordinals.map((one) => [one, { ...notReady, createdAt: now - 20_000 }]));

    it("and has the batches that are proven once the new pod is well", () => {
        const row = all(4, 5);
        const found = lines("tidb", row).map((line) => line.replace("(old revision old): ", ""));
        assert.deepEqual(found.slice(0, 2), [
            "start basic-tidb-4 (does not exist yet); until Ready, /status healthy (~30 s)",
            "restart basic-tidb-3 in one batch with basic-tidb-2 (the others are Ready), delete pod; until Ready, /status healthy (~30 s); risk: restarts beside basic-tidb-2: 3 pods serve meanwhile",
        ]);
        assert.equal(remarkOf("tidb", row), undefined);
        assert.match(lines("tidb", all(4, 7))[3], /^restart basic-tidb-3 .*: in one batch with basic-tidb-2 \(/);
        assert.match(
            lines("pd", pd(7, 5, { claims: [claimOf("pd", 5), claimOf("pd", 6)] })).join("\n"),
            /in one batch with .* \(proven by PD's list of its members\)/,
        );
    });
    it("pods of a run that was killed, which are not Ready yet", () => {
        assert.deepEqual(begins("tidb", all(5, 5, { stale: [0, 1, 2, 3], pods: { 4: undefined } })), ["3 2", "1 0"]);
        assert.deepEqual(begins("tidb", all(5, 5, { stale: [0, 1, 2, 3], pods: starting(4) })), ["3 2", "1 0"]);
        assert.deepEqual(
            begins("pd", pd(5, 5, { stale: [0, 1, 2, 3], pods: starting(4), unhealthy: [4], notReadyMembers: [4] })),
            ["3 2"],
        );
        assert.deepEqual(begins("pd", pd(5, 5, { stale: [0, 1, 2, 3], pods: { 4: undefined }, notMembers: [4] })), [
            "3 2",
        ]);
    });
    it("pods that do not start with the earlier template: they are first, and have shown that the new one starts", () => {
        const row = all(5, 5, { pods: down(1), tidb: { 1: "does not answer" } });
        assert.deepEqual(planned("tidb", row), ["1", "4 3", "2 0"]);
        assert.match(lines("tidb", row)[1], /: in one batch with basic-tidb-3 \(the others are Ready\)/);
        const tikv = zoned({ pods: down(1), stores: { 1: { state: "Down" } } });
        assert.deepEqual(planned("tikv", tikv), ["1", "5 2", "4", "3 0"]);
    });
    it("but no pod that a failover has replaced, for which nothing waits", () => {
        const failure = { podUid: "uid-2", claims: [], replacedBy: "basic-tidb-5", counts: true as const, at: 0 };
        const records = { ...noRecords(), failovers: { tidb: { uid: "1", failures: { "basic-tidb-2": failure } } } };
        const row = all(5, 6, { records, pods: { 2: lostSight } });
        assert.deepEqual(begins("tidb", row), []);
        repeats(remarkOf("tidb", row), "basic-tidb-2 is not Ready");
    });
    it("a batch on record, which goes on once the new pod is well", () => {
        const row = all(5, 6, { stale: [0, 1, 2, 3], records: podBatch("tidb", 3, 2) });
        assert.deepEqual(begins("tidb", row), ["3 2", "1 0"]);
    });
    it("new stores, of which nothing is known before: their regions are on the others now", () => {
        const row = zoned({ replicas: 7 });
        assert.deepEqual(planned("tikv", row), ["5 2", "4 1", "3 0"]);
        assert.match(lines("tikv", row)[1], /^restart basic-tikv-5 .*\(proven by PD's pd_regions_label_level\)/);
        const unproven = few({
            replicas: 7,
            policy: { parallelism: 2 },
            regionsOf: {
                stores: [15, 14, 13, 12, 11, 10],
                regions: [
                    [5, 4, 3],
                    [5, 2, 1],
                    [4, 3, 0],
                    [2, 1, 0],
                    [4, 2, 0],
                    [5, 3, 1],
                    [5, 0, 1],
                    [4, 1, 2],
                    [3, 2, 0],
                    [5, 4, 0],
                    [5, 3, 2],
                    [4, 3, 1],
                ].map((on, id) => regionOn(id, ...on)),
            },
        });
        repeats(remarkOf("tikv", unproven), "basic-tikv-5 and basic-tikv-");
    });
    it("a store that is being emptied: its regions are on others then", () => {
        const moved = { label: "z" };
        const row = zoned({
            live: 7,
            replicas: 6,
            stale: [0, 1, 2, 3, 4, 5, 6],
            stores: { 6: { state: "Offline", leaderCount: { reported: 0 }, regionCount: 0, labels: moved } },
            claims: [claimOf("tikv", 6)],
            records: { ...noRecords(), removals: { 16: { pod: "basic-tikv-6", begunAt: now } } },
        });
        assert.deepEqual(planned("tikv", row), ["5 2", "4 1", "3 0"]);
        assert.equal(remarkOf("tikv", row), undefined);
        const foreign = zoned({ stores: { 6: undefined }, moreStores: [] });
        assert.deepEqual(planned("tikv", foreign), ["5 2", "4 1", "3 0"]);
    });
});

describe("the plan of a scale-out of PD with a new template", () => {
    const does = (row: Deviation) => {
        const { observation, target } = observed("pd", row);
        return plannedRollout(observation, target).flatMap(({ kind, does: [first = ""] }) =>
            kind === "restart" ? first : [],
        );
    };
    it("gives the leadership to the new member, as the update does", () => {
        const row = pd(3, 4, { policy: {} });
        const { observation, target } = observed("pd", scaled({ ...row, stale: [0] }));
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.ok(move.kind === "act" && move.action.do === "transfer-leader");
        assert.equal(move.action.to, "basic-pd-3");
        assert.deepEqual(does(row), ["delete pod", "delete pod", "transfer leadership to basic-pd-3"]);
    });
    it("and fears no longer for the quorum of one member, once there are three", () => {
        const risks = (row: Deviation) => {
            const { observation, target } = observed("pd", row);
            return plannedRollout(observation, target).map(({ risk }) => risk ?? "");
        };
        assert.deepEqual(risks(pd(1, 3)), ["", "", ""]);
        const leaves = pd(3, 2, { policy: {}, claims: [claimOf("pd", 2)] });
        assert.deepEqual(risks(leaves), Array(2).fill("PD has no quorum during the restart"));
    });
});
