import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../../provider/lifecycle/members/memberLifecycles";
import type { Observation, ObservedPod } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import {
    acted,
    decisionTable,
    lostSight,
    neverStarted,
    notReady,
    type Row,
    steady,
    waited,
} from "../../../../support/lifecycle/decisionTable";
import { claimOf, type Deviation, movedMemberOf, now, observed } from "../../../../support/lifecycle/observations";
import { repeats } from "../../../../support/repeats";

const removing = (of: string, pod: string): Observation["records"] => ({
    evictions: {},
    removals: { [of]: { pod, begunAt: now - 60_000 } },
});
const released = { released: true };
/** Marked by the scale-in that removed the pod's member. */
const removed = (ordinal: number) => claimOf("pd", ordinal, { released: true, releasedId: String(100 + ordinal) });
const in4to3 = { live: 4, replicas: 3 };
const out3to4 = { live: 3, replicas: 4 };
const kept = "wait released-claims-deleted basic-pd-3";

/** PD went from 1 to 3, and back to 1 before pods 1 and 2 had joined. */
const takenBack = (pod: Partial<ObservedPod>, released = false): Deviation => ({
    live: 3,
    replicas: 1,
    notMembers: [1, 2],
    pods: { 1: pod, 2: pod },
    claims: [claimOf("pd", 0), claimOf("pd", 1, { released }), claimOf("pd", 2, { released })],
});
/** A member of which PD does not say in which pod it is. */
const recovered = { name: "recovered", memberId: "77", healthy: true };
const starts = { ready: false, readySince: undefined, createdAt: now - 10_000 };

/** `spec.clusterDomain` was changed: PD lists all members of the pods, under the former domain. */
const moved = (count: number): Deviation => {
    const ordinals = Array.from({ length: count }, (_, ordinal) => ordinal);
    return { notMembers: ordinals, moreMembers: ordinals.map((one) => movedMemberOf(one)) };
};

const pd: Row[] = [
    ["in: the member is taken out first", { ...in4to3 }, "remove-member basic-pd-3"],
    [
        "in: its volume is not given up while it is a member",
        { ...in4to3, claims: [claimOf("pd", 3)] },
        "remove-member basic-pd-3",
    ],
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
        "in: leadership never goes to one whose pod is about to stop: it would be lost a moment later",
        { live: 5, replicas: 4, leader: 4, pods: { 0: { terminating: true } } },
        "transfer-leader to basic-pd-1",
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
    [
        "in: 1 to 3 is taken back while processes are about to join: PD would have three members and one pod",
        takenBack(starts),
        "wait member-known basic-pd-2",
        steady("member-known", "basic-pd-2", 590),
    ],
    [
        "in: 1 to 3 is taken back while processes are about to join, and an earlier run has marked their volumes",
        takenBack(starts, true),
        "wait member-known basic-pd-2",
        steady("member-known", "basic-pd-2", 590),
    ],
    [
        "in: 1 to 3 is taken back while nothing is known of the new pods",
        takenBack(lostSight),
        "wait member-known basic-pd-2",
        steady("member-known", "basic-pd-2", 590),
    ],
    [
        "in: 1 to 3 is taken back, and the last pod has never run: it goes first, and the other one still may join",
        takenBack(neverStarted, true),
        "wait member-known basic-pd-1",
        steady("member-known", "basic-pd-2", 150),
    ],
    [
        "in: 1 to 3 is taken back, and a new pod is Ready before PD lists it",
        takenBack({}),
        "wait members-listed basic-pd-2",
    ],
    [
        "in: 3 to 1, and PD lists all members under another domain: it would lose its majority",
        { live: 3, replicas: 1, ...moved(3) },
        "wait members-listed basic-pd-2",
    ],
    [
        "in: 5 to 3, and PD lists all members under another domain, and the volumes are marked",
        { live: 5, replicas: 3, ...moved(5), claims: [removed(3), removed(4)] },
        "wait members-listed basic-pd-4",
    ],
    [
        "in: PD lists no member for a pod that stays and is Ready: its list says nothing of the quorum",
        { ...in4to3, notMembers: [1] },
        "wait members-listed basic-pd-3",
    ],
    [
        "in: a pod that stays has not started yet: the one that leaves need not wait for it",
        { ...in4to3, notMembers: [1], pods: { 1: neverStarted } },
        "remove-member basic-pd-3",
    ],
    [
        "in: a pod that never ran, while PD lists a member that may be its own under any name",
        { ...in4to3, notMembers: [3], pods: { 3: neverStarted }, moreMembers: [recovered] },
        "wait member-known basic-pd-3",
        steady("member-known", "basic-pd-3", 590),
    ],
    [
        "in: a pod that never ran, while PD lists a member that is certainly elsewhere",
        { ...in4to3, notMembers: [3], pods: { 3: neverStarted }, moreMembers: [{ ...recovered, isElsewhere: true }] },
        "done",
        steady("member-known", "basic-pd-3", 150),
    ],
    [
        "in: a user says that the volume holds no member, while PD lists one that may be the pod's",
        {
            ...in4to3,
            notMembers: [3],
            pods: { 3: notReady },
            moreMembers: [recovered],
            claims: [claimOf("pd", 3, { ...released, releasedByHand: true })],
        },
        "wait member-known basic-pd-3",
    ],
    ["out: normal", { live: 3, replicas: 5 }, "done"],
    ["out: does not need PD", { live: 3, replicas: 5, pdSilent: true }, "done"],
    [
        "out: an old volume is deleted first",
        { live: 3, replicas: 5, claims: [claimOf("pd", 3, released)] },
        "delete-claims pd-basic-pd-3",
    ],
    [
        "out: a volume marked without an id, while PD lists a member that may be its own",
        { ...out3to4, moreMembers: [recovered], claims: [claimOf("pd", 3, released)] },
        kept,
    ],
    [
        "out: a volume marked with an id that PD does not list, whoever else is a member",
        { ...out3to4, moreMembers: [recovered], claims: [removed(3)] },
        "delete-claims pd-basic-pd-3",
    ],
    [
        "out: a marked volume, and PD lists nobody: the wrong one answers",
        { ...out3to4, notMembers: [0, 1, 2], claims: [removed(3)] },
        kept,
    ],
    [
        "reverted, volumes marked with ids that PD lists under another domain: they are those of its majority",
        { replicas: 3, ...moved(3), claims: [claimOf("pd", 0), removed(1), removed(2)] },
        "done",
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
        repeats(memberLifecycles.pd.refuseReplicas(running, target), "tikv", "at least 1");
        const move = nextScaleMove(running, target, { waits: {}, actedAt: {} });
        assert.equal(move.kind === "fail" && move.problem.step, "pd-not-needed");
        assert.equal(memberLifecycles.pd.refuseReplicas(observation, target), undefined);
    });
    it("TiKV below max-replicas, with both numbers", () => {
        const { observation, target } = observed("tikv", { live: 3, replicas: 2 });
        repeats(memberLifecycles.tikv.refuseReplicas(observation, target), "2 Up TiKV stores", "3 replicas");
    });
});
