import * as assert from "node:assert/strict";
import { describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import { isSafePoint } from "../../../../../provider/lifecycle/walks/safeStopPoint";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { podBatch } from "../../../../support/lifecycle/batches";
import { noRecords, type Observation } from "../../../../../provider/lifecycle/vocabulary/observation";
import { decisionTable, lostSight, notReady, waited } from "../../../../support/lifecycle/decisionTable";
import { type Deviation, emptyMemory, inShort, now, observed } from "../../../../support/lifecycle/observations";
import { batchesNeed, plannedRollout } from "../../../../support/lifecycle/planned";
import { repeats } from "../../../../support/repeats";

/** Five members of which the first one has restarted, and pod 0 leads. */
const five = (more: Deviation = {}): Deviation => ({
    live: 5,
    stale: [0, 1, 2, 3],
    leader: 0,
    ...more,
    policy: { parallelism: 9, ...more.policy },
});
const many = (count: number, more: Deviation = {}) =>
    five({ live: count, stale: Array.from({ length: count - 1 }, (_, one) => one), ...more });
const begins = "begin-batch basic-pd-3 basic-pd-2";
const alone = "restart basic-pd-3";

decisionTable(
    "PD's members begin to restart side by side",
    "pd",
    [
        ["five members: two may be down", five(), begins],
        ["by zone: as many as may be down", five({ policy: { parallelism: "zone" } }), begins],
        ["nobody asks for it", five({ policy: { parallelism: undefined } }), alone],
        ["one at a time is asked for", five({ policy: { parallelism: 1 } }), alone],
        ["seven members: three may be down", many(7), "begin-batch basic-pd-5 basic-pd-4 basic-pd-3"],
        ["and two are asked for", many(7, { policy: { parallelism: 2 } }), "begin-batch basic-pd-5 basic-pd-4"],
        ["six members: two may be down", many(6), "begin-batch basic-pd-4 basic-pd-3"],
        ["four members: one may be down", many(4), "restart basic-pd-2"],
        ["three members: one may be down", many(3), "restart basic-pd-1"],
        ["the first one restarts alone", five({ stale: [0, 1, 2, 3, 4] }), "restart basic-pd-4"],
        ["until it is well again", five({ unhealthy: [4], notReadyMembers: [4] }), "wait member-healthy basic-pd-4"],
        ["the leader is in no batch", five({ leader: 3 }), "begin-batch basic-pd-2 basic-pd-1"],
        ["and restarts last", five({ leader: 3, stale: [3, 0] }), "restart basic-pd-0"],
        ["once its leadership has moved", five({ leader: 3, stale: [3] }), "transfer-leader to basic-pd-4"],
        ["the first one is a follower, too", five({ leader: 4, stale: [0, 1, 2, 3, 4] }), "restart basic-pd-3"],
        ["who leads is not known", five({ unknown: ["leader"] }), "wait leader-elsewhere basic-pd-3"],
        ["PD has no leader", five({ leader: null }), "wait leader-elsewhere basic-pd-3"],
        ["another member is unhealthy", five({ unhealthy: [0], leader: 4 }), alone],
        ["an unhealthy one joins none", five({ unhealthy: [2] }), alone],
        [
            "a member of somebody else is unhealthy",
            five({ moreMembers: [{ name: "other-pd-0", memberId: "99", healthy: false }] }),
            alone,
        ],
        [
            "a member that never started counts among the members",
            five({ moreMembers: [{ name: "", memberId: "99", healthy: false }] }),
            alone,
        ],
        [
            "a pod that stops is none of a quorum",
            five({ stale: [1, 2, 3], pods: { 0: { terminating: true } }, leader: 4 }),
            "wait pod-stopped basic-pd-0",
        ],
    ],
    nextRolloutMove,
);

const records = podBatch("pd", 3, 2);
decisionTable(
    "a batch of PD's members on record",
    "pd",
    [
        ["restarts the first one", five({ records }), "restart basic-pd-3"],
        ["and the next one beside it", five({ records, pods: { 3: undefined } }), "restart basic-pd-2"],
        [
            "but not while another member is lost",
            five({ records, pods: { 3: undefined }, unhealthy: [3, 1] }),
            "wait pod-created basic-pd-3",
        ],
        [
            "nor while another pod stops",
            five({ records, pods: { 3: undefined, 1: { terminating: true } } }),
            "wait pod-created basic-pd-3",
        ],
        ["nor if it leads by now", five({ records, pods: { 3: undefined }, leader: 2 }), "wait pod-created basic-pd-3"],
        [
            "which ends once the others are back: its leadership moves first",
            five({ records, stale: [0, 1, 2], leader: 2 }),
            "transfer-leader to basic-pd-4",
        ],
        [
            "nor if it was chosen from more members than PD has by now",
            five({ live: 3, stale: [0, 1], records: podBatch("pd", 2, 1), pods: { 2: undefined } }),
            "wait pod-created basic-pd-2",
        ],
        [
            "a newer template is tried by one of them first",
            five({ records, stale: [0, 1, 2, 3, 4] }),
            "restart basic-pd-3",
        ],
        [
            "and the other one waits for it",
            five({ records, stale: [0, 1, 2, 4], pods: { 3: { ...notReady } }, unhealthy: [3] }),
            "wait pod-available basic-pd-3",
        ],
        [
            "until it is healthy",
            five({ records, stale: [0, 1, 2, 4], unhealthy: [3] }),
            "wait member-healthy basic-pd-3",
        ],
        [
            "neither waits for the other one to be back",
            five({ records, stale: [0, 1], pods: { 3: { ...notReady } }, unhealthy: [3, 2] }),
            "wait pod-available basic-pd-3",
        ],
        ["once both are, its record goes", five({ records, stale: [0, 1] }), "forget-batch basic-pd-3 basic-pd-2"],
        [
            "the program no longer asks for it: one by one",
            five({ records, pods: { 3: undefined }, policy: { parallelism: 1 } }),
            "wait pod-created basic-pd-3",
        ],
    ],
    nextRolloutMove,
);

describe("a run that is asked to stop while members of a batch are down", () => {
    const restarted = [0, 1];
    const next = (row: Deviation, more: Partial<Observation> = {}) => {
        const { observation, target } = observed("pd", five({ records, stale: restarted, ...row }));
        const asked = { ...observation, stopRequest: "ana@laptop", ...more };
        const move = nextRolloutMove(asked, target, emptyMemory);
        return { move: inShort(move), isSafe: isSafePoint(asked, move), asked };
    };
    const starts = { ...notReady, seenSince: now - 9_000 };
    it("waits until they are back, whichever comes first", () => {
        for (const [pods, move] of [
            [{ 3: undefined }, "wait pod-created basic-pd-3"],
            [{ 2: undefined }, "wait pod-created basic-pd-2"],
            [{ 3: { terminating: true } }, "wait pod-stopped basic-pd-3"],
            [{ 2: starts }, "wait pod-available basic-pd-2"],
        ] as [Deviation["pods"], string][]) {
            const found = next({ pods });
            assert.deepEqual([found.move, found.isSafe], [move, false]);
        }
        const beside = next({ unhealthy: [3], pods: { 2: undefined } });
        assert.deepEqual([beside.move, beside.isSafe], ["wait member-healthy basic-pd-3", false]);
    });
    it("ends when they are, or when their time is over", () => {
        assert.deepEqual([next({}).move, next({}).isSafe], ["forget-batch basic-pd-3 basic-pd-2", true]);
        const { observation, target } = observed("pd", five({ records, stale: restarted, pods: { 3: starts } }));
        const late = nextRolloutMove(observation, target, waited("pod-available", "basic-pd-3", 3_600));
        assert.equal(inShort(late), "fail pod-available basic-pd-3");
        assert.ok(isSafePoint(observation, late));
    });
    it("restarts none of the others, and waits for none of them", () => {
        const { asked } = next({ stale: [0, 1, 2, 3], pods: { 3: { ready: false } } });
        const wait = { kind: "wait", target: "basic-pd-3", waitingFor: "", since: now } as const;
        assert.ok(isSafePoint(asked, { ...wait, step: "quorum-without-member" }));
        assert.ok(isSafePoint(asked, { ...wait, step: "pod-available", target: "basic-pd-1" }));
        const { observation } = observed("pd", five({ pods: { 3: undefined } }));
        assert.ok(isSafePoint(observation, { ...wait, step: "pod-created" }), "no batch is on record");
    });
    it("looks closer first, at a gate that looks at these members at all", () => {
        const look = { kind: "look", at: { parts: ["health"] } } as const;
        assert.ok(!isSafePoint(next({ pods: { 3: undefined } }).asked, look));
        assert.ok(isSafePoint(next({}).asked, look));
        assert.ok(isSafePoint({ ...next({ pods: { 3: undefined } }).asked, members: {} }, look));
    });
});

describe("the plan of PD's rollout side by side", () => {
    const planned = (row: Deviation) => {
        const { observation, target } = observed("pd", row);
        return plannedRollout(observation, target);
    };
    const remarkOf = (row: Deviation) => {
        const { observation, target } = observed("pd", row);
        return batchesNeed(observation, target).remark;
    };
    it("shows one alone, batches with their margin, and the leader last, whose leadership moves once", () => {
        const lines = planned(five({ stale: [0, 1, 2, 3, 4], leader: 4 })).map(describeStep);
        assert.deepEqual(
            lines.map((line) => line.replace("restart basic-pd-", "").replace("(old revision old): ", "")),
            [
                "3 delete pod; until Ready, healthy in PD (~30 s)",
                "2 in one batch with basic-pd-1 (proven by PD's list of its members), delete pod; until Ready, healthy in PD (~30 s); risk: restarts beside basic-pd-1: PD may lose no other member meanwhile",
                "1 in one batch with basic-pd-2 (proven by PD's list of its members), delete pod; until Ready, healthy in PD (beside basic-pd-2); risk: restarts beside basic-pd-2: PD may lose no other member meanwhile",
                "0 delete pod; until Ready, healthy in PD (~30 s)",
                "4 transfer leadership to basic-pd-0, delete pod; until Ready, healthy in PD (~30 s)",
            ],
        );
    });
    it("names the members that PD can lose besides", () => {
        const [first] = planned(many(7, { policy: { parallelism: 2 } }));
        assert.equal(first.risk, "restarts beside basic-pd-4: PD can lose 1 more member meanwhile");
    });
    it("takes no pod that is dead and replaced for the one that restarts alone", () => {
        const failure = { podUid: "uid-5", claims: [], replacedBy: "basic-pd-6", at: 0 };
        const [first, second] = planned(
            many(7, {
                stale: [0, 1, 2, 3, 4, 5, 6],
                leader: 6,
                notMembers: [5],
                pods: { 5: lostSight },
                records: { ...noRecords(), failovers: { pd: { uid: "1", failures: { "basic-pd-5": failure } } } },
            }),
        );
        assert.deepEqual([first.target, first.risk], ["basic-pd-4", undefined]);
        assert.deepEqual([second.target, second.beside], ["basic-pd-3", undefined]);
        repeats(second.risk, "beside basic-pd-2");
    });
    it("goes from the highest ordinal down, and ends with PD's leader, where batches are not asked for", () => {
        const steps = planned(five({ stale: [0, 1, 2, 3, 4], leader: 4, policy: { parallelism: 1 } }));
        assert.deepEqual(
            steps.map(({ target }) => target.at(-1)),
            ["3", "2", "1", "0", "4"],
        );
        assert.ok(steps.every(({ risk, beside }) => risk === undefined && beside === undefined));
    });
    it("says why members restart one by one", () => {
        const otherwise =
            "operations.rollout.parallelism is 9; PD's members restart one by one where it is not proven that the others are a quorum";
        assert.equal(remarkOf(many(4, { stale: [0, 1, 2, 3] })), `${otherwise}: at most 1 of them may be down`);
        assert.equal(
            remarkOf(five({ unhealthy: [0], leader: 4 })),
            `${otherwise}: PD member basic-pd-0 is not healthy`,
        );
        assert.equal(remarkOf(five()), undefined);
    });
});
