import * as assert from "node:assert/strict";
import { emptyMemory, type Memory } from "../../../../../provider/lifecycle/vocabulary/memory";
import { type Observation, unknownPd, unreachablePd } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextSuspendMove } from "../../../../../provider/lifecycle/walks/suspend";
import { describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import type { Component } from "../../../../../topology/members";
import { waited } from "../../../../support/lifecycle/decisionTable";
import { type Deviation, inShort, observed } from "../../../../support/lifecycle/observations";
import { plannedSuspension, suspensionRun } from "../../../../support/lifecycle/planned";

type What = "all there" | "StatefulSet deleted" | "StatefulSet gone" | "all gone";

function seen(component: Component, what: What, row: Deviation = {}, isAsked = true): Observation {
    const { observation } = observed(component, row);
    const member = observation.members[component];
    assert.ok(member?.statefulSet);
    const statefulSet = { ...member.statefulSet, terminating: what === "StatefulSet deleted" };
    const isThere = what === "all there" || what === "StatefulSet deleted";
    return {
        ...observation,
        pd: isAsked ? unreachablePd("PD does not answer").pd : unknownPd(),
        members: {
            [component]: {
                ...member,
                statefulSet: isThere ? statefulSet : undefined,
                pods: what === "all gone" ? [] : member.pods,
            },
        },
    };
}

describe("suspending a member", () => {
    const rows: [what: What, move: string, memory?: Memory][] = [
        ["all there", "delete-stateful-set basic-tikv"],
        ["StatefulSet deleted", "wait suspended basic-tikv"],
        ["StatefulSet gone", "wait suspended basic-tikv"],
        ["StatefulSet gone", "fail suspended basic-tikv", waited("suspended", "basic-tikv", 601)],
        ["all gone", "done"],
    ];
    for (const [what, move, memory] of rows) {
        it(`${what}: ${move}, without PD`, () => {
            const { target } = observed("tikv", {});
            assert.equal(inShort(nextSuspendMove(seen("tikv", what), target, memory ?? emptyMemory)), move);
        });
    }

    it("asks PD how many leaders are left only once the stores stop: nothing waits for its answer", () => {
        const { target } = observed("tikv", {});
        const next = (what: What, component: Component = "tikv") =>
            inShort(nextSuspendMove(seen(component, what, {}, false), { ...target, component }, emptyMemory));
        assert.equal(next("all there"), "delete-stateful-set basic-tikv");
        assert.equal(next("StatefulSet deleted"), "look parts:[stores]");
        assert.equal(next("StatefulSet deleted", "tidb"), "wait suspended basic-tidb");
    });

    it("deletes the StatefulSet that was observed, and no other with its name", () => {
        const { target } = observed("tidb", {});
        const move = nextSuspendMove(seen("tidb", "all there"), target, emptyMemory);
        const action = { do: "delete-stateful-set", name: "basic-tidb", uid: "set-tidb" };
        assert.deepEqual(move.kind === "act" && move.action, action);
    });

    it("says of PD's StatefulSet that the PD's lock ends with it", () => {
        const { target } = observed("pd", {});
        const move = nextSuspendMove(seen("pd", "all there"), target, emptyMemory);
        assert.equal(move.kind === "act" && "endsPd" in move.action && move.action.endsPd, true);
    });

    it("is one step of the plan, and none once it is done", () => {
        const { target } = observed("tikv", {});
        const [step, ...more] = plannedSuspension(seen("tikv", "all there"), target);
        assert.deepEqual(
            [step.kind, step.target, step.waitsFor, more],
            ["suspend", "basic-tikv", "its 4 pods have stopped", []],
        );
        const alone = seen("tikv", "all there");
        const [tikv] = Object.values(alone.members);
        const [one] = plannedSuspension(
            { ...alone, members: { tikv: { ...tikv, pods: tikv.pods.slice(0, 1) } } },
            target,
        );
        assert.equal(one.waitsFor, "its pod has stopped");
        assert.deepEqual(plannedSuspension(seen("tikv", "all gone"), target), []);
    });

    it("waits, without a consent, for pods that stop already, and is not held up by them", () => {
        const { target } = observed("tikv", {});
        const deleted = seen("tikv", "StatefulSet deleted");
        assert.deepEqual(plannedSuspension(deleted, target).map(describeStep), [
            "wait basic-tikv (suspendAction): wait: basic-tikv-0, basic-tikv-1, basic-tikv-2, basic-tikv-3 not stopped yet; until its 4 pods have stopped (~1 s); risk: no TiKV is left: its data cannot be read or written",
        ]);
        assert.equal(suspensionRun(deleted, target).end.is, "done");
        assert.equal(suspensionRun(seen("tikv", "StatefulSet gone"), target).end.is, "held");
    });

    it("is a risk for whom nothing serves then, while the member has pods", () => {
        const { target } = observed("tidb", {});
        const risk = (row: Deviation) => plannedSuspension(seen("tidb", "all there", row), target)[0].risk;
        assert.equal(risk({}), "no TiDB is left: no SQL");
        assert.equal(risk({ pods: { 0: undefined, 1: undefined } }), undefined);
        for (const [component, says] of [
            ["pd", "no PD is left: no other member works without it"],
            ["tikv", "no TiKV is left: its data cannot be read or written"],
        ] as const) {
            assert.equal(plannedSuspension(seen(component, "all there"), observed(component, {}).target)[0].risk, says);
        }
    });
});
