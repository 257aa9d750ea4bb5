import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, type Memory } from "../../../provider/lifecycle/vocabulary/memory";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import type { MemberTarget } from "../../../provider/lifecycle/vocabulary/target";
import type { Component } from "../../../topology/members";
import { type Deviation, inShort, longAgo, now, observed } from "./observations";

/** A case: its name, the state of the cluster, and the expected move. */
export type Row = [name: string, deviation: Deviation, move: string, memory?: Memory];

/** Defines one test per row. */
export function decisionTable(
    name: string,
    component: Component,
    rows: Row[],
    next: (observation: Observation, target: MemberTarget, memory: Memory) => Move,
): void {
    describe(name, () => {
        for (const [title, deviation, move, memory] of rows) {
            it(`${title}: ${move}`, () => {
                const { observation, target } = observed(component, deviation);
                assert.equal(inShort(next(observation, target, memory ?? emptyMemory)), move);
            });
        }
    });
}

/** A memory in which the step has been waited for this long and is still being waited for. */
export function waited(step: string, target: string, seconds: number): Memory {
    return { waits: { [`${step} ${target}`]: { since: now - seconds * 1000, seenAt: now - 1000 } }, actedAt: {} };
}

/** A memory in which every check of the step was successful for this long. */
export function steady(step: string, target: string, seconds: number): Memory {
    const since = now - seconds * 1000;
    return { waits: { [`${step} ${target}`]: { since, seenAt: now - 1000, steadySince: since } }, actedAt: {} };
}

/** A memory in which the action was taken this long ago. */
export function acted(action: string, milliseconds: number): Memory {
    return { waits: {}, actedAt: { [action]: now - milliseconds } };
}

/** A memory in which the step was waited for an hour ago and has been successful since. */
export function waitedLongAgo(step: string, target: string): Memory {
    return { waits: { [`${step} ${target}`]: { since: longAgo, seenAt: now - 600_000 } }, actedAt: {} };
}

/** A pod that is not Ready because its process does not run, as its node reports. */
export const notReady = {
    ready: false,
    readySince: undefined,
    container: known({ is: "stopped" as const }, "node", now),
};
/** A pod whose process has never run, as its node reports. */
export const neverStarted = { ...notReady, container: known({ is: "not-started" as const }, "node", now) };
/** A pod that is not Ready on a node that is not Ready, so the state of its process is not known. */
export const lostSight = { ready: false, readySince: undefined, container: notKnown("its node is not Ready") };
/** A pod that was created twenty seconds ago and has been Ready for ten. */
export const justNow = { createdAt: now - 20_000, readySince: now - 10_000 };
