import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../provider/lifecycle/members/memberLifecycles";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { nextScaleMove } from "../../../provider/lifecycle/walks/scale";
import { acted, decisionTable, type Row, waited } from "../../support/lifecycle/decisionTable";
import { claimOf, now, observed } from "../../support/lifecycle/observations";

const removing = (of: string, pod: string): Observation["records"] => ({
    evictions: {},
    removals: { [of]: { pod, begunAt: now - 60_000 } },
});
const released = { released: true };
/** Marked by the scale-in that removed the pod's member. */
const removed = (ordinal: number) => claimOf("pd", ordinal, { released: true, releasedId: String(100 + ordinal) });
const in4to3 = { live: 4, replicas: 3 };

const pd: Row[] = [
    ["in: the member is taken out first", { ...in4to3 }, "remove-member basic-pd-3"],
    ["in: highest ordinal first", { live: 5, replicas: 3 }, "remove-member basic-pd-4"],
    ["in: the member to go is the leader", { ...in4to3, leader: 3 }, "transfer-leader to basic-pd-0"],
    [
        "in: the leader is waited for to be seen elsewhere",
        { ...in4to3, leader: 3 },
        "wait leader-elsewhere basic-pd-3",
        acted("transfer-leader basic-pd-3", 1000),
    ],
    [
        "in: leadership never goes to one that leaves too",
        { live: 5, replicas: 3, leader: 4 },
        "transfer-leader to basic-pd-0",
    ],
    [
        "in: none of those who stay can lead: one that leaves later does",
        { live: 5, replicas: 1, leader: 4, unhealthy: [0] },
        "transfer-leader to basic-pd-1",
    ],
    [
        "in: the leader is the lowest of those who leave",
        { live: 5, replicas: 3, leader: 3, notMembers: [4], claims: [removed(4)] },
        "transfer-leader to basic-pd-0",
    ],
    [
        "in: the deletion fails, and is tried again",
        { ...in4to3 },
        "wait member-removed basic-pd-3",
        acted("remove-member 103", 1000),
    ],
    [
        "in: the deletion fails for good",
        { ...in4to3 },
        "fail member-removed basic-pd-3",
        waited("member-removed", "basic-pd-3", 600),
    ],
    ["in: status unknown", { ...in4to3, pdSilent: true }, "wait pd-answers basic-pd"],
    [
        "in: those who stay are no quorum",
        { live: 5, replicas: 4, unhealthy: [0, 1], leader: 2 },
        "wait quorum-of-those-who-stay basic-pd-4",
    ],
    [
        "in: out of PD, its volumes are given up",
        { ...in4to3, notMembers: [3], records: removing("103", "basic-pd-3"), claims: [claimOf("pd", 3)] },
        "release-claims pd-basic-pd-3",
    ],
    ["in: the next one", { live: 5, replicas: 3, notMembers: [4], claims: [removed(4)] }, "remove-member basic-pd-3"],
    ["in: all out", { ...in4to3, notMembers: [3], claims: [removed(3)] }, "done"],
    ["in: to 0, the last member has no PD to leave", { live: 1, replicas: 0 }, "done"],
    [
        "in: to 0, the last member keeps its volume, which is all of PD: it comes back",
        { live: 1, replicas: 0, claims: [claimOf("pd", 0)] },
        "done",
    ],
    ["out: normal", { live: 3, replicas: 5 }, "done"],
    ["out: does not need PD", { live: 3, replicas: 5, pdSilent: true }, "done"],
    [
        "out: an old volume is deleted first",
        { live: 3, replicas: 5, claims: [claimOf("pd", 3, released)] },
        "delete-claims pd-basic-pd-3",
    ],
    [
        "reverted, still a member: forgotten",
        { replicas: 4, records: removing("103", "basic-pd-3") },
        "forget-removal 103",
    ],
    [
        "reverted, already out: its volume is released",
        { replicas: 4, notMembers: [3], records: removing("103", "basic-pd-3"), claims: [claimOf("pd", 3)] },
        "release-claims pd-basic-pd-3",
    ],
    [
        "reverted, already out: its volume is replaced",
        { replicas: 4, notMembers: [3], claims: [removed(3)] },
        "delete-claims pd-basic-pd-3",
    ],
    [
        "reverted, a member that is healthy: its volume is kept",
        { replicas: 4, live: 4, claims: [claimOf("pd", 3, released)] },
        "keep-claims pd-basic-pd-3",
    ],
    [
        "reverted, a member that is unhealthy: nobody knows whether its volume is in use",
        { replicas: 4, live: 4, unhealthy: [3], claims: [claimOf("pd", 3, released)] },
        "done",
    ],
    [
        "reverted, PD unreachable: nothing is forgotten",
        { replicas: 4, records: removing("103", "basic-pd-3"), pdSilent: true },
        "wait pd-answers basic-pd-3",
    ],
];

const tidb: Row[] = [
    ["in: nothing of PD's", { live: 2, replicas: 1, pdSilent: true }, "done"],
    [
        "in: its volumes are given up",
        { live: 2, replicas: 1, claims: [claimOf("tidb", 1)] },
        "release-claims tidb-basic-tidb-1",
    ],
    [
        "out: an old volume is deleted first",
        { live: 1, replicas: 2, claims: [claimOf("tidb", 1, released)] },
        "delete-claims tidb-basic-tidb-1",
    ],
    [
        "reverted: the volume of the pod that stays is not released any more",
        { live: 2, replicas: 2, claims: [claimOf("tidb", 1, released)] },
        "keep-claims tidb-basic-tidb-1",
    ],
    [
        "reverted: a claim that is being deleted is left alone",
        { live: 2, replicas: 2, claims: [claimOf("tidb", 1, { ...released, terminating: true })] },
        "done",
    ],
];

decisionTable("scaling decisions, PD", "pd", pd, nextScaleMove);
decisionTable("scaling decisions, TiDB", "tidb", tidb, nextScaleMove);

describe("scaling decisions, refused before anything is done", () => {
    it("PD to 0 while others run, in the preview and in the run", () => {
        const { observation, target } = observed("pd", { live: 1, replicas: 0 });
        const tikvPods = observed("tikv", {}).observation.members.tikv;
        const running = { ...observation, members: { ...observation.members, tikv: tikvPods } };
        assert.match(
            memberLifecycles.pd.refuseReplicas(running, target) ?? "",
            /0 while tikv run: expected at least 1/,
        );
        const move = nextScaleMove(running, target, { waits: {}, actedAt: {} });
        assert.equal(move.kind === "fail" && move.problem.step, "pd-not-needed");
        assert.equal(memberLifecycles.pd.refuseReplicas(observation, target), undefined);
    });
    it("TiKV below max-replicas, with both numbers", () => {
        const { observation, target } = observed("tikv", { live: 3, replicas: 2 });
        const reason = memberLifecycles.tikv.refuseReplicas(observation, target) ?? "";
        assert.match(reason, /2 Up TiKV stores would be left, but PD keeps 3 replicas/);
    });
});
