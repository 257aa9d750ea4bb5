import * as assert from "node:assert/strict";
import { actionKey, isNote } from "../../provider/lifecycle/vocabulary/actions";
import { actionsOf } from "../../provider/lifecycle/dryRun/dryRun";
import type { Action } from "../../provider/lifecycle/vocabulary/actions";
import { deployed, shortTimeouts } from "../support/simulation/clusters";
import { foreseenBy, type Goal, up } from "../support/simulation/operate";
import { pass, type Simulation } from "../support/simulation/simulation";

/** The preview is what the update would do: in a cluster where nothing else happens, the actions are the same, in the same order. */

const start: Goal = { pd: 3, tikv: 4, tidb: 2, revision: "r1", policy: shortTimeouts };

const one: Goal = { ...start, pd: 1, tikv: 1, tidb: 1 };
const wide: Goal = { ...start, pd: 5, tikv: 6, tidb: 3 };
const batched: Goal = { ...start, tikv: 6, policy: { ...shortTimeouts, parallelism: 2 } };

const changes: [name: string, from: Goal, to: Goal][] = [
    ["an upgrade", start, { ...start, revision: "r2" }],
    ["an upgrade of one PD, one TiKV and one TiDB", one, { ...one, revision: "r2" }],
    ["an upgrade with TiFlash", { ...start, tiflash: 2 }, { ...start, tiflash: 2, revision: "r2" }],
    ["an upgrade in batches", batched, { ...batched, revision: "r2" }],
    ["a scale-out with an upgrade", start, { ...start, pd: 5, tikv: 6, tidb: 3, revision: "r2" }],
    ["a scale-in", wide, { ...wide, pd: 3, tikv: 4, tidb: 2 }],
    ["a scale-in with an upgrade", wide, { ...wide, pd: 3, tikv: 4, tidb: 2, revision: "r2" }],
];

describe("a preview in a quiet cluster", function () {
    this.timeout(60_000);
    for (const [name, from, to] of changes) {
        it(`foresees the actions of the update, in their order: ${name}`, async () => {
            const { simulation, stack } = await deployed(from);
            await pass(simulation, 120_000);
            const foreseen = (await foreseenBy(simulation, stack, to)).flatMap(({ foreseen: dry }) => {
                return dry ? inShort(actionsOf(dry)) : [];
            });
            const since = simulation.world.log.length;
            const { ending, error } = await up(simulation, stack, to);
            assert.equal(ending, "done", error?.message);
            assert.deepEqual(foreseen, inShort(takenSince(simulation, since)));
        });
    }
});

/** Without what only records what runs: nothing waits for that, and it may come when it likes. */
function inShort(actions: readonly Action[]): string[] {
    return actions.filter((action) => !isNote(action)).map(actionKey);
}

function takenSince({ world }: Simulation, since: number): Action[] {
    return world.log.slice(since).flatMap((line) => {
        const found = /\{"do":.*\}$/.exec(line);
        return found ? [JSON.parse(found[0]) as Action] : [];
    });
}
