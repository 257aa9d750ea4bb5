import * as assert from "node:assert/strict";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import {
    emptyMemory,
    type Memory,
    rememberAction,
    rememberWait,
} from "../../../../provider/lifecycle/vocabulary/memory";
import type { Move } from "../../../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { type Deviation, evicting, inShort, observed } from "../../../support/lifecycle/observations";

/** Simulates a run that observes the same state forever, every few seconds. @returns each distinct move with its time. */
function seeForEver(row: Deviation, seconds: number, every = 2): string[] {
    const { observation, target } = observed("tikv", row);
    let memory: Memory = emptyMemory;
    const done: string[] = [];
    for (let passed = 0; passed <= seconds; passed += every) {
        const now = observation.now + passed * 1000;
        const own = observation.ownLeaders["basic-tikv-3"];
        const ownLeaders: Observation["ownLeaders"] = own?.known
            ? { "basic-tikv-3": known(own.value, own.from, now) }
            : {};
        const move: Move = nextRolloutMove({ ...observation, now, ownLeaders }, target, memory);
        const what = inShort(move);
        if (done.at(-1)?.replace(/^\d+ s: /, "") !== what) {
            done.push(`${passed} s: ${what}`);
        }
        if (move.kind === "fail" || move.kind === "done") {
            break;
        }
        if (move.kind === "act" || move.kind === "wait") {
            memory = rememberWait(memory, move, now);
            memory = move.kind === "act" ? rememberAction(memory, move, now) : memory;
        }
    }
    return done;
}

const underWay: Deviation = { stale: [3], evicted: [13], records: evicting(3) };

describe("a wait", () => {
    it("that has timed out stays so while the next stage is waited for: the run ends", () => {
        const done = seeForEver(
            {
                ...underWay,
                ownLeaders: { 3: 7 },
                policy: { evictLeaderTimeoutSeconds: 120, afterEvictLeaderTimeout: "restart" },
                regions: { missPeer: 1 },
                shortRegions: [
                    {
                        id: 7,
                        peers: [
                            { storeId: 13, role: "voter", isBehind: false },
                            { storeId: 10, role: "voter", isBehind: false },
                        ],
                    },
                ],
            },
            3_600,
        );
        assert.deepEqual(done, [
            "0 s: wait leaders-evicted basic-tikv-3",
            "120 s: wait majorities-stay basic-tikv-3",
            "720 s: fail majorities-stay basic-tikv-3",
        ]);
    });

    it("for leaders to return ends even if none does and nobody else can lead PD", () => {
        const done = seeForEver(
            {
                stale: [2],
                stores: { 3: { leaderCount: { reported: 0 } } },
                records: evicting(3, { endedAt: 1, isGone: true }),
                notMembers: [1, 2],
                policy: { leadersBackTimeoutSeconds: 400 },
            },
            3_600,
        );
        assert.deepEqual(done.slice(0, 2), [
            "0 s: wait leaders-may-return basic-tikv-3",
            "60 s: wait leaders-back basic-tikv-3",
        ]);
        assert.equal(done[2], "460 s: forget-eviction 13");
    });

    it("for a store's second zero counts from when the store was queried, not from the end of the look: one gauge value would count twice", () => {
        const { observation, target } = observed("tikv", {
            ...underWay,
            ownLeaders: { 3: 0 },
            leadership: { regionCount: 9_000 },
        });
        const seen = (now: number, at: number) => ({
            ...observation,
            now,
            ownLeaders: { "basic-tikv-3": known(0, "basic-tikv-3", at) },
        });
        const start = observation.now;
        const first = nextRolloutMove(seen(start, start), target, emptyMemory);
        assert.equal(inShort(first), "wait leaders-evicted basic-tikv-3");
        assert.ok(first.kind === "wait");
        const memory = rememberWait(emptyMemory, first, start);
        const at = (now: number, asked: number) => inShort(nextRolloutMove(seen(now, asked), target, memory));
        assert.equal(at(start + 10_100, start + 400), "wait leaders-evicted basic-tikv-3");
        assert.equal(at(start + 10_100, start + 10_000), "restart basic-tikv-3");
    });
});
