import * as assert from "node:assert/strict";
import { known, notAsked, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, type Memory, rememberWait } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import type { WaitMove } from "../../../../provider/lifecycle/vocabulary/move";
import {
    type Finding,
    firstUnfinished,
    lacksFact,
    type StageTimeout,
    type Stage,
    viewOf,
} from "../../../../provider/lifecycle/vocabulary/stage";
import { acted, steady, waited } from "../../../support/lifecycle/decisionTable";
import { podView } from "../../../support/lifecycle/inWords";
import type { Condition } from "../../../../provider/lifecycle/vocabulary/problemCodes";
import { now, observed, storeOf } from "../../../support/lifecycle/observations";
import { changedView } from "../../../support/lifecycle/changedView";

const view = podView("tikv", 3, {});
const target = "basic-tikv-3";
const forget: Action = { do: "forget-eviction", storeId: 13 };
const stage = (name: string, finding: Finding, timeout: Partial<StageTimeout> = {}, action?: Action): Stage => ({
    name: name as Condition,
    holds: () => finding,
    act: () => action,
    timeout: () => ({ seconds: 100, then: "fail", ...timeout }),
    advice: "look at it",
});
const holds = stage("fine", true);
const lacking = stage("one", { lacks: "one is lacking" });
const goesOn = (finding: Finding = { lacks: "…" }, as?: string) => stage("two", finding, { then: "go-on", as });
const next = (stages: Stage[], memory: Memory = emptyMemory) => firstUnfinished(stages, view, memory);
const wait = (step: string, more: object = {}) => ({
    ...{
        kind: "wait",
        step,
        target,
        waitingFor: `${step} is lacking`,
        since: now,
        until: now + 100_000,
        next: "look at it",
    },
    ...more,
});

describe("the first stage that does not hold decides", () => {
    it("nothing is done if all of them hold", () => assert.equal(next([holds, holds]), undefined));
    it("it is waited for", () => assert.deepEqual(next([holds, lacking, goesOn()]), wait("one")));
    it("or more is read", () => {
        const look = stage("look", { look: { ownLeadersOf: target } });
        assert.deepEqual(next([look, lacking]), { kind: "look", at: { ownLeadersOf: target } });
    });
    it("or brought about", () => {
        const acting = stage("one", { lacks: "…" }, {}, forget);
        assert.deepEqual(next([acting]), { kind: "act", action: forget, step: "one", target });
        assert.deepEqual(next([stage("one", { lacks: "…" }, { as: "both" }, forget)]), {
            ...{ kind: "act", action: forget, step: "one", target, waitAs: "both" },
        });
    });
    it("which is not retried within 5 s", () => {
        const acting = stage("one", { lacks: "one is lacking" }, {}, forget);
        assert.deepEqual(next([acting], acted("forget-eviction 13", 4_999)), wait("one"));
        assert.equal(next([acting], acted("forget-eviction 13", 5_000))?.kind, "act");
    });
});

describe("a stage's timeout", () => {
    const failure = (seconds: number) => ({
        kind: "fail",
        problem: { code: "one", step: "one", target, seen: `one is lacking, for ${seconds} s`, next: "look at it" },
    });
    it("ends the run with what was found and what to do", () => {
        assert.deepEqual(
            next([lacking], waited("one", target, 99)),
            wait("one", { since: now - 99_000, until: now + 1_000 }),
        );
        assert.deepEqual(next([lacking], waited("one", target, 100)), failure(100));
        assert.deepEqual(next([lacking], waited("one", target, 250)), failure(250));
    });
    it("expires before anything is retried", () => {
        const acting = stage("one", { lacks: "one is lacking" }, {}, forget);
        assert.deepEqual(next([acting], waited("one", target, 100)), failure(100));
    });
    it("is shared by all stages with the same name for it", () => {
        const shared = stage("one", { lacks: "one is lacking" }, { as: "both" });
        assert.deepEqual(next([shared], waited("both", target, 100)), failure(100));
        assert.deepEqual(next([shared], waited("one", target, 100)), wait("one", { waitAs: "both" }));
    });
    it("restarts whenever less is left", () => {
        const counted = stage("one", { lacks: "one is lacking", left: 5 });
        const before = (left: number): Memory => ({
            waits: { [`one ${target}`]: { since: now - 100_000, seenAt: now - 1000, left } },
            actedAt: {},
        });
        assert.deepEqual(next([counted], before(6)), wait("one", { left: 5 }));
        assert.deepEqual(next([counted], before(5)), failure(100));
    });
});

describe("a stage that goes on after its timeout", () => {
    const over = waited("two", target, 100);
    it("is passed, and stays passed while the next stage is waited for", () => {
        assert.deepEqual(next([goesOn(), lacking], over), wait("one", { passed: [`two ${target}`] }));
        const shared = waited("both", target, 100);
        assert.deepEqual(
            next([goesOn({ lacks: "…" }, "both"), lacking], shared),
            wait("one", { passed: [`both ${target}`] }),
        );
    });
    it("or brought about", () => {
        const acting = stage("one", { lacks: "…" }, {}, forget);
        const passed = [`two ${target}`];
        // For the journal: a condition whose time was over did not hold, and the record must say so.
        const held = ["two (its time was over: …)"];
        const expected = { kind: "act", action: forget, step: "one", target, passed, held };
        assert.deepEqual(next([goesOn(), acting], over), expected);
    });
    it("is part of neither a failure nor a look", () => {
        const memory: Memory = { ...over, waits: { ...over.waits, ...waited("one", target, 100).waits } };
        assert.deepEqual(Object.keys(next([goesOn(), lacking], memory) ?? {}), ["kind", "problem"]);
        const look = stage("look", { look: { ownLeadersOf: target } });
        assert.deepEqual(next([goesOn(), look], over), { kind: "look", at: { ownLeadersOf: target } });
    });
    it("ends the walk if it is the last", () => assert.equal(next([goesOn()], over), undefined));
    it("has a deadline set by the user: progress does not extend it", () => {
        const counted = goesOn({ lacks: "two is lacking", left: 5 });
        const memory: Memory = {
            waits: { [`two ${target}`]: { since: now - 60_000, seenAt: now - 1000, left: 9 } },
            actedAt: {},
        };
        const until = now + 40_000;
        assert.deepEqual(next([counted], memory), wait("two", { since: now - 60_000, until, goesOnAt: until }));
    });
});

