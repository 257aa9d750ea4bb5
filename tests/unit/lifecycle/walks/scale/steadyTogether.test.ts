import * as assert from "node:assert/strict";
import { notKnown } from "../../../../../provider/lifecycle/vocabulary/evidence";
import {
    emptyMemory,
    type Memory,
    rememberAction,
    rememberWait,
} from "../../../../../provider/lifecycle/vocabulary/memory";
import type { GatePolicy } from "../../../../../provider/lifecycle/vocabulary/target";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { neverStarted } from "../../../../support/lifecycle/decisionTable";
import { claimOf, type Deviation, inShort, now, observed } from "../../../../support/lifecycle/observations";

/** Looks every two seconds until the end. @param at what is seen after so many milliseconds. */
function play(
    component: "pd" | "tikv",
    at: (after: number, marked: ReadonlySet<number>) => Deviation,
    policy: Partial<GatePolicy> = {},
): string {
    let memory: Memory = emptyMemory;
    const marked = new Set<number>();
    for (let after = 0; after <= 3_000_000; after += 2_000) {
        const { observation, target } = observed(component, { ...at(after, marked), policy });
        const seen = { ...observation, now: now + after };
        const move = nextScaleMove(seen, target, memory);
        if (move.kind === "done" || move.kind === "fail") {
            return `${inShort(move)} after ${after / 1_000} s`;
        }
        memory = move.kind === "look" ? memory : rememberWait(memory, move, seen.now);
        if (move.kind === "act") {
            memory = rememberAction(memory, move, seen.now);
            const { action } = move;
            (action.do === "release-claims" ? action.claims : []).forEach(({ name }) =>
                marked.add(Number(name.at(-1))),
            );
        }
    }
    return "no end";
}

const two = (one: object, marked: ReadonlySet<number>): Deviation => ({
    live: 3,
    replicas: 1,
    notMembers: [1, 2],
    pods: { 1: one, 2: neverStarted },
    claims: [0, 1, 2].map((ordinal) => claimOf("pd", ordinal, { released: marked.has(ordinal) })),
});
const unseen = { ...neverStarted, container: notKnown("its node is not Ready") };

describe("pods that never ran and leave together", () => {
    it("are watched together, so a scale-out that was taken back ends", () => {
        assert.match(
            play("pd", (_, marked) => two(neverStarted, marked)),
            /^done after 15\d s$/,
        );
    });
    it("are watched on while another one is not seen yet: the update would fail after its whole time", () => {
        const late = (after: number) => (after < 100_000 ? unseen : neverStarted);
        assert.match(
            play("pd", (after, marked) => two(late(after), marked)),
            /^done after 25\d s$/,
        );
    });
    it("are watched on while the store of another one drains for longer than a pod may take to be Ready", () => {
        const draining = (after: number): Deviation => ({
            live: 5,
            replicas: 3,
            pods: { 4: neverStarted },
            stores: { 4: undefined, 3: { state: "Offline", regionCount: 1_300 - Math.floor(after / 1_000) } },
            claims: [claimOf("tikv", 4, { released: true }), claimOf("tikv", 3)],
        });
        assert.match(play("tikv", draining), /^(fail store-tombstone basic-tikv-3 after (1[3-9]|2)\d{3,} s|no end)/);
    });
    it("leave in a cluster whose pods have less time to be Ready than they are watched", () => {
        assert.match(
            play("pd", (_, marked) => two(neverStarted, marked), { podReadyTimeoutSeconds: 120 }),
            /^done/,
        );
    });
});
