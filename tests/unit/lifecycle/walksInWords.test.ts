import * as assert from "node:assert/strict";
import { waitForPd, waitOrFail } from "../../../provider/lifecycle/patience";
import { emptyMemory } from "../../../provider/lifecycle/memory";
import type { Observation } from "../../../provider/lifecycle/observation";
import { nextRolloutMove, walkOrder } from "../../../provider/lifecycle/rollout";
import { hasTakenBackTraces, nextScaleMove, ordinalsOf, takenBack } from "../../../provider/lifecycle/scale";
import { nextSuspendMove } from "../../../provider/lifecycle/suspend";
import { acted, notReady, waited } from "../../support/lifecycle/decisionTable";
import { inWords, wordTable } from "../../support/lifecycle/inWords";
import { claimOf, type Deviation, evicting, now, observed, storeOf } from "../../support/lifecycle/observations";

const crashing = { ...notReady, trouble: "container pd is in CrashLoopBackOff" };
const mendPd = "look at the PD pods; nothing is done to the cluster while PD cannot be asked";
const controller = "look whether kube-controller-manager runs, and at the StatefulSet's events";
/** An eviction of store 13, on record, in a cluster whose four pods have become three. */
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
        ["PD is silent", { pdSilent: true }, "wait pd-answers basic-pd: PD answers 500"],
        [
            "PD is silent for too long",
            { pdSilent: true },
            `fail pd-answers basic-pd: PD answers 500, for 601 s. Next: ${mendPd}`,
            waited("pd-answers", "basic-pd", 601),
        ],
        [
            "what answers is no PD",
            { pdIsNone: true },
            "fail pd-answers basic-pd: a web server answers, for 5 s. Next: check what `pd.address`, or the port-forward, leads to: it must be PD's client port",
            waited("pd-answers", "basic-pd", 5),
        ],
        ["PD is silent, and no pod is wanted", { live: 0, replicas: 0, pdSilent: true }, "done"],
        [
            "PD is silent, and a pod cannot start: TiKV waits for PD all the same",
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
            "fail pod-scaled-away basic-tikv-3: basic-tikv-3 is still stopping, for 600 s. Next: look at the pod: a finalizer or an unreachable node can keep it from going",
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
            "wait left-behind basic-tikv: an earlier run left something behind; tried: end the eviction of store 13 (basic-tikv-3)",
            acted("end-eviction 13", 1_000),
        ],
        [
            "which nobody can tell",
            { ...leftBehind, moreStores: [], persisted: null },
            "wait left-behind basic-tikv: PD lists no store 13 (basic-tikv-3), whose eviction is on record, and has not buried it either",
        ],
        [
            "for too long",
            { ...leftBehind, moreStores: [], persisted: null },
            "fail left-behind basic-tikv: PD lists no store 13 (basic-tikv-3), whose eviction is on record, and has not buried it either, for 600 s. Next: look at PD's log, then run `pulumi up` again",
            waited("left-behind", "basic-tikv", 600),
        ],
        [
            "which PD's etcd is to be asked about",
            { ...leftBehind, moreStores: [], notAsked: ["persistedEvictions"] },
            "look parts:[persisted-evictions,leadership,evicted-stores]",
        ],
    ],
    nextRolloutMove,
);

const mend = "mend what keeps these pods from starting and run `pulumi up` again: it goes on from here";
wordTable(
    "what a first deployment of PD waits for",
    "pd",
    [
        ["a majority is healthy", { unhealthy: [0] }, "done"],
        ["too few are", { unhealthy: [0, 1] }, "wait available basic-pd: 1 of 3 PD members are healthy, 2 must be"],
        [
            "and a pod of theirs cannot start",
            { unhealthy: [0, 1], pods: { 1: { trouble: "ImagePullBackOff" } } },
            "wait available basic-pd-1: 1 of 3 PD members are healthy, 2 must be (basic-pd-1: ImagePullBackOff)",
        ],
        [
            "for too long",
            { unhealthy: [0, 1] },
            `fail available basic-pd: 1 of 3 PD members are healthy, 2 must be, for 600 s. Next: ${mend}`,
            waited("available", "basic-pd", 600),
        ],
        [
            "one runs an older template: that is mended first",
            { unhealthy: [0, 1], stale: [2], pods: { 2: notReady } },
            "wait member-healthy basic-pd-1: PD calls basic-pd-1 unhealthy",
        ],
    ],
    (observation, target, memory) => nextRolloutMove(observation, target, memory, "available"),
);

