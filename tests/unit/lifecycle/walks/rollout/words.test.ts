import * as assert from "node:assert/strict";
import { emptyMemory } from "../../../../../provider/lifecycle/vocabulary/memory";
import type { Observation } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove, walkOrder } from "../../../../../provider/lifecycle/walks/rollout";
import { mayHaveTakenBackRemoval, nextScaleMove, ordinalsOf } from "../../../../../provider/lifecycle/walks/scale";
import { acted, notReady, waited } from "../../../../support/lifecycle/decisionTable";
import { inWords, wordTable } from "../../../../support/lifecycle/inWords";
import { type Deviation, evicting, observed, storeOf } from "../../../../support/lifecycle/observations";

const crashing = { ...notReady, trouble: "container pd is in CrashLoopBackOff" };
const mendPd = "check the PD pods; the cluster is not changed until PD answers";
const controller = "check that kube-controller-manager is running, and check the StatefulSet's events";
/** A recorded eviction of store 13 in a cluster that was scaled in from four pods to three. */
const leftBehind: Deviation = { replicas: 3, records: evicting(3), moreStores: [storeOf(3)], evicted: [13] };

wordTable(
    "what a rollout of TiKV waits for",
    "tikv",
    [
        ["nothing is to be done", {}, "done"],
        [
            "the controller has not seen the StatefulSet",
            { settled: false },
            "wait statefulset-observed basic-tikv: the StatefulSet controller has not seen the newest basic-tikv",
        ],
        [
            "for too long",
            { settled: false },
            `fail statefulset-observed basic-tikv: the StatefulSet controller has not seen the newest basic-tikv, for 600 s. Next: ${controller}`,
            waited("statefulset-observed", "basic-tikv", 600),
        ],
        ["PD is unreachable", { pdSilent: true }, "wait pd-answers basic-pd: PD answers 500"],
        [
            "PD is unreachable for too long",
            { pdSilent: true },
            `fail pd-answers basic-pd: PD answers 500, for 601 s. Next: ${mendPd}`,
            waited("pd-answers", "basic-pd", 601),
        ],
        [
            "the server that answers is not a PD",
            { pdIsNone: true },
            "fail pd-answers basic-pd [not-pd]: a web server answers, for 5 s. Next: check where `pd.address` or the port-forward points: it must be PD's client port",
            waited("pd-answers", "basic-pd", 5),
        ],
        ["PD is unreachable, and no pod is wanted", { live: 0, replicas: 0, pdSilent: true }, "done"],
        [
            "PD is unreachable and a pod cannot start: TiKV still waits for PD",
            { stale: [3], pods: { 3: crashing }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500",
        ],
        [
            "a pod that was scaled away still stops",
            { replicas: 3, live: 3, leavingPods: [3] },
            "wait pod-scaled-away basic-tikv-3: basic-tikv-3 is still stopping",
        ],
        [
            "for too long",
            { replicas: 3, live: 3, leavingPods: [3] },
            "fail pod-scaled-away basic-tikv-3: basic-tikv-3 is still stopping, for 600 s. Next: check the pod: a finalizer or an unreachable node can keep it from stopping",
            waited("pod-scaled-away", "basic-tikv-3", 600),
        ],
        [
            "an earlier run left an eviction behind",
            leftBehind,
            "left-behind basic-tikv: end the eviction of store 13 (basic-tikv-3)",
        ],
        [
            "whose end has not been seen yet",
            leftBehind,
            "wait left-behind basic-tikv: an earlier run left something behind; tried to end the eviction of store 13 (basic-tikv-3)",
            acted("end-eviction 13", 1_000),
        ],
        [
            "which cannot be decided",
            { ...leftBehind, moreStores: [], persisted: null },
            "wait left-behind basic-tikv: the eviction of store 13 (basic-tikv-3) is recorded, but PD lists that store neither as live nor as Tombstone",
        ],
        [
            "for too long",
            { ...leftBehind, moreStores: [], persisted: null },
            "fail left-behind basic-tikv: the eviction of store 13 (basic-tikv-3) is recorded, but PD lists that store neither as live nor as Tombstone, for 600 s. Next: check PD's log, then run `pulumi up` again",
            waited("left-behind", "basic-tikv", 600),
        ],
        [
            "for which PD's etcd must be queried",
            { ...leftBehind, moreStores: [], notAsked: ["persistedEvictions"] },
            "look parts:[persisted-evictions,leadership,evicted-stores]",
        ],
    ],
    nextRolloutMove,
);

const mend = "fix what keeps these pods from starting and run `pulumi up` again: it continues from here";
wordTable(
    "what a first deployment of PD waits for",
    "pd",
    [
        ["a majority is healthy", { unhealthy: [0] }, "done"],
        [
            "too few are",
            { unhealthy: [0, 1] },
            "wait available basic-pd: 1 of 3 PD members are healthy, expected at least 2",
        ],
        [
            "and a pod of theirs cannot start",
            { unhealthy: [0, 1], pods: { 1: { trouble: "ImagePullBackOff" } } },
            "wait available basic-pd-1: 1 of 3 PD members are healthy, expected at least 2 (basic-pd-1: ImagePullBackOff)",
        ],
        [
            "for too long",
            { unhealthy: [0, 1] },
            `fail available basic-pd: 1 of 3 PD members are healthy, expected at least 2, for 600 s. Next: ${mend}`,
            waited("available", "basic-pd", 600),
        ],
        [
            "one runs an older template: it is restarted first",
            { unhealthy: [0, 1], stale: [2], pods: { 2: notReady } },
            "wait member-healthy basic-pd-1: PD reports basic-pd-1 as unhealthy",
        ],
    ],
    (observation, target, memory) => nextRolloutMove(observation, target, memory, "available"),
);

describe("a rollout of a member that does not exist", () => {
    const { observation, target } = observed("tikv", {});
    const bare = { component: "tikv" as const, pods: [], claims: [] };
    for (const members of [{}, { tikv: bare }]) {
        it(`waits for its StatefulSet, ${"tikv" in members ? "which it has not" : "which nobody read"}`, () => {
            const words = inWords(nextRolloutMove({ ...observation, members }, target, emptyMemory));
            assert.equal(words, "wait statefulset-observed basic-tikv: there is no StatefulSet basic-tikv");
        });
    }
    it("fails after a minute, because what is deleted does not come by itself", () => {
        const memory = waited("statefulset-observed", "basic-tikv", 60);
        assert.equal(
            inWords(nextRolloutMove({ ...observation, members: {} }, target, memory)),
            "fail statefulset-observed basic-tikv: there is no StatefulSet basic-tikv, for 60 s. Next: if somebody has deleted it, run `pulumi up --refresh`, which creates it again",
        );
    });
    it("has nothing to scale in, and all ordinals to come", () => {
        const seen = (members: object): Observation => ({ ...observation, members });
        for (const members of [{}, { tikv: bare }]) {
            assert.deepEqual(ordinalsOf(seen(members), target), { leaving: [], staying: [], coming: [0, 1, 2, 3] });
            assert.equal(nextScaleMove(seen(members), target, emptyMemory).kind, "done");
            assert.equal(mayHaveTakenBackRemoval(seen(members), target), false);
        }
    });
});

describe("the order in which pods are checked", () => {
    const order = (row: Deviation) => {
        const { observation, target } = observed("tikv", row);
        return walkOrder(observation, target).map((view) => view.ordinal);
    };
    it("is by ordinal in each group, the highest first", () => {
        assert.deepEqual(order({}), [3, 2, 1, 0]);
        assert.deepEqual(order({ stale: [0, 1, 2, 3] }), [3, 2, 1, 0]);
    });
    it("starts with healthy pods, then those that do not run, then the one whose restart had begun", () => {
        const row = { stale: [0, 1, 2], pods: { 0: notReady }, records: evicting(1) };
        assert.deepEqual(order(row), [3, 0, 1, 2]);
    });
});
