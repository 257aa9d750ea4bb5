import * as assert from "node:assert/strict";
import { drainedPods, findMoves } from "../../../../provider/lifecycle/drain/planMoves";
import { describeAction } from "../../../../provider/lifecycle/vocabulary/actions";
import { emptyMemory, type Memory } from "../../../../provider/lifecycle/vocabulary/memory";
import { noRecords, type Observation, type ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import type { MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import type { Component } from "../../../../topology/members";
import { failed } from "../../../support/lifecycle/deaths";
import { lostSight, notReady, waited } from "../../../support/lifecycle/decisionTable";
import { bound, notAskedRoom, nowhere, onDrained, onKept, unreadNode } from "../../../support/lifecycle/drains";
import { type Deviation, evicting, inShort, observed, storeOf } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";
import { plannedRollout } from "../../../support/lifecycle/planned";

/** The plan moves these pods. */
const withMoves = (target: MemberTarget, ...ordinals: number[]): MemberTarget => ({
    ...target,
    moves: Object.fromEntries(ordinals.map((one) => [`basic-${target.component}-${one}`, `uid-${one}`])),
});
const next = (component: Component, row: Deviation, moves: number[], memory: Memory = emptyMemory): string => {
    const { observation, target } = observed(component, row);
    return inShort(nextRolloutMove(observation, withMoves(target, ...moves), memory));
};
const pods = (pod: Partial<ObservedPod>, ordinal = 3): Deviation => ({ pods: { [ordinal]: pod } });
const empty = { stores: { 3: { leaderCount: { reported: 0 } } }, ownLeaders: { 3: 0 } };
const evicted: Deviation = { evicted: [3 + 10], records: evicting(3), ...empty };

describe("two TiDBs on nodes that are being emptied", () => {
    it("leave so that the one that serves goes last", () => {
        const hung = { ...onDrained(), ...lostSight };
        assert.equal(next("tidb", { pods: { 0: hung, 1: onDrained() } }, [0, 1]), "restart basic-tidb-0");
        assert.equal(next("tidb", { pods: { 0: onDrained(), 1: onDrained() } }, [0, 1]), "restart basic-tidb-1");
    });
});

describe("a TiKV on a node that is being emptied", () => {
    const rows: [what: string, row: Deviation, move: string, memory?: Memory][] = [
        ["whether another node takes it is asked first", pods(notAskedRoom), "look roomOf:basic-tikv-3"],
        ["its leaders leave first", pods(onDrained()), "begin-eviction 13"],
        [
            "its leaders are waited for",
            { ...pods(onDrained()), evicted: [13], records: evicting(3), ownLeaders: { 3: 9 } },
            "wait leaders-evicted basic-tikv-3",
        ],
        [
            "while its leaders leave, other nodes are not asked about",
            { ...pods(notAskedRoom), evicted: [13], records: evicting(3), ownLeaders: { 3: 9 } },
            "wait leaders-evicted basic-tikv-3",
        ],
        [
            "before its pod is deleted, other nodes are asked about again",
            { ...pods(notAskedRoom), ...evicted },
            "look roomOf:basic-tikv-3",
        ],
        ["without leaders it goes", { ...pods(onDrained()), ...evicted }, "restart basic-tikv-3"],
        [
            "the room was taken while its leaders left: it stays",
            { ...pods(onDrained(nowhere)), ...evicted },
            "wait room-elsewhere basic-tikv-3",
        ],
        ["no other node takes it", pods(onDrained(nowhere)), "wait room-elsewhere basic-tikv-3"],
        ["nobody says whether another node takes it", pods(onDrained(null)), "wait room-elsewhere basic-tikv-3"],
        ["its volume is on the node", pods(onDrained(bound)), "wait room-elsewhere basic-tikv-3"],
        [
            "no other node takes it for the whole time: the update fails, and the pod stays",
            pods(onDrained(nowhere)),
            "fail room-elsewhere basic-tikv-3",
            waited("room-elsewhere", "basic-tikv-3", 601),
        ],
        [
            "its node is not Ready: nothing ends gracefully there",
            pods(onDrained(undefined, { isReady: false })),
            "wait node-answers basic-tikv-3",
        ],
        ["its node may not be read", pods(unreadNode), "wait node-answers basic-tikv-3"],
        ["its node was uncordoned meanwhile", pods(onKept), "done"],
        [
            "its node was uncordoned after its eviction began: the eviction ends",
            { ...pods(onKept), ...evicted },
            "end-eviction 13",
        ],
        ["it is already on another node, as another pod", pods({ ...onDrained(), uid: "uid-new" }), "done"],
        [
            "it is stopping",
            { ...pods({ ...onDrained(), terminating: true }), ...evicted },
            "wait pod-stopped basic-tikv-3",
        ],
        ["it is between two nodes", { pods: { 3: undefined }, ...evicted }, "wait pod-created basic-tikv-3"],
        [
            "another store is not Up",
            { ...pods(onDrained()), stores: { 1: { state: "Disconnected" } } },
            "wait store-up basic-tikv-1",
        ],
        [
            "a store of another cluster on this PD is not Up",
            { ...pods(onDrained()), moreStores: [storeOf(9, { own: false, state: "Down" })] },
            "wait other-stores-up basic-tikv-3",
        ],
        [
            "another pod is not Ready",
            { pods: { 3: onDrained(), 1: { ready: false, readySince: undefined } } },
            "wait pod-available basic-tikv-1",
        ],
        ["a region lacks a peer", { ...pods(onDrained()), regions: { missPeer: 4 } }, "look regions:short"],
    ];
    for (const [what, row, move, memory] of rows) {
        it(`${what}: ${move}`, () => assert.equal(next("tikv", row, [3], memory), move));
    }

    it("moves one at a time: the second one waits until the first one is back", () => {
        const both = { 3: onDrained(), 2: onDrained() };
        assert.equal(next("tikv", { pods: both }, [2, 3]), "begin-eviction 13");
        const back = { ...both, 3: { ...onKept, uid: "uid-new", ready: false, readySince: undefined } };
        assert.equal(next("tikv", { pods: back }, [2, 3]), "wait pod-available basic-tikv-3");
        assert.equal(
            next("tikv", { pods: { ...both, 3: { ...onKept, uid: "uid-new" } } }, [2, 3]),
            "begin-eviction 12",
        );
    });

    it("moves nothing that the plan did not show", () => assert.equal(next("tikv", pods(onDrained()), []), "done"));

    it("says in the action which node the pod leaves", () => {
        const { observation, target } = observed("tikv", { ...pods(onDrained()), ...evicted });
        const move = nextRolloutMove(observation, withMoves(target, 3), emptyMemory);
        assert.equal(move.kind === "act" && describeAction(move.action), "move basic-tikv-3 away from node node-1");
    });
});

describe("the other members on a node that is being emptied", () => {
    it("PD: the leadership moves first", () => {
        assert.equal(next("pd", { ...pods(onDrained(), 2), leader: 2 }, [2]), "transfer-leader to basic-pd-0");
        assert.equal(next("pd", { ...pods(onDrained(), 2), leader: 1 }, [2]), "restart basic-pd-2");
    });
    it("PD: not while the others are no quorum", () => {
        assert.equal(next("pd", { ...pods(onDrained(), 2), unhealthy: [0] }, [2]), "wait member-healthy basic-pd-0");
    });
    it("TiDB: one at a time, each after the other one answers", () => {
        assert.equal(next("tidb", pods(onDrained(), 1), [1]), "restart basic-tidb-1");
        const silent = { ...pods(onDrained(), 1), trouble: { 0: "HTTP 500" } };
        assert.equal(next("tidb", silent, [1]), "wait status-well basic-tidb-0");
    });
    it("TiFlash: not while another store is down", () => {
        assert.equal(next("tiflash", pods(onDrained(), 1), [1]), "restart basic-tiflash-1");
        const down = { ...pods(onDrained(), 1), tiflash: { 0: { state: "Down" } } };
        assert.equal(next("tiflash", down, [1]), "wait store-up basic-tiflash-0");
    });
});

describe("a restart on a node that is being emptied", () => {
    const stale = (pod: Partial<ObservedPod>, more: Deviation = {}): Deviation => ({
        ...pods(pod),
        stale: [3],
        ...more,
    });

    it("waits where the pod could not come back: its volume is on that node, which takes no pod", () => {
        assert.equal(next("tikv", stale(onDrained(bound)), []), "wait room-elsewhere basic-tikv-3");
        assert.equal(next("tikv", stale(onDrained(bound), evicted), []), "wait room-elsewhere basic-tikv-3");
        assert.equal(next("tikv", stale(onDrained()), []), "begin-eviction 13");
    });
    it("recreates a pod whose process does not run all the same", () =>
        assert.equal(next("tikv", stale({ ...onDrained(bound), ...notReady }), []), "restart basic-tikv-3"));
});

describe("what the plan says of nodes that are being emptied", () => {
    const found = (row: Deviation, component: Component = "tikv", records?: Observation["records"]) => {
        const { observation, target } = observed(component, { ...row, records });
        return findMoves(observation, target);
    };

    it("moves the pods that another node takes, each by its UID", () => {
        assert.deepEqual(found({ pods: { 1: onDrained(), 2: onKept, 3: onDrained(nowhere) } }).moves, {
            "basic-tikv-1": "uid-1",
        });
    });

    const kept: [what: string, pod: Partial<ObservedPod>, names: string][] = [
        ["its volume is on the node", onDrained(bound), "tikv-basic-tikv-3"],
        ["no other node takes it", onDrained(nowhere), "2 without room"],
        ["nobody says whether another node takes it", onDrained(null), "403"],
        ["its node is not Ready", onDrained(undefined, { isReady: false }), "not Ready"],
    ];
    for (const [what, pod, names] of kept) {
        it(`leaves a pod, and says why: ${what}`, () => {
            const { moves, remarks } = found(pods(pod));
            assert.deepEqual(moves, {});
            repeats(remarks, "basic-tikv-3", "node-1", names);
        });
    }

    it("finds nothing on nodes that stay, nor on nodes that may not be read", () => {
        const { observation, target } = observed("tikv", { pods: { 2: unreadNode, 3: onKept } });
        assert.deepEqual(drainedPods(observation, target), []);
    });

    it("leaves a dead pod to its failover", () => {
        const dead = { ...pods({ ...onDrained(), ...lostSight }), stores: { 3: { state: "Down" } } };
        assert.deepEqual(found(dead, "tikv", { ...noRecords(), failovers: failed("tikv", 3) }), {
            moves: {},
            remarks: [],
        });
    });

    it("shows the step: which node, what happens first, and what it waits for", () => {
        const { observation, target } = observed("tikv", pods(onDrained()));
        const [step, ...others] = plannedRollout(observation, withMoves(target, 3));
        assert.deepEqual(others, []);
        assert.deepEqual(step, {
            kind: "move",
            component: "tikv",
            target: "basic-tikv-3",
            why: "node node-1, which is cordoned",
            does: ["evict 500 leaders", "delete pod, which starts on another node", "end the eviction"],
            waitsFor: "Ready, store Up",
            estimateSeconds: 83,
        });
    });

    it("shows the risk of the only store, as a restart does", () => {
        const { observation, target } = observed("tikv", { replicas: 1, ...pods(onDrained(), 0) });
        const stores = observation.pd.stores;
        const one = stores.known ? { ...stores, value: stores.value.slice(0, 1) } : stores;
        const seen = { ...observation, pd: { ...observation.pd, stores: one } };
        assert.ok(plannedRollout(seen, withMoves(target, 0))[0].risk);
    });
});