wordTable(
    "what a rollout of PD waits for that is silent",
    "pd",
    [
        [
            "a pod of it cannot start: that is said",
            { pods: { 1: crashing }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500 (basic-pd-1: container pd is in CrashLoopBackOff)",
        ],
        [
            "a corrected template is given to one that cannot start",
            { stale: [2], pods: { 2: crashing }, pdSilent: true },
            "pod-restarted basic-pd-2: restart basic-pd-2",
        ],
        [
            "which does not go",
            { stale: [2], pods: { 2: crashing }, pdSilent: true },
            "wait pod-restarted basic-pd-2: basic-pd-2 still runs revision old",
            acted("delete-pod uid-2", 1_000),
        ],
        [
            "its process does not run, and nobody says that it cannot start",
            { stale: [2], pods: { 2: notReady }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500",
        ],
        [
            "a pod that was made anew stops again",
            { stale: [1], pods: { 1: crashing, 2: { terminating: true } }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500 (basic-pd-1: container pd is in CrashLoopBackOff)",
        ],
        [
            "one of its pods is not there",
            { stale: [1], pods: { 1: undefined }, pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500",
        ],
    ],
    nextRolloutMove,
);

describe("what mends a PD that is down", () => {
    it("does not wait for its word", () => {
        const { observation, target } = observed("pd", { stale: [2], pods: { 2: crashing }, pdSilent: true });
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.equal(move.kind === "act" && move.withoutPd, true);
        const usual = nextRolloutMove(observed("pd", { stale: [2] }).observation, target, emptyMemory);
        assert.equal(usual.kind === "act" && usual.withoutPd, undefined);
    });
});

wordTable(
    "what a rollout of a microservice waits for",
    "tso",
    [
        ["PD is silent, and comes after it: it is not held up", { pdSilent: true }, "done"],
        [
            "PD is silent, and a stale one runs",
            { stale: [1], pdSilent: true },
            "wait pd-answers basic-pd: PD answers 500",
        ],
        [
            "PD is silent, and a stale one cannot start",
            { stale: [1], pods: { 1: crashing }, pdSilent: true },
            "pod-restarted basic-tso-1: restart basic-tso-1",
        ],
    ],
    nextRolloutMove,
);

describe("a rollout of what is not there", () => {
    const { observation, target } = observed("tikv", {});
    const bare = { component: "tikv" as const, pods: [], claims: [] };
    for (const members of [{}, { tikv: bare }]) {
        it(`waits for its StatefulSet, ${"tikv" in members ? "which it has not" : "which nobody read"}`, () => {
            const words = inWords(nextRolloutMove({ ...observation, members }, target, emptyMemory));
            assert.equal(words, "wait statefulset-observed basic-tikv: there is no StatefulSet basic-tikv");
        });
    }
    it("has nothing to scale in, and all to come", () => {
        const seen = (members: object): Observation => ({ ...observation, members });
        for (const members of [{}, { tikv: bare }]) {
            assert.deepEqual(ordinalsOf(seen(members), target), { leaving: [], staying: [], coming: [0, 1, 2, 3] });
            assert.equal(nextScaleMove(seen(members), target, emptyMemory).kind, "done");
            assert.equal(hasTakenBackTraces(seen(members), target), false);
        }
    });
});

describe("the order in which pods are looked at", () => {
    const order = (row: Deviation) => {
        const { observation, target } = observed("tikv", row);
        return walkOrder(observation, target).map((view) => view.ordinal);
    };
    it("is that of their ordinals, the highest first, in each rank", () => {
        assert.deepEqual(order({}), [3, 2, 1, 0]);
        assert.deepEqual(order({ stale: [0, 1, 2, 3] }), [3, 2, 1, 0]);
    });
    it("has those first that are well, then those that do not run, then the one that was begun with", () => {
        const row = { stale: [0, 1, 2], pods: { 0: notReady }, records: evicting(1) };
        assert.deepEqual(order(row), [3, 0, 1, 2]);
    });
});

describe("a removal that may have been taken back", () => {
    const traces = (row: Deviation) => {
        const { observation, target } = observed("tikv", row);
        return hasTakenBackTraces(observation, target);
    };
    const removal = (pod: string) => ({ evictions: {}, removals: { 13: { pod, begunAt: now } } });
    it("is seen on record, or by volumes that are given up of a pod that stays", () => {
        assert.ok(traces({ records: removal("basic-tikv-3") }));
        assert.ok(traces({ claims: [claimOf("tikv", 3, { released: true })] }));
    });
    it("is none of another member, nor of a pod that does not stay, nor where no volume is given up", () => {
        assert.ok(!traces({}));
        assert.ok(!traces({ records: removal("basic-tiflash-0") }));
        assert.ok(!traces({ records: removal("other-basic-tikv-3") }));
        assert.ok(!traces({ claims: [claimOf("tikv", 3)] }));
        assert.ok(!traces({ live: 4, replicas: 3, claims: [claimOf("tikv", 3, { released: true })] }));
    });
    it("has what is done about it first, by pod", () => {
        const { observation, target } = observed("tikv", {
            records: removal("basic-tikv-3"),
            stores: { 3: { state: "Offline" } },
        });
        const found = takenBack(observation, target).map(({ view, move }) => `${view.podName}: ${inWords(move)}`);
        assert.deepEqual(found, [
            "basic-tikv-3: removal-taken-back basic-tikv-3: bring store 13 (basic-tikv-3) back Up",
        ]);
    });
});

wordTable(
    "what scaling waits for while PD is silent",
    "tikv",
    [
        ["a store is to leave", { live: 4, replicas: 3, pdSilent: true }, "wait pd-answers basic-pd: PD answers 500"],
        ["none is", { live: 4, replicas: 5, pdSilent: true }, "done"],
    ],
    nextScaleMove,
);

describe("a wait for PD", () => {
    it("says so where nobody has asked it", () => {
        const { observation, target } = observed("tikv", {});
        const words = inWords(waitForPd(observation, target, emptyMemory));
        assert.equal(words, "wait pd-answers basic-pd: PD has not answered");
    });
    it("ends when its time does: podReadyTimeoutSeconds, or its own", () => {
        const { observation, target } = observed("tikv", { policy: { podReadyTimeoutSeconds: 50 } });
        const wait = { step: "s", target: "t", lacks: "…", advice: "look" };
        const until = (seconds?: number) => {
            const move = waitOrFail(observation, target, emptyMemory, { ...wait, seconds });
            return move.kind === "wait" && [move.since, move.until];
        };
        assert.deepEqual(
            [until(), until(7)],
            [
                [now, now + 50_000],
                [now, now + 7_000],
            ],
        );
    });
});

describe("a member that is suspended is waited for", () => {
    const { observation, target } = observed("tidb", {});
    const tidb = observation.members.tidb ?? assert.fail();
    const set = tidb.statefulSet && { ...tidb.statefulSet, terminating: true };
    const words = (member: object, memory = emptyMemory) =>
        inWords(nextSuspendMove({ ...observation, members: { tidb: { ...tidb, ...member } } }, target, memory));
    const pods = "basic-tidb-0, basic-tidb-1 still there";
    it("with its pods", () => {
        assert.equal(words({}), "suspend basic-tidb: delete StatefulSet basic-tidb and its pods");
        assert.equal(words({ statefulSet: set }), `wait suspended basic-tidb: ${pods}`);
        assert.equal(words({ statefulSet: undefined }), `wait suspended basic-tidb: ${pods}`);
    });
    it("and its StatefulSet", () => {
        assert.equal(
            words({ statefulSet: set, pods: [] }),
            "wait suspended basic-tidb: StatefulSet basic-tidb still there",
        );
        assert.equal(words({ statefulSet: undefined, pods: [] }), "done");
        assert.equal(inWords(nextSuspendMove({ ...observation, members: {} }, target, emptyMemory)), "done");
    });
    it("but not for ever", () => {
        const next = "look at the pods: a node that does not answer, or a finalizer, keeps one";
        assert.equal(
            words({ statefulSet: undefined }, waited("suspended", "basic-tidb", 600)),
            `fail suspended basic-tidb: ${pods}, for 600 s. Next: ${next}`,
        );
    });
});
