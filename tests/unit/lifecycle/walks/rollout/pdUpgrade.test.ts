import * as assert from "node:assert/strict";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import type { Component } from "../../../../../topology/members";
import {
    acted,
    decisionTable,
    justNow,
    notReady,
    type Row,
    waited,
    waitedLongAgo,
} from "../../../../support/lifecycle/decisionTable";
import { type Deviation, emptyMemory, inShort, observed } from "../../../../support/lifecycle/observations";
import { repeats } from "../../../../support/repeats";

const pd: Row[] = [
    ["nothing is stale", {}, "done"],
    ["all members healthy, the highest ordinal goes first", { stale: [0, 1, 2] }, "restart basic-pd-2"],
    ["all members healthy, but one pod stale", { stale: [0], leader: 2 }, "restart basic-pd-0"],
    ["the next ordinal follows", { stale: [0, 1] }, "restart basic-pd-1"],
    [
        "an updated pod that is not Ready holds",
        { stale: [0, 1], pods: { 2: notReady } },
        "wait pod-available basic-pd-2",
    ],
    [
        "an updated pod that stops holds",
        { stale: [0, 1], pods: { 2: { terminating: true } } },
        "wait pod-stopped basic-pd-2",
    ],
    ["an updated member that is unhealthy holds", { stale: [0, 1], unhealthy: [2] }, "wait member-healthy basic-pd-2"],
    [
        "an updated member that says that it is not ready holds",
        { stale: [0, 1], notReadyMembers: [2] },
        "wait member-healthy basic-pd-2",
    ],
    ["an updated pod that has not joined holds", { stale: [0, 1], notMembers: [2] }, "wait member-healthy basic-pd-2"],
    [
        "a pod deleted by someone else in the middle is waited for",
        { stale: [0], pods: { 2: undefined } },
        "wait pod-created basic-pd-2",
    ],
    [
        "Ready, but not for long enough",
        { stale: [0, 1], pods: { 2: justNow }, policy: { minReadySeconds: 30 } },
        "wait pod-available basic-pd-2",
    ],
    [
        "Ready for long enough",
        { stale: [0, 1], pods: { 2: justNow }, policy: { minReadySeconds: 5 } },
        "restart basic-pd-1",
    ],
    [
        "a stale pod that stops already is waited for",
        { stale: [0, 1, 2], pods: { 2: { terminating: true } } },
        "wait pod-stopped basic-pd-2",
    ],
    [
        "peers unstable: one of the two others is unhealthy",
        { stale: [0, 1, 2], unhealthy: [0], leader: 1 },
        "wait quorum-without-member basic-pd-2",
    ],
    [
        "peers unstable: the pod of another member stops",
        { stale: [0, 2], pods: { 0: { terminating: true } }, leader: 1 },
        "wait quorum-without-member basic-pd-2",
    ],
    [
        "five members, one other unhealthy: four stay",
        { replicas: 5, stale: [0, 1, 2, 3, 4], unhealthy: [0], leader: 1 },
        "restart basic-pd-4",
    ],
    [
        "five members, two others unhealthy",
        { replicas: 5, stale: [0, 1, 2, 3, 4], unhealthy: [0, 1], leader: 2 },
        "wait quorum-without-member basic-pd-4",
    ],
    [
        "the unhealthy member itself is restarted, though the others are no quorum of their own",
        { stale: [0, 1, 2], unhealthy: [0, 1], pods: { 1: notReady }, leader: 2 },
        "restart basic-pd-1",
    ],
    ["the only member is restarted", { replicas: 1, stale: [0] }, "restart basic-pd-0"],
    ["two members, the other healthy", { replicas: 2, stale: [1], leader: 0 }, "restart basic-pd-1"],
    [
        "two members, the other unhealthy",
        { replicas: 2, stale: [0, 1], unhealthy: [0], leader: 0 },
        "wait quorum-without-member basic-pd-1",
    ],
    ["status cannot be read", { stale: [0, 1, 2], pdSilent: true }, "wait pd-answers basic-pd"],
    ["PD lists no members", { stale: [0, 1, 2], notMembers: [0, 1, 2] }, "wait members-listed basic-pd-2"],
    ["PD has no leader", { stale: [2], leader: null }, "wait leader-elsewhere basic-pd-2"],
    [
        "the transfer was asked for a moment ago: it is waited for",
        { stale: [2], leader: 2 },
        "wait leader-elsewhere basic-pd-2",
        acted("transfer-leader basic-pd-2", 1000),
    ],
    [
        "the transfer failed: it is asked for again",
        { stale: [2], leader: 2 },
        "transfer-leader to basic-pd-0",
        acted("transfer-leader basic-pd-2", 6000),
    ],
    [
        "the transfer fails for good",
        { stale: [2], leader: 2 },
        "fail leader-elsewhere basic-pd-2",
        waited("leader-elsewhere", "basic-pd-2", 600),
    ],
    [
        "a wait that ended ten minutes ago is not part of this one",
        { stale: [2], leader: 2 },
        "transfer-leader to basic-pd-0",
        waitedLongAgo("leader-elsewhere", "basic-pd-2"),
    ],
    [
        "the StatefulSet's controller has not seen the newest template",
        { stale: [2], settled: false },
        "wait statefulset-observed basic-pd",
    ],
    [
        "a wrong image that never starts holds",
        { stale: [0, 1], pods: { 2: { ...notReady, trouble: "ErrImagePull" } } },
        "wait pod-available basic-pd-2",
    ],
    [
        "a corrected image reaches the pod that never started first",
        { stale: [0, 1, 2], pods: { 1: { ...notReady, trouble: "ErrImagePull" } }, unhealthy: [1], leader: 0 },
        "restart basic-pd-1",
    ],
    [
        "a corrected image repairs a PD that is down because of a wrong one",
        {
            stale: [0, 1, 2],
            pods: { 0: { ...notReady, trouble: "ErrImagePull" }, 1: { ...notReady, trouble: "ErrImagePull" } },
            pdSilent: true,
        },
        "restart basic-pd-1",
    ],
    [
        "a PD that is down for no known reason is left alone",
        { stale: [0, 1, 2], pods: { 0: notReady, 1: notReady }, pdSilent: true },
        "wait pd-answers basic-pd",
    ],
    [
        "a scale-out in the same change: the new pod is waited for, and no member of the old version goes down",
        { replicas: 5, stale: [0, 1, 2], pods: { 4: notReady } },
        "wait pod-available basic-pd-4",
    ],
    [
        "a scale-out in the same change: a new member that is unhealthy holds",
        { replicas: 5, stale: [0, 1, 2], unhealthy: [4] },
        "wait member-healthy basic-pd-4",
    ],
    [
        "pods that a smaller StatefulSet drops are waited for",
        { replicas: 3, live: 4, pods: { 3: { terminating: true } } },
        "wait pod-scaled-away basic-pd-3",
    ],
];

