import * as assert from "node:assert/strict";
import { needsOf } from "../../../provider/gates/takeAction";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { nothingObserved, type ObservedPd, unknownPd } from "../../../provider/lifecycle/vocabulary/observation";
import { now, observed, storeOf } from "../../support/lifecycle/observations";

const restart: Action = { do: "delete-pod", pod: "basic-tidb-1", uid: "uid-1", resourceVersion: "1" };
const forget: Action = { do: "forget-removal", of: "13" };
const fromPd = <T>(value: T) => known(value, "PD", now);
const needs = (pd: ObservedPd, action: Action = restart, withoutPd?: boolean) =>
    needsOf({ ...nothingObserved("basic", now), pd }, { action, withoutPd });
const foreign = storeOf(5, { podName: undefined, own: false });
const stranger = { name: "other-pd-0", memberId: "9", podName: undefined, healthy: true };
const { pd: healthy } = observed("tikv", {}).observation;

describe("the lock of PD", () => {
    const server = { servers: [], primary: undefined };
    for (const [name, said] of [
        ["the stores", { stores: fromPd([]) }],
        ["the members", { members: fromPd([]) }],
        ["who leads", { leader: fromPd(undefined) }],
        ["the leadership", { leadership: healthy.leadership }],
        ["the evictions", { evictedStores: fromPd([]) }],
        ["the pumps", { pumps: fromPd([]) }],
        ["a microservice", { microservices: { tso: fromPd(server) } }],
    ] as [string, Partial<ObservedPd>][]) {
        it(`is taken for a step that was decided with ${name} alone`, () => {
            assert.equal(needs({ ...unknownPd(), ...said }).usesPd, true);
        });
    }

    it("is not taken for a step that PD had no part in", () => {
        assert.equal(needs(unknownPd()).usesPd, false);
    });

    it("is not taken for a step that is to bring PD back", () => {
        assert.equal(needs(healthy, restart, true).usesPd, false);
        assert.equal(needs(healthy, restart, false).usesPd, true);
    });

    it("is not taken for a step that only tidies our own records", () => {
        assert.equal(needs(healthy, forget).usesPd, false);
        assert.equal(needs(healthy, forget, true).usesPd, false);
    });
});

describe("a PD that cannot be locked", () => {
    const notSaid = notKnown("PD did not answer");
    for (const [name, said, isAlone] of [
        ["all stores and members are this cluster's", {}, true],
        ["it lists no stores yet", { stores: fromPd([]) }, true],
        ["a store is another cluster's", { stores: fromPd([storeOf(0), foreign]) }, false],
        ["all stores are another cluster's", { stores: fromPd([foreign]) }, false],
        ["it did not list its stores", { stores: notSaid }, false],
        ["a member is another cluster's", { members: fromPd([...members(), stranger]) }, false],
        ["all members are another cluster's", { members: fromPd([stranger]) }, false],
        ["nobody asked for its members, and its stores are ours", { members: notSaid }, true],
        ["neither stores nor members are known", { stores: notSaid, members: notSaid }, false],
    ] as [string, Partial<ObservedPd>, boolean][]) {
        it(`${isAlone ? "needs no lock if" : "still needs a lock if"} ${name}`, () => {
            assert.equal(needs({ ...healthy, ...said }).isAlone, isAlone);
        });
    }
});

function members() {
    assert.ok(healthy.members.known);
    return healthy.members.value;
}
