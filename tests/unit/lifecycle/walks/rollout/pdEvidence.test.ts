import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../../../provider/lifecycle/vocabulary/evidence";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { decisionTable, neverStarted, notReady, type Row, waited } from "../../../../support/lifecycle/decisionTable";
import {
    claimOf,
    type Deviation,
    emptyMemory,
    inShort,
    movedMemberOf,
    now,
    observed,
} from "../../../../support/lifecycle/observations";

/** The evidence that a gate may rely on before it restarts or removes a PD member. */

/** A sidecar crashes: the pod is not Ready, but PD itself runs and serves. */
const sidecar = { ready: false, readySince: undefined, sidecarTrouble: "container vault-agent is in CrashLoopBackOff" };
const crashing = { ...notReady, trouble: "container pd (pingcap/pd:v0) is in CrashLoopBackOff" };
const starting = { ...neverStarted };
/** PD runs and serves, and its pods are not Ready all the same. */
const probesFail = [0, 1, 2].map(() => ({ ready: false, readySince: undefined }));

/** `spec.clusterDomain` was changed: PD lists all members of three pods, under the former domain. */
function moved({ unhealthy }: { unhealthy?: number } = {}): Pick<Deviation, "notMembers" | "moreMembers"> {
    const ordinals = [0, 1, 2];
    const members = ordinals.map((one) => movedMemberOf(one, { healthy: one !== unhealthy }));
    return { notMembers: ordinals, moreMembers: members };
}

const rollout: Row[] = [
    [
        "a sidecar crashes in each pod: PD serves, and keeps its quorum while one after the other is restarted",
        { stale: [0, 1, 2], pods: { 0: sidecar, 1: sidecar, 2: sidecar } },
        "restart basic-pd-2",
    ],
    [
        "a sidecar crashes and PD is unreachable: its members may still run, and none is restarted",
        { stale: [0, 1, 2], pods: { 0: sidecar, 1: sidecar, 2: sidecar }, pdSilent: true },
        "wait pd-answers basic-pd",
    ],
    [
        "no member starts, for a wrong image: the corrected one is given to one pod",
        { stale: [0, 1, 2], pods: { 0: crashing, 1: crashing, 2: crashing }, pdSilent: true },
        "restart basic-pd-2",
    ],
    [
        "and not to the next before the first one runs: all three would be down together",
        { stale: [0, 1], pods: { 0: crashing, 1: crashing, 2: starting }, pdSilent: true },
        "wait pd-answers basic-pd",
    ],
    [
        "nor while the previous pod does not exist yet",
        { stale: [0, 1], pods: { 0: crashing, 1: crashing, 2: undefined }, pdSilent: true },
        "wait pd-answers basic-pd",
    ],
    [
        "once it runs the next one follows, for the first PD needs all its members",
        { stale: [0, 1], pods: { 0: crashing, 1: crashing, 2: { ready: false } }, pdSilent: true },
        "restart basic-pd-1",
    ],
    [
        "whether a member runs is not known, because its node is not Ready: it is left alone",
        {
            stale: [2],
            pods: { 2: { ...crashing, container: notKnown("its node is not Ready") } },
            pdSilent: true,
        },
        "wait pd-answers basic-pd",
    ],
    ["members are not known", { stale: [2], unknown: ["members"] }, "wait member-healthy basic-pd-1"],
    ["the leader is not known", { stale: [2], unknown: ["leader"] }, "wait leader-elsewhere basic-pd-2"],
    [
        "which members are ready is not known",
        { stale: [0], unknown: ["readyMembers"] },
        "wait member-healthy basic-pd-2",
    ],
    [
        "a healthy member with the same name in another Kubernetes cluster counts, and has no pod here",
        {
            stale: [2],
            unhealthy: [1],
            moreMembers: [movedMemberOf(1, { memberId: "9" })],
        },
        "wait member-healthy basic-pd-1",
    ],
    [
        "PD lists its members under another domain, one of three is unhealthy: a restart would take down the second",
        { stale: [0, 1, 2], ...moved({ unhealthy: 0 }), leader: movedMemberOf(1).name },
        "wait members-listed basic-pd-2",
    ],
    [
        "PD lists its members under another domain: its leader would be restarted without a transfer",
        { stale: [0, 1, 2], ...moved(), leader: movedMemberOf(2).name },
        "wait members-listed basic-pd-2",
    ],
    [
        "and fails in the end, with the cluster as it was",
        { stale: [0, 1, 2], ...moved(), leader: movedMemberOf(2).name },
        "fail members-listed basic-pd-2",
        waited("members-listed", "basic-pd-2", 600),
    ],
    [
        "PD lists none for another Ready pod: its list says nothing of the quorum",
        { live: 5, stale: [0], notMembers: [4], leader: 1 },
        "wait member-healthy basic-pd-4",
    ],
    [
        "PD lists none for another Ready pod, which is stale too and comes later: its list says nothing of the quorum",
        { live: 5, stale: [0, 4], notMembers: [0], leader: 1 },
        "wait members-listed basic-pd-4",
    ],
    [
        "a pod that is not Ready has not joined yet: the others are restarted without it",
        { live: 5, stale: [0, 4], notMembers: [0], leader: 1, pods: { 0: notReady } },
        "restart basic-pd-0",
    ],
    [
        "no probe of PD answers, and PD lists its members under another domain: none of them is restarted as the second",
        { stale: [0, 1, 2], pods: probesFail, ...moved({ unhealthy: 0 }), leader: movedMemberOf(1).name },
        "wait quorum-without-member basic-pd-2",
    ],
    [
        "no probe of PD answers, and PD's leader may be in the pod: another one leads first",
        { stale: [0, 1, 2], pods: probesFail, ...moved(), leader: movedMemberOf(2).name },
        `transfer-leader to ${movedMemberOf(0).name}`,
    ],
];
decisionTable("PD's members are restarted one after the other", "pd", rollout, nextRolloutMove);

