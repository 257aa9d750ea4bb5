import * as assert from "node:assert/strict";
import {
    emptyMemory,
    hasTaken,
    mayAct,
    type Memory,
    rememberAction,
    rememberWait,
    steadySince,
    type Wait,
    waitingSince,
} from "../../../../provider/lifecycle/vocabulary/memory";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import type { ActMove, WaitMove } from "../../../../provider/lifecycle/vocabulary/move";

const now = 1_700_000_000_000;
const [step, target] = ["leaders-evicted", "basic-tikv-3"];
const key = `${step} ${target}`;
const having = (wait: Wait): Memory => ({ waits: { [key]: wait }, actedAt: {} });
const waiting = (more: Partial<WaitMove> = {}): WaitMove => ({
    ...{ kind: "wait", step, target, waitingFor: "…", since: now },
    ...more,
});
const eviction: Action = { do: "begin-eviction", storeId: 13, pod: target, leaders: 9 };
const acting = (action: Action, more: Partial<ActMove> = {}): ActMove => ({
    ...{ kind: "act", action, step, target },
    ...more,
});

describe("a wait is remembered", () => {
    it("from when it began, as long as it is seen once a minute", () => {
        const since = now - 500_000;
        assert.equal(waitingSince(having({ since, seenAt: now - 59_999 }), step, target, now), since);
        assert.equal(waitingSince(having({ since, seenAt: now - 60_000 }), step, target, now), now);
        assert.equal(waitingSince(emptyMemory, step, target, now), now);
    });
    it("from its last progress: the timeout restarts only if less is left than ever before", () => {
        const since = now - 500_000;
        const counted = having({ since, seenAt: now - 1000, left: 40 });
        assert.equal(waitingSince(counted, step, target, now, 39), now);
        assert.equal(waitingSince(counted, step, target, now, 40), since);
        assert.equal(waitingSince(counted, step, target, now, 41), since);
        assert.equal(waitingSince(counted, step, target, now), since);
        assert.equal(waitingSince(having({ since, seenAt: now - 1000 }), step, target, now, 39), since);
    });
    it("with the lowest remaining count: growing and falling again is not progress", () => {
        const left = (memory: Memory, more: Partial<WaitMove>) => rememberWait(memory, waiting(more), now).waits[key];
        const since = now - 500_000;
        assert.deepEqual(left(emptyMemory, { left: 40 }), {
            since: now,
            seenAt: now,
            left: 40,
            steadySince: undefined,
        });
        const counted = having({ since, seenAt: now - 1000, left: 40 });
        assert.deepEqual(left(counted, { left: 70 }), { since, seenAt: now, left: 40, steadySince: undefined });
        assert.deepEqual(left(counted, { left: 30 }), { since: now, seenAt: now, left: 30, steadySince: undefined });
        assert.deepEqual(left(counted, {}), { since, seenAt: now, left: 40, steadySince: undefined });
    });
    it("not with the remaining count from before a new wait", () => {
        const old = having({ since: now - 500_000, seenAt: now - 60_000, left: 3 });
        assert.equal(rememberWait(old, waiting({ left: 70 }), now).waits[key].left, 70);
    });
    it("under the shared name, if steps share their timeout", () => {
        const memory = rememberWait(emptyMemory, waiting({ waitAs: "eviction-begun" }), now);
        assert.deepEqual(Object.keys(memory.waits), [`eviction-begun ${target}`]);
    });
    it("and keeps earlier waits that timed out, which would otherwise start again a minute later", () => {
        const over = { since: now - 500_000, seenAt: now - 30_000 };
        const memory = having(over);
        const passed = [key, "never-waited-for basic-tikv-3"];
        const { waits } = rememberWait(memory, waiting({ step: "majorities-stay", passed }), now);
        assert.deepEqual(waits, {
            [key]: { ...over, seenAt: now },
            [`majorities-stay ${target}`]: { since: now, seenAt: now, left: undefined, steadySince: undefined },
        });
    });
    it("and leaves the others unchanged", () => {
        const { waits } = rememberWait(having({ since: 1, seenAt: 2 }), waiting({ step: "store-up" }), now);
        assert.deepEqual(Object.keys(waits), [key, `store-up ${target}`]);
        assert.deepEqual(waits[key], { since: 1, seenAt: 2 });
    });
});

