import * as assert from "node:assert/strict";
import { emptyMemory, type Memory } from "../../../provider/lifecycle/vocabulary/memory";
import { type Move } from "../../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { type Finding, type PodView, type Stage, viewOf } from "../../../provider/lifecycle/vocabulary/stage";
import type { MemberTarget } from "../../../provider/lifecycle/vocabulary/target";
import { type Deviation, inShort, observed } from "./observations";
import { describeAction } from "../../../provider/lifecycle/vocabulary/actions";
import type { Component } from "../../../topology/members";

/** These tables compare the complete texts that a user reads. `decisionTable` compares what is done. */

/** @returns the move with all texts that the user reads. */
export function inWords(move: Move): string {
    switch (move.kind) {
        case "act":
            return `${move.step} ${move.target}: ${describeAction(move.action)}`;
        case "wait":
            return `wait ${move.step} ${move.target}: ${move.waitingFor}`;
        case "fail": {
            const { seen, next } = move.problem;
            return `${inShort(move)}: ${seen}. Next: ${next}`;
        }
        case "done":
        case "look":
            return inShort(move);
    }
}

/** A case: its name, the cluster, the text that the user reads, and the run's memory. */
export type WordRow = [name: string, deviation: Deviation, words: string, memory?: Memory];

/** Defines one test per row, for the text that a user reads about the next move. */
export function wordTable(
    name: string,
    component: Component,
    rows: WordRow[],
    next: (observation: Observation, target: MemberTarget, memory: Memory) => Move,
): void {
    describe(name, () => {
        for (const [title, deviation, words, memory] of rows) {
            it(title, () => {
                const { observation, target } = observed(component, deviation);
                assert.equal(inWords(next(observation, target, memory ?? emptyMemory)), words);
            });
        }
    });
}

/** @returns the only stage with this name. */
export function stageOf(stages: readonly Stage[], name: string): Stage {
    const found = stages.filter((stage) => stage.name === name);
    assert.equal(found.length, 1, `${found.length} stages are named ${name}`);
    return found[0];
}

/** @returns one pod of the row's cluster */
export function podView(component: Component, ordinal: number, row: Deviation): PodView {
    const { observation, target } = observed(component, row);
    return viewOf(observation, target, ordinal);
}

/**
 * A case for one stage: its name, the cluster, the finding (a text: what is missing) and, if it matters, the text of the
 * action taken, or "nothing".
 */
export type StageRow = [name: string, deviation: Deviation, found: string | Finding, does?: string];

/** Defines one test per row, for what a stage finds for a pod and what it does about it. */
export function stageTable(name: string, stage: Stage, component: Component, ordinal: number, rows: StageRow[]): void {
    describe(name, () => {
        for (const [title, deviation, found, does] of rows) {
            it(title, () => {
                const view = podView(component, ordinal, deviation);
                assert.deepEqual(stage.holds(view), typeof found === "string" ? { lacks: found } : found);
                if (does !== undefined) {
                    const action = stage.act?.(view);
                    assert.equal(action ? describeAction(action) : "nothing", does);
                }
            });
        }
    });
}