describe("a scale-in of PD", () => {
    const unstarted = { name: "", memberId: "77", healthy: false, podName: "basic-pd-3" };

    it("removes its pod's member that never started: a dead vote would stay in PD's quorum", () => {
        const { observation, target } = observed("pd", {
            live: 4,
            replicas: 3,
            notMembers: [3],
            moreMembers: [unstarted],
        });
        const move = nextScaleMove(observation, target, emptyMemory);
        assert.equal(inShort(move), "remove-member ");
        assert.ok(move.kind === "act" && move.action.do === "remove-member");
        assert.deepEqual([move.action.memberId, move.action.pod], ["77", "basic-pd-3"]);
    });

    it("removes both if the pod also has a running member, the running one first", () => {
        const { observation, target } = observed("pd", { live: 4, replicas: 3, moreMembers: [unstarted] });
        assert.equal(inShort(nextScaleMove(observation, target, emptyMemory)), "remove-member basic-pd-3");
    });

    it("waits while the members are not known, then fails, and takes nobody out", () => {
        const { observation, target } = observed("pd", { live: 4, replicas: 3, unknown: ["members"] });
        assert.equal(inShort(nextScaleMove(observation, target, emptyMemory)), "wait members-listed basic-pd-3");
        const memory = waited("members-listed", "basic-pd-3", 600);
        assert.equal(inShort(nextScaleMove(observation, target, memory)), "fail members-listed basic-pd-3");
    });

    it("never removes a member of the same name in another Kubernetes cluster for the pod's, and is over once its own is out", () => {
        const moveWith = (releasedId?: string) => {
            const { observation, target } = observed("pd", {
                live: 4,
                replicas: 3,
                notMembers: [3],
                moreMembers: [movedMemberOf(3, { memberId: "9" })],
                claims: [claimOf("pd", 3, { released: true, releasedId })],
            });
            return inShort(nextScaleMove(observation, target, emptyMemory));
        };
        assert.deepEqual([moveWith("103"), moveWith()], ["done", "wait members-listed basic-pd-3"]);
    });
});

describe("a fact", () => {
    it("is known with its source and time, or not known with the reason", () => {
        assert.deepEqual(known(3, "PD", now), { known: true, value: 3, from: "PD", at: now });
        assert.deepEqual(notKnown("PD is silent"), { known: false, why: "PD is silent" });
    });
});