describe("what must be found again until it has held for a while", () => {
    const since = now - 40_000;
    it("has held since it was first found, if it was checked at least every 15 s", () => {
        const found = (seenAt: number) => steadySince(having({ since, seenAt, steadySince: since }), step, target, now);
        assert.equal(found(now - 14_999), since);
        assert.equal(found(now - 15_000), now);
        assert.equal(steadySince(emptyMemory, step, target, now), now);
        assert.equal(steadySince(having({ since, seenAt: now - 1 }), step, target, now), now);
    });
    it("is remembered as such, and forgotten once something else is waited for: one gauge value would count twice", () => {
        const found = having({ since, seenAt: now - 1000, steadySince: since });
        assert.equal(rememberWait(emptyMemory, waiting({ steadyAt: now - 5 }), now).waits[key].steadySince, now);
        assert.equal(rememberWait(found, waiting({ steadyAt: now - 5 }), now).waits[key].steadySince, since);
        assert.equal(rememberWait(found, waiting(), now).waits[key].steadySince, undefined);
        assert.equal(rememberWait(found, acting(eviction), now).waits[key].steadySince, undefined);
    });
});

describe("an action", () => {
    it("is retried after 5 s without an effect, and not earlier", () => {
        const acted = (at: number): Memory => ({ waits: {}, actedAt: { "begin-eviction 13": at } });
        assert.equal(mayAct(emptyMemory, eviction, now), true);
        assert.equal(mayAct(acted(now - 4_999), eviction, now), false);
        assert.equal(mayAct(acted(now - 5_000), eviction, now), true);
        assert.equal(mayAct(acted(now), { ...eviction, storeId: 12 }, now), true);
    });
    it("is remembered together with earlier ones", () => {
        const before: Memory = { waits: {}, actedAt: { "end-eviction 12": 5 } };
        assert.deepEqual(rememberAction(before, acting(eviction), now), {
            waits: {},
            actedAt: { "end-eviction 12": 5, "begin-eviction 13": now },
        });
    });
    it("is remembered however many were taken since: what an operator has refused, or has changed back, is not tried again", () => {
        const all = Array.from({ length: 200 }, (_, storeId): Action => ({ ...eviction, storeId }));
        const memory = all.reduce((before, action) => rememberAction(before, acting(action), now), emptyMemory);
        assert.ok(all.every((action) => hasTaken(memory, action) && !mayAct(memory, action, now)));
        assert.equal(hasTaken(memory, { ...eviction, storeId: 200 }), false);
    });
    it("that begins an eviction starts its deadline: earlier time was spent waiting for PD, not for the eviction", () => {
        const other = { since: 1, seenAt: 2 };
        const memory: Memory = { waits: { [key]: other, "store-up basic-tikv-2": other }, actedAt: {} };
        assert.deepEqual(rememberAction(memory, acting(eviction), now).waits, { "store-up basic-tikv-2": other });
        const end: Action = { do: "end-eviction", storeId: 13, pod: target };
        assert.equal(rememberAction(memory, acting(end), now).waits, memory.waits);
    });
    it("that deletes a pod gives the next one its full time: what the deleted one has had of it is over", () => {
        const other = { since: 1, seenAt: 2 };
        const memory: Memory = { waits: { [`pod-available ${target}`]: other, [key]: other }, actedAt: {} };
        const deletion: Action = { do: "delete-pod", pod: target, uid: "uid-13", resourceVersion: "1" };
        assert.deepEqual(rememberAction(memory, acting(deletion), now).waits, { [key]: other });
    });
});
