import * as assert from "node:assert/strict";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { planRollout } from "../../../../../provider/lifecycle/walks/planRollout";
import { planScale } from "../../../../../provider/lifecycle/walks/planScale";
import type { Component } from "../../../../../topology/members";
import { type Deviation, emptyMemory, inShort, observed } from "../../../../support/lifecycle/observations";
import { notReady } from "../../../../support/lifecycle/decisionTable";

/** What each step of a plan does, by pod. */
const plan = (make: typeof planRollout, component: Component, row: Deviation) => {
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
            const planned = plan(planRollout, "pd", { ...all, leader });
            const last = Object.entries(planned).at(-1);
            assert.deepEqual(last, [`basic-pd-${leader}`, `transfer leadership to basic-pd-${to}, delete pod`]);
            assert.equal(Object.values(planned).filter((does) => does === "delete pod").length, 2);
        }
    });
    for (const leader of [0, 1, 2]) {
        it(`the update makes the transfers of its plan, if pod ${leader} leads PD`, () => {
            const planned = Object.entries(plan(planRollout, "pd", { ...all, leader })).flatMap(([pod, does]) => {
                const to = /transfer leadership to ([^,]*)/.exec(does)?.[1];
                return [...(to === undefined ? [] : [`transfer-leader to ${to}`]), `restart ${pod}`];
            });
            assert.deepEqual(movesOfUpdate({ ...all, leader }), planned);
        });
    }
    it("a member that was unhealthy can lead after its own restart", () => {
        const row = { ...all, leader: 1, unhealthy: [0], pods: { 0: notReady } };
        assert.deepEqual(plan(planRollout, "pd", row), {
            "basic-pd-0": "delete pod",
            "basic-pd-2": "delete pod",
            "basic-pd-1": "transfer leadership to basic-pd-2, delete pod",
        });
        assert.equal(
            plan(planRollout, "pd", { ...row, leader: 2, notMembers: [1] })["basic-pd-2"],
            "transfer leadership to basic-pd-0, delete pod",
        );
    });
    it("a pod that does not exist yet can lead once it has started", () => {
        const row = { stale: [1], leader: 1, unhealthy: [0, 2], pods: { 0: undefined, 2: undefined } };
        assert.equal(plan(planRollout, "pd", row)["basic-pd-1"], "transfer leadership to basic-pd-2, delete pod");
    });
    it("who leads PD after a member that nobody can replace is not known", () => {
        assert.deepEqual(plan(planRollout, "pd", { stale: [1], leader: 1, notMembers: [0, 2], live: 2 }), {
            "basic-pd-1": "no leadership transfer: no other member is healthy, delete pod",
        });
    });
    it("PD's leader that leaves hands over first, to a member that stays or else that is still there", () => {
        assert.deepEqual(plan(planScale, "pd", { live: 3, replicas: 1, leader: 2 }), {
            "basic-pd-2": "transfer leadership to basic-pd-0, remove the member from PD",
            "basic-pd-1": "remove the member from PD",
        });
        assert.deepEqual(plan(planScale, "pd", { live: 3, replicas: 0, leader: 1 }), {
            "basic-pd-2": "remove the member from PD",
            "basic-pd-1": "transfer leadership to basic-pd-0, remove the member from PD",
            "basic-pd-0": "remove the member from PD",
        });
    });
    it("a microservice's primary comes back from the pod that it went to", () => {
        assert.deepEqual(plan(planRollout, "tso", { stale: [0, 1], primary: 1 }), {
            "basic-tso-1": "transfer primary to basic-tso-0, delete pod",
            "basic-tso-0": "transfer primary to basic-tso-1, delete pod",
        });
    });
    it("a server that is not Ready can be the primary after its own restart", () => {
        const row = { stale: [0, 1], primary: 1, pods: { 0: notReady } };
        assert.deepEqual(plan(planRollout, "tso", row), {
            "basic-tso-0": "delete pod",
            "basic-tso-1": "transfer primary to basic-tso-0, delete pod",
        });
    });
    it("a microservice's primary that leaves hands over to a server that stays", () => {
        assert.deepEqual(plan(planScale, "tso", { live: 3, replicas: 1, primary: 2 }), {
            "basic-tso-2": "transfer primary to basic-tso-0, graceful shutdown",
            "basic-tso-1": "graceful shutdown",
        });
        assert.deepEqual(plan(planScale, "tso", { live: 2, replicas: 0, primary: 1 }), {
            "basic-tso-1": "graceful shutdown",
            "basic-tso-0": "graceful shutdown",
        });
    });
    it("a nameless microservice's next primary is not known", () => {
        assert.deepEqual(plan(planRollout, "tso", { stale: [0, 1], primary: 1, nameless: true }), {
            "basic-tso-1": "no transfer of the primary: no other server can take over, delete pod",
            "basic-tso-0": "delete pod",
        });
    });
    it("TiCDC's owner gives the ownership up, and who owns it then is not known", () => {
        const moves = "move its tables to other captures";
        assert.deepEqual(plan(planRollout, "ticdc", { ...all, captures: { owner: 2 } }), {
            "basic-ticdc-2": `give up the ownership, ${moves}, delete pod`,
            "basic-ticdc-1": `${moves}, delete pod`,
            "basic-ticdc-0": `${moves}, delete pod`,
        });
        assert.deepEqual(plan(planScale, "ticdc", { live: 3, replicas: 1, captures: { owner: 1 } }), {
            "basic-ticdc-2": moves,
            "basic-ticdc-1": `give up the ownership, ${moves}`,
        });
        // The only capture has nobody to give the ownership to.
        assert.deepEqual(plan(planScale, "ticdc", { live: 2, replicas: 0, captures: { owner: 0 } }), {
            "basic-ticdc-1": moves,
            "basic-ticdc-0": moves,
        });
    });
});
