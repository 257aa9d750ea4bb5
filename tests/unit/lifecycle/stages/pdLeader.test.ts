import * as assert from "node:assert/strict";
import type { ObservedPdMember } from "../../../../provider/lifecycle/vocabulary/observation";
import { leaderTarget, leaderToTakeOver, leads } from "../../../../provider/lifecycle/stages/pdLeader";
import { podView } from "../../../support/lifecycle/inWords";
import { type Deviation, observed } from "../../../support/lifecycle/observations";
import { changedView } from "../../../support/lifecycle/changedView";

const foreign: ObservedPdMember = { name: "other-pd-0", memberId: "200", healthy: true };
const nameless: ObservedPdMember = { name: "", memberId: "300", healthy: true };
const five = { live: 5 };

describe("who leads PD before a pod stops", () => {
    const cases: [name: string, ordinal: number, row: Deviation, target: string | undefined][] = [
        ["the highest above it, which is on the new revision already", 1, five, "basic-pd-4"],
        ["the highest above it that is healthy", 1, { ...five, unhealthy: [4] }, "basic-pd-3"],
        ["the highest above it that stays", 1, { live: 5, replicas: 3 }, "basic-pd-2"],
        ["the lowest below, where none is above", 4, five, "basic-pd-0"],
        ["the lowest below that is healthy", 4, { ...five, unhealthy: [0] }, "basic-pd-1"],
        ["the lowest below whose pod does not stop", 4, { ...five, pods: { 0: { terminating: true } } }, "basic-pd-1"],
        ["one that stays, where the pod itself leaves", 3, { live: 5, replicas: 2 }, "basic-pd-0"],
        ["one that stays, though its pods are not in order", 4, { live: 5, replicas: 2, unhealthy: [0] }, "basic-pd-1"],
        [
            "one of another cluster before one that leaves",
            4,
            { live: 5, replicas: 0, moreMembers: [foreign] },
            "other-pd-0",
        ],
        ["one that leaves, where all do: the lowest, which leaves last", 4, { live: 5, replicas: 0 }, "basic-pd-0"],
        ["none that never started", 4, { ...five, unhealthy: [0, 1, 2, 3], moreMembers: [nameless] }, undefined],
        ["none if PD does not report its members", 4, { ...five, unknown: ["members"] }, undefined],
        ["never itself", 0, { live: 1 }, undefined],
        ["not another cluster's while one of ours can", 4, { ...five, moreMembers: [foreign] }, "basic-pd-0"],
    ];
    for (const [name, ordinal, row, target] of cases) {
        it(`${name}: ${target ?? "nobody"}`, () => assert.equal(leaderTarget(podView("pd", ordinal, row)), target));
    }
    it("is the lowest below, for any order in which the API server lists the pods", () => {
        const view = podView("pd", 4, five);
        const pods = [...view.member.pods].reverse();
        assert.equal(leaderTarget(changedView(view, { member: { ...view.member, pods } })), "basic-pd-0");
        const first = podView("pd", 0, five);
        assert.equal(leaderTarget(changedView(first, { member: { ...first.member, pods } })), "basic-pd-4");
    });
});

describe("a member leads PD", () => {
    const { observation } = observed("pd", { leader: 1 });
    const member = (name: string): ObservedPdMember => ({ ...foreign, name });
    it("if PD names it as the leader", () => {
        assert.equal(leads(observation.pd, member("basic-pd-1")), true);
        assert.equal(leads(observation.pd, member("basic-pd-0")), false);
        assert.equal(leads(observation.pd, undefined), false);
    });
    it("which is not known if PD does not report its leader or has none", () => {
        const of = (row: Deviation) => leads(observed("pd", row).observation.pd, member("basic-pd-1"));
        assert.deepEqual([of({ unknown: ["leader"] }), of({ leader: null })], [undefined, undefined]);
    });
    it("never without a name", () => {
        const pd = observed("pd", {}).observation.pd;
        const leader = { ...pd.leader, value: "" };
        assert.equal(leads({ ...pd, leader }, member("")), false);
    });
});

describe("who takes over PD if only a leader change is wanted", () => {
    const of = (row: Deviation) => leaderToTakeOver(observed("pd", row).observation);
    it("is a healthy member that does not lead", () => {
        assert.equal(of({ leader: 0 }), "basic-pd-1");
        assert.equal(of({ leader: 1 }), "basic-pd-0");
        assert.equal(of({ leader: 0, unhealthy: [1] }), "basic-pd-2");
        assert.equal(of({ leader: 0, pods: { 1: { terminating: true } } }), "basic-pd-2");
    });
    it("is nobody if PD does not report its members or its leader", () => {
        assert.deepEqual([of({ unknown: ["members"] }), of({ unknown: ["leader"] })], [undefined, undefined]);
    });
    it("is decided from PD alone if our own pods were not read", () => {
        const { observation } = observed("tikv", { leader: 0 });
        assert.equal(leaderToTakeOver(observation), "basic-pd-1");
    });
});
