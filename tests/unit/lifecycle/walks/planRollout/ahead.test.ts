import * as assert from "node:assert/strict";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import type { Component } from "../../../../../topology/members";
import { claimOf, type Deviation, emptyMemory, inShort, observed } from "../../../../support/lifecycle/observations";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { plannedRollout, plannedScale, rolloutRun } from "../../../../support/lifecycle/planned";

/** What each step of a plan does, by pod. */
const plan = (make: typeof plannedRollout, component: Component, row: Deviation) => {
    const { observation, target } = observed(component, row);
    return Object.fromEntries(make(observation, target).map(({ target: pod, does }) => [pod, does.join(", ")]));
};

/** The moves of a whole update of PD, each of which succeeds at once. */
function movesOfUpdate(row: Deviation): string[] {
    const { observation, target } = observed("pd", row);
    const move = nextRolloutMove(observation, target, emptyMemory);
    if (move.kind !== "act") {
        return [];
    }
    const pod = Number(inShort(move).slice(-1));
    const after =
        move.action.do === "transfer-leader" ? { leader: pod } : { stale: row.stale?.filter((one) => one !== pod) };
    return [inShort(move), ...movesOfUpdate({ ...row, ...after })];
}

describe("a plan follows its own steps", () => {
    const all: Deviation = { stale: [0, 1, 2] };
    it("PD's leader restarts last: its leadership moves once, to a pod that has been restarted", () => {
        for (const [leader, to] of [
            [2, 0],
            [1, 2],
            [0, 2],
        ]) {
            const planned = plan(plannedRollout, "pd", { ...all, leader });
            const last = Object.entries(planned).at(-1);
            assert.deepEqual(last, [`basic-pd-${leader}`, `transfer leadership to basic-pd-${to}, delete pod`]);
            assert.equal(Object.values(planned).filter((does) => does === "delete pod").length, 2);
        }
    });
    for (const leader of [0, 1, 2]) {
        it(`the update makes the transfers of its plan, if pod ${leader} leads PD`, () => {
            const planned = Object.entries(plan(plannedRollout, "pd", { ...all, leader })).flatMap(([pod, does]) => {
                const to = /transfer leadership to ([^,]*)/.exec(does)?.[1];
                return [...(to === undefined ? [] : [`transfer-leader to ${to}`]), `restart ${pod}`];
            });
            assert.deepEqual(movesOfUpdate({ ...all, leader }), planned);
        });
    }
    it("a member that was unhealthy can lead after its own restart", () => {
        const row = { ...all, leader: 1, unhealthy: [0], pods: { 0: notReady } };
        assert.deepEqual(plan(plannedRollout, "pd", row), {
            "basic-pd-0": "delete pod",
            "basic-pd-2": "delete pod",
            "basic-pd-1": "transfer leadership to basic-pd-2, delete pod",
        });
        assert.equal(
            plan(plannedRollout, "pd", { ...row, leader: 2, stale: [0, 2] })["basic-pd-2"],
            "transfer leadership to basic-pd-0, delete pod",
        );
    });
    it("a pod that does not exist yet can lead once it has started", () => {
        const row = { stale: [1], leader: 1, unhealthy: [0, 2], pods: { 0: undefined, 2: undefined } };
        assert.equal(plan(plannedRollout, "pd", row)["basic-pd-1"], "transfer leadership to basic-pd-2, delete pod");
    });
    it("a leader that nobody can replace is not stopped", () => {
        const row = { stale: [1], leader: 1, notMembers: [0, 2], live: 2 };
        assert.deepEqual(plan(plannedRollout, "pd", row), { "basic-pd-1": "" });
        const { observation, target } = observed("pd", row);
        const { end } = rolloutRun(observation, target);
        assert.equal(end.is === "held" && inShort(end.at), "wait member-healthy basic-pd-0");
    });
    it("PD's leader that leaves hands over first, to a member that stays or else that is still there", () => {
        const claims = [0, 1, 2].map((one) => claimOf("pd", one));
        const removed = "remove the member from PD, mark its volumes as released";
        assert.deepEqual(plan(plannedScale, "pd", { live: 3, replicas: 1, leader: 2, claims }), {
            "basic-pd-2": `transfer leadership to basic-pd-0, ${removed}`,
            "basic-pd-1": removed,
        });
        assert.deepEqual(plan(plannedScale, "pd", { live: 3, replicas: 0, leader: 1, claims }), {
            "basic-pd-2": removed,
            "basic-pd-1": `transfer leadership to basic-pd-0, ${removed}`,
            // The last member stays on its volumes, so the cluster can come back.
            "basic-pd-0": "",
        });
    });
    it("a microservice's primary comes back from the pod that it went to", () => {
        assert.deepEqual(plan(plannedRollout, "tso", { stale: [0, 1], primary: 1 }), {
            "basic-tso-1": "transfer primary to basic-tso-0, delete pod",
            "basic-tso-0": "transfer primary to basic-tso-1, delete pod",
        });
    });
    it("a server that is not Ready can be the primary after its own restart", () => {
        const row = { stale: [0, 1], primary: 1, pods: { 0: notReady } };
        assert.deepEqual(plan(plannedRollout, "tso", row), {
            "basic-tso-0": "delete pod",
            "basic-tso-1": "transfer primary to basic-tso-0, delete pod",
        });
    });
    it("a microservice's primary that leaves hands over to a server that stays", () => {
        assert.deepEqual(plan(plannedScale, "tso", { live: 3, replicas: 1, primary: 2 }), {
            "basic-tso-2": "transfer primary to basic-tso-0, graceful shutdown",
            "basic-tso-1": "graceful shutdown",
        });
        assert.deepEqual(plan(plannedScale, "tso", { live: 2, replicas: 0, primary: 1 }), {
            "basic-tso-1": "graceful shutdown",
            "basic-tso-0": "graceful shutdown",
        });
    });
    it("a nameless microservice's primary is not moved", () => {
        assert.deepEqual(plan(plannedRollout, "tso", { stale: [0, 1], primary: 1, nameless: true }), {
            "basic-tso-1": "delete pod",
            "basic-tso-0": "delete pod",
        });
    });
    it("TiCDC's owner gives the ownership up, and the next one to shut down does not keep it", () => {
        const moves = "move its tables to other captures";
        assert.deepEqual(plan(plannedRollout, "ticdc", { ...all, captures: { owner: 2 } }), {
            "basic-ticdc-2": `give up the ownership, ${moves}, take the ownership from basic-ticdc-1, delete pod`,
            "basic-ticdc-1": `${moves}, take the ownership from basic-ticdc-0, delete pod`,
            "basic-ticdc-0": `${moves}, delete pod`,
        });
    });
    it("TiCDC's owner that leaves gives the ownership up, unless nobody is left to take it", () => {
        const moves = "move its tables to other captures, graceful shutdown";
        assert.deepEqual(plan(plannedScale, "ticdc", { live: 3, replicas: 1, captures: { owner: 1 } }), {
            "basic-ticdc-2": moves,
            "basic-ticdc-1": `give up the ownership, ${moves}`,
        });
        assert.deepEqual(plan(plannedScale, "ticdc", { live: 2, replicas: 0, captures: { owner: 0 } }), {
            "basic-ticdc-1": moves,
            "basic-ticdc-0": "graceful shutdown",
        });
    });
});