describe("what must be found again until it has held for a while", () => {
    const found = (at?: number) =>
        stage("one", { lacks: "one is lacking", steadyFor: 10, ...(at === undefined ? {} : { at }) }, {}, forget);
    it("is waited for, and nothing is done about it", () => {
        assert.deepEqual(next([found()]), wait("one", { steadyAt: now, goesOnAt: now + 10_000 }));
        const earlier = now - 400;
        assert.deepEqual(next([found(earlier)]), wait("one", { steadyAt: earlier, goesOnAt: now + 10_000 }));
    });
    it("is waited for under the lock where it says so, because another run could change it meanwhile", () => {
        const locked = stage("one", { lacks: "one is lacking", steadyFor: 10, needsLock: true });
        assert.deepEqual(next([locked]), wait("one", { steadyAt: now, goesOnAt: now + 10_000, needsLock: true }));
    });
    it("holds after that time, counted to when it was queried last, not to when the answer came", () => {
        assert.equal(next([found()], steady("one", target, 10)), undefined);
        assert.equal(next([found()], steady("one", target, 9.999))?.kind, "wait");
        assert.equal(next([found(now - 1)], steady("one", target, 10))?.kind, "wait");
    });
    it("counts from the first answer: one that took 3 s may be as new as one that was asked for 10 s after it", () => {
        const at = (later: number) => changedView(view, { observation: { ...view.observation, now: now + later } });
        const first = firstUnfinished([found(now)], at(3_000), emptyMemory) as WaitMove;
        const memory = rememberWait(emptyMemory, first, now + 3_000);
        assert.equal(firstUnfinished([found(now + 12_999)], at(13_000), memory)?.kind, "wait");
        assert.equal(firstUnfinished([found(now + 13_000)], at(13_000), memory), undefined);
    });
    it("keeps holding while the next stage is waited for", () => {
        const after = stage("after", { lacks: "after is lacking" });
        const passed = [`one ${target}`];
        assert.deepEqual(next([found(), after], steady("one", target, 10)), wait("after", { passed }));
    });
    it("no longer holds if it was lost in between", () => {
        assert.equal(next([found()], waited("one", target, 10))?.kind, "wait");
    });
});

describe("a fact that is not known", () => {
    const fact = notKnown("PD is silent");
    it("is waited for with the reason", () => {
        const lacks = "the stores are not known: PD is silent";
        assert.deepEqual(lacksFact(fact, "the stores are"), { lacks });
        assert.deepEqual(lacksFact(fact, "the stores are", { parts: ["stores"] }), { lacks });
    });
    it("is requested if it was not requested yet", () => {
        const look = { parts: ["stores"] } as const;
        assert.deepEqual(lacksFact(notAsked, "the stores are", look), { look });
        assert.deepEqual(lacksFact(notAsked, "the stores are"), {
            lacks: "the stores are not known: it was not requested",
        });
    });
});

describe("what is known about a pod", () => {
    it("includes its store, if PD lists exactly one under its address", () => {
        assert.equal(view.store?.id, 13);
        const two = podView("tikv", 3, { moreStores: [storeOf(3, { id: 99 })] });
        assert.deepEqual([two.stores.length, two.store], [2, undefined]);
        assert.equal(podView("tikv", 3, { stores: { 3: { own: false } } }).store, undefined);
    });
    it("includes its PD member, preferring the one with a name", () => {
        const [named, nameless] = ["basic-pd-1", ""].map((name) => ({
            ...{ name, memberId: `id of ${name}`, healthy: true, podName: "basic-pd-1" },
        }));
        const of = (...moreMembers: (typeof named)[]) => podView("pd", 1, { notMembers: [1], moreMembers });
        assert.deepEqual(
            [of(nameless, named).pdMember, of(nameless).pdMember, of().pdMember],
            [named, nameless, undefined],
        );
        assert.deepEqual(of(nameless, named).pdMembers, [nameless, named]);
        assert.deepEqual(podView("pd", 1, { unknown: ["members"] }).pdMembers, []);
    });
    it("includes no PD member for a pod of another member, whatever its name is", () => {
        const { observation, target: tikv } = observed("tikv", {});
        const members = known([{ name: "x", memberId: "1", healthy: true, podName: target }], "PD", now);
        const seen = viewOf({ ...observation, pd: { ...observation.pd, members } }, tikv, 3);
        assert.deepEqual(seen.pdMembers, []);
    });
    it("is empty for a member that was not read", () => {
        const { observation, target: tikv } = observed("tikv", {});
        const { member, pod } = viewOf({ ...observation, members: {} }, tikv, 3);
        assert.deepEqual([member, pod], [{ component: "tikv", pods: [], claims: [] }, undefined]);
    });
});