/** The new leader, by the old one's ordinal and the state of the preferred target and all others. */
const transfers: Row[] = [
    ["leader highest: the others first", { stale: [0, 1, 2], leader: 2 }, "restart basic-pd-1"],
    ["leader highest, the others done", { stale: [2], leader: 2 }, "transfer-leader to basic-pd-0"],
    [
        "leader highest, the preferred one unhealthy",
        { replicas: 5, stale: [0, 4], leader: 4, unhealthy: [0], pods: { 0: notReady } },
        "restart basic-pd-0",
    ],
    [
        "leader highest, all others unhealthy",
        { stale: [0, 1, 2], leader: 2, unhealthy: [0, 1] },
        "wait quorum-without-member basic-pd-1",
    ],
    ["leader in the middle: the others first", { stale: [0, 1], leader: 1 }, "restart basic-pd-0"],
    ["leader in the middle, the others done", { stale: [1], leader: 1 }, "transfer-leader to basic-pd-2"],
    [
        "leader in the middle, the preferred one unhealthy",
        { replicas: 5, stale: [0, 1, 2, 3, 4], pods: { 2: notReady }, leader: 2, unhealthy: [4] },
        "transfer-leader to basic-pd-3",
    ],
    [
        "leader in the middle, all above unhealthy",
        { replicas: 5, stale: [0, 1, 2, 3, 4], pods: { 2: notReady }, leader: 2, unhealthy: [3, 4, 2] },
        "transfer-leader to basic-pd-0",
    ],
    [
        "leader in the middle, all others unhealthy",
        { stale: [0, 1, 2], leader: 1, pods: { 1: notReady }, unhealthy: [0, 2] },
        "wait quorum-without-member basic-pd-1",
    ],
    ["leader lowest", { stale: [0], leader: 0 }, "transfer-leader to basic-pd-2"],
    [
        "leader lowest, the preferred one unhealthy",
        { replicas: 5, stale: [0, 4], pods: { 0: notReady }, leader: 0, unhealthy: [4] },
        "transfer-leader to basic-pd-3",
    ],
    [
        "leader lowest, all others unhealthy",
        { replicas: 2, stale: [0, 1], leader: 0, unhealthy: [1], pods: { 0: notReady } },
        "wait quorum-without-member basic-pd-0",
    ],
    ["no leader any more: seen elsewhere, it goes", { stale: [2], leader: 1 }, "restart basic-pd-2"],
];

decisionTable("upgrade decisions, PD", "pd", pd, nextRolloutMove);
decisionTable("upgrade decisions, where PD's leader goes", "pd", transfers, nextRolloutMove);

describe("upgrade decisions, first deployment", () => {
    const first = (component: Component, deviation: Deviation) => {
        const { observation, target } = observed(component, deviation);
        return inShort(nextRolloutMove(observation, target, emptyMemory, "available"));
    };
    it("waits for no more than a majority of PD", () => {
        assert.equal(first("pd", { pods: { 2: notReady }, unhealthy: [2] }), "done");
        assert.equal(first("pd", { unhealthy: [1, 2] }), "wait available basic-pd");
    });
    it("waits for one TiKV store", () => {
        assert.equal(first("tikv", { pods: { 1: notReady }, stores: { 1: undefined } }), "done");
        const none = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };
        assert.equal(first("tikv", { stores: none }), "wait available basic-tikv");
    });
    it("names the pod that cannot be scheduled, with the scheduler's reason", () => {
        const pods = { 1: { ...notReady, trouble: "Unschedulable: 0/3 nodes are available" } };
        const { observation, target } = observed("pd", { pods, unhealthy: [1, 2] });
        const move = nextRolloutMove(observation, target, emptyMemory, "available");
        assert.equal(inShort(move), "wait available basic-pd-1");
        repeats(move.kind === "wait" ? move.waitingFor : "", "basic-pd-1", pods[1].trouble);
    });
});
